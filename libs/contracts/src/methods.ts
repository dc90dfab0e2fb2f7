/**
 * The method table: the only place for facts about a payment method and its options.
 *
 * Interface: "What the service does" 3 and 4, "Payment-specific fields", "authorization" rules 2 to 4, "void", "Events", "Limits".
 *
 * To add a payment option, add a row to `PAYMENT_OPTIONS`. To add a method, add a row to `METHODS` and a
 * class of fields in `commands/` that `PAYMENT_CLASSES` names (`commands/validate-command.ts`). Everything else is derived from the rows:
 * - types: `Method`, `Rail`, `PaymentOption`, the values of `paymentOption` in the classes and JSON Schemas of the commands;
 * - `RAILS` and the command topics (`topics.ts`), the commands of a rail (`commands/validate-command.ts`);
 * - the rules of amount, market and void (`@tranche/platform`), and the texts of their faults and error codes;
 * - the address that a form is sent to, the rail on which `@tranche/client` publishes an authorization, the languages of notifications;
 * - the instalments and amounts that the checkout offers.
 */

/** Market of an account (interface, authorization, rule 4). `name` is used in texts. */
export const MARKET_TABLE = { FR: { name: 'French' }, ES: { name: 'Spanish' } } as const;
export type Market = keyof typeof MARKET_TABLE;
export const MARKETS = Object.keys(MARKET_TABLE) as readonly Market[];

/** Limits in minor units of one currency, both inclusive. Accounts in another currency have no limits here. */
interface AmountLimits {
  readonly currency: string;
  readonly min: number;
  readonly max: number;
}

interface PhoneForm {
  readonly pattern: RegExp;
  /** Ends the message 'must be …'. */
  readonly says: string;
}

interface MethodRow {
  /** The command topic is `payments.commands.RAIL.v1`. */
  readonly rail: string;
  /** Operation that starts a payment. */
  readonly begins: 'authorize' | 'pay';
  /** Message class of that operation, by its name in `SCHEMA_SOURCES`. */
  readonly fields: string;
  /** True if each answer except a refusal is a form: nothing succeeds without the cardholder (docs/decisions/0049). */
  readonly alwaysForm?: boolean;
  /** True if commands may request a void. */
  readonly takesVoid: boolean;
  readonly amount?: AmountLimits;
  /** Required form of the phones in both addresses, per market. */
  readonly phones?: { readonly [M in Market]?: Readonly<Record<'phone' | 'mobilePhone', PhoneForm>> };
  /** Days in which a capture is guaranteed. The fold has its own (`CAPTURE_WINDOW_MS`): a change there is a new rule of the fold. */
  readonly captureWindowDays?: number;
  /** Days after which a pending authorization has failed. The fold has its own (`PENDING_LIFETIME_MS`): a change there is a new rule. */
  readonly pendingDays?: number;
  /** Lifetime of a card token in minutes. */
  readonly tokenMinutes?: number;
  /** Hours that an express delivery must stay below. */
  readonly expressHours?: number;
  /** LANGUAGE values of notifications. */
  readonly languages: readonly string[];
  /** Path of its operations, appended to {payment_url}. */
  readonly endpoint: string;
}

const COMMON_LANGUAGES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt'] as const;
const ENDPOINT = '/front/service/rest/process';

export const METHODS = {
  A: {
    rail: 'partner-a',
    begins: 'authorize',
    fields: 'partner-a-authorization',
    alwaysForm: true,
    takesVoid: true,
    captureWindowDays: 7,
    languages: [...COMMON_LANGUAGES, 'sk'],
    endpoint: ENDPOINT,
  },
  B: {
    rail: 'partner-b',
    begins: 'authorize',
    fields: 'partner-b-authorization',
    // The interface shows no void for method B (docs/decisions/0032).
    takesVoid: false,
    amount: { currency: 'EUR', min: 15_000, max: 200_000 },
    phones: {
      ES: {
        phone: { pattern: /^\+34[89][0-9]{8}$/, says: '+348 or +349 and 8 digits' },
        mobilePhone: { pattern: /^\+34[67][0-9]{8}$/, says: '+346 or +347 and 8 digits' },
      },
    },
    captureWindowDays: 7,
    pendingDays: 6,
    expressHours: 48,
    languages: [...COMMON_LANGUAGES, 'cs'],
    endpoint: ENDPOINT,
  },
  card: {
    rail: 'card',
    begins: 'pay',
    fields: 'card-payment',
    // The rail accepts the command, but an order with a card payment has no authorization to void.
    takesVoid: true,
    tokenMinutes: 15,
    // The interface has no list for cards, so we accept the lists of both methods.
    languages: [...COMMON_LANGUAGES, 'sk', 'cs'],
    endpoint: ENDPOINT,
  },
} as const satisfies Record<string, MethodRow>;

/** Instalment method A or B, or a card payment. */
export type Method = keyof typeof METHODS;
export type Rail = (typeof METHODS)[Method]['rail'];

interface OptionRow {
  readonly method: Method;
  /** Number of payments by the cardholder. A consumer credit is one payment for the shop. */
  readonly instalments: number;
  /** Markets whose accounts have the option. */
  readonly markets: readonly Market[];
}

/** PAYMENTOPTION (interface, Payment-specific fields). */
export const PAYMENT_OPTIONS = {
  'partnerA-3xcb': { method: 'A', instalments: 3, markets: ['FR', 'ES'] },
  'partnerA-4xcb': { method: 'A', instalments: 4, markets: ['FR', 'ES'] },
  'partnerA-4xwallet': { method: 'A', instalments: 4, markets: ['FR', 'ES'] },
  'partnerA-1euro': { method: 'A', instalments: 1, markets: ['FR', 'ES'] },
  'partnerB-3x': { method: 'B', instalments: 3, markets: ['FR'] },
  'partnerB-3xsansfrais': { method: 'B', instalments: 3, markets: ['FR', 'ES'] },
  'partnerB-4x': { method: 'B', instalments: 4, markets: ['FR'] },
  'partnerB-4xsansfrais': { method: 'B', instalments: 4, markets: ['FR'] },
} as const satisfies Record<string, OptionRow>;

export type PaymentOption = keyof typeof PAYMENT_OPTIONS;
type OptionOf<M extends Method> = {
  [O in PaymentOption]: (typeof PAYMENT_OPTIONS)[O]['method'] extends M ? O : never;
}[PaymentOption];
export type PaymentOptionA = OptionOf<'A'>;
export type PaymentOptionB = OptionOf<'B'>;
export type Language = (typeof METHODS)[Method]['languages'][number];

export const METHOD_NAMES = Object.keys(METHODS) as readonly Method[];
export const RAILS: readonly Rail[] = METHOD_NAMES.map((name) => METHODS[name].rail);

/** The row of a method, typed with all columns. */
export const methodRow = (method: Method): MethodRow => METHODS[method];

const METHOD_OF_RAIL = Object.fromEntries(METHOD_NAMES.map((name) => [METHODS[name].rail, name])) as Readonly<
  Record<Rail, Method>
>;

export function methodOfRail(rail: Rail): Method {
  return METHOD_OF_RAIL[rail];
}

export function isPaymentOption(value: unknown): value is PaymentOption {
  return typeof value === 'string' && Object.hasOwn(PAYMENT_OPTIONS, value);
}

/** The row of an option, typed with all columns. */
export const optionRow = (option: PaymentOption): OptionRow => PAYMENT_OPTIONS[option];

/** Options of a method in the table's order, optionally of one market only. */
export function optionsOf<M extends Method>(method: M, market?: Market): readonly OptionOf<M>[] {
  const names = Object.keys(PAYMENT_OPTIONS) as PaymentOption[];
  return names.filter((name): name is OptionOf<M> => isOptionOf(name, method, market));
}

export function isOptionOf(option: PaymentOption, method: Method, market?: Market): boolean {
  const row = optionRow(option);
  return row.method === method && (market === undefined || row.markets.includes(market));
}

/** Limits of an order's amount; undefined if there are none. */
export const amountLimits = (method: Method): AmountLimits | undefined => methodRow(method).amount;

/** All limits in words, for example 'method B: 150 to 2000 EUR'. */
export function amountLimitsInWords(): string {
  const limited = METHOD_NAMES.flatMap((method) => {
    const { min, max, currency } = amountLimits(method) ?? {};
    return min === undefined || max === undefined ? [] : [`method ${method}: ${min / 100} to ${max / 100} ${currency}`];
  });
  return limited.join('; ');
}
