import type { Language } from './texts.js';

/** Names of the payment methods in `src/shop/methods.ts`. The compiler reports a method without texts, and texts without a method. */
export const METHOD_TEXTS = {
  card: { en: 'Card, now', fr: 'Carte, maintenant', es: 'Con tarjeta, ahora' },
  a3: { en: '3 instalments by card', fr: 'En 3 fois par carte', es: 'En 3 plazos con tarjeta' },
  a4: { en: '4 instalments by card', fr: 'En 4 fois par carte', es: 'En 4 plazos con tarjeta' },
  a4wallet: {
    en: '4 instalments by wallet',
    fr: 'En 4 fois par portefeuille électronique',
    es: 'En 4 plazos con monedero electrónico',
  },
  a1euro: { en: 'One-euro consumer credit', fr: 'Crédit à un euro', es: 'Crédito al consumo de un euro' },
  b3: { en: '3 instalments, free of charge', fr: 'En 3 fois sans frais', es: 'En 3 plazos sin gastos' },
  b4: { en: '4 instalments, free of charge', fr: 'En 4 fois sans frais', es: 'En 4 plazos sin gastos' },
  b3fee: { en: '3 instalments, with fees', fr: 'En 3 fois avec frais', es: 'En 3 plazos con gastos' },
  b4fee: { en: '4 instalments, with fees', fr: 'En 4 fois avec frais', es: 'En 4 plazos con gastos' },
} as const satisfies Record<string, Record<Language, string>>;

export type MethodId = keyof typeof METHOD_TEXTS;
