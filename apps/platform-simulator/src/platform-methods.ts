import type { Market, Method, PaymentOption } from '@tranche/contracts';

/**
 * The platform's rules, written a second time on purpose: only names come from our method table, so that a mistake there shows here. A
 * new option without a row does not compile.
 */
type InstalmentMethod = Exclude<Method, 'card'>;

interface PlatformMethod {
  /** Prefix of the method's PAYMENTOPTIONs. */
  readonly prefix: string;
  /** AMOUNT in cents, both inclusive. Accounts in another currency have no limits. */
  readonly euros?: { readonly min: number; readonly max: number };
  readonly takesVoid: boolean;
  /** True if the form may end with 0003 (pending approval). */
  readonly mayWait: boolean;
  /** LANGUAGE values of its notifications (interface, Events). */
  readonly languages: readonly string[];
}

const LANGUAGES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt'];

const METHODS: Readonly<Record<InstalmentMethod, PlatformMethod>> = {
  A: { prefix: 'partnerA-', takesVoid: true, mayWait: false, languages: [...LANGUAGES, 'sk'] },
  // Interface, Limits: orders of 150 to 2000 EUR. The interface shows no void for B, so the simulator refuses it.
  B: {
    prefix: 'partnerB-',
    euros: { min: 15_000, max: 200_000 },
    takesVoid: false,
    mayWait: true,
    languages: [...LANGUAGES, 'cs'],
  },
};

interface PlatformOption {
  /** Title of the provider's form. */
  readonly title: string;
  readonly instalments: number;
  readonly markets: readonly Market[];
}

const EVERYWHERE = ['FR', 'ES'] as const;
const OPTIONS: Readonly<Record<PaymentOption, PlatformOption>> = {
  'partnerA-3xcb': { title: 'Pay in 3 instalments by card', instalments: 3, markets: EVERYWHERE },
  'partnerA-4xcb': { title: 'Pay in 4 instalments by card', instalments: 4, markets: EVERYWHERE },
  'partnerA-4xwallet': { title: 'Pay in 4 instalments by wallet', instalments: 4, markets: EVERYWHERE },
  'partnerA-1euro': { title: 'Pay by consumer credit', instalments: 1, markets: EVERYWHERE },
  'partnerB-3x': { title: 'Pay in 3 instalments', instalments: 3, markets: ['FR'] },
  'partnerB-3xsansfrais': { title: 'Pay in 3 instalments, free of charge', instalments: 3, markets: EVERYWHERE },
  'partnerB-4x': { title: 'Pay in 4 instalments', instalments: 4, markets: ['FR'] },
  'partnerB-4xsansfrais': { title: 'Pay in 4 instalments, free of charge', instalments: 4, markets: ['FR'] },
};

/** Decides by the prefix only, so it also returns a method for an unknown option. */
export function methodOfOption(option: string): InstalmentMethod | undefined {
  return (Object.keys(METHODS) as InstalmentMethod[]).find((method) => option.startsWith(METHODS[method].prefix));
}

export function optionOf(name: string | undefined): PlatformOption | undefined {
  return name !== undefined && Object.hasOwn(OPTIONS, name) ? OPTIONS[name as PaymentOption] : undefined;
}

export function hasOption(method: Method, market: Market, name: string): boolean {
  return methodOfOption(name) === method && optionOf(name)?.markets.includes(market) === true;
}

export const euroLimits = (method: InstalmentMethod) => METHODS[method].euros;

/** Tells if an authorization of the method can be voided. A card authorization always can. */
export const takesVoid = (method: Method): boolean => method === 'card' || METHODS[method].takesVoid;

/** The interface lists none for a card payment. */
export const languagesOf = (method: Method): readonly string[] =>
  method === 'card' ? LANGUAGES : METHODS[method].languages;

export const mayWait = (method: Method): boolean => method !== 'card' && METHODS[method].mayWait;
