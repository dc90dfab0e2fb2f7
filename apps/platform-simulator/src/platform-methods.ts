import type { Market, Method, PaymentOption } from '@tranche/contracts';

/**
 * What this platform says of its methods and their options. Of our method table it knows the names alone, so that a new one does not compile
 * without a row: what is offered, taken and refused stands here once more.
 */
export type InstalmentMethod = Exclude<Method, 'card'>;

/** AMOUNT in cents, both included; accounts in another currency have none. */
interface EuroLimits {
  readonly min: number;
  readonly max: number;
}

interface PlatformMethod {
  /** How its PAYMENTOPTIONs begin. */
  readonly prefix: string;
  readonly euros?: EuroLimits;
  readonly takesVoid: boolean;
  /** Whether its form may end with 0003, waiting for approval. */
  readonly mayWait: boolean;
}

const METHODS: Readonly<Record<InstalmentMethod, PlatformMethod>> = {
  A: { prefix: 'partnerA-', takesVoid: true, mayWait: false },
  // Interface, Limits: orders are 150 to 2000 EUR. Void: "not shown", so not possible here.
  B: { prefix: 'partnerB-', euros: { min: 15_000, max: 200_000 }, takesVoid: false, mayWait: true },
};

interface PlatformOption {
  /** Of the provider's form. */
  readonly title: string;
  readonly instalments: number;
  readonly markets: readonly Market[];
  /** Where they differ from the method's. */
  readonly euros?: EuroLimits;
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

/** By the beginning of its name, whether there is such an option or not. */
export function methodOfOption(option: string): InstalmentMethod | undefined {
  return (Object.keys(METHODS) as InstalmentMethod[]).find((method) => option.startsWith(METHODS[method].prefix));
}

export function optionOf(name: string | undefined): PlatformOption | undefined {
  return name !== undefined && Object.hasOwn(OPTIONS, name) ? OPTIONS[name as PaymentOption] : undefined;
}

export function hasOption(method: Method, market: Market, name: string): boolean {
  return methodOfOption(name) === method && optionOf(name)?.markets.includes(market) === true;
}

export function euroLimits(method: InstalmentMethod, option: string): EuroLimits | undefined {
  return optionOf(option)?.euros ?? METHODS[method].euros;
}

/** Of an authorization; one by card is none of a method. */
export const takesVoid = (method: Method): boolean => method === 'card' || METHODS[method].takesVoid;

export const mayWait = (method: Method): boolean => method !== 'card' && METHODS[method].mayWait;
