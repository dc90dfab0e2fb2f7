import type { Language } from './texts.js';

const BY_CARD = { en: 'By card', fr: 'Par carte', es: 'Con tarjeta' } as const;
const FREE = { en: 'Free of charge', fr: 'Sans frais', es: 'Sin gastos' } as const;
const FEES = { en: 'With fees', fr: 'Avec frais', es: 'Con gastos' } as const;

/**
 * Names of the payment methods in `src/shop/methods.ts`; a plan of several instalments is named after their number. The compiler reports a
 * method without texts, and texts without a method.
 */
export const METHOD_TEXTS = {
  card: { en: 'Card', fr: 'Carte bancaire', es: 'Tarjeta' },
  a3: BY_CARD,
  a4: BY_CARD,
  a4wallet: { en: 'By wallet', fr: 'Par portefeuille électronique', es: 'Con monedero electrónico' },
  a1euro: { en: 'One-euro consumer credit', fr: 'Crédit à un euro', es: 'Crédito al consumo de un euro' },
  b3: FREE,
  b4: FREE,
  b3fee: FEES,
  b4fee: FEES,
} as const satisfies Record<string, Record<Language, string>>;

export type MethodId = keyof typeof METHOD_TEXTS;
