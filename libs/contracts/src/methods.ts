/**
 * The method table: each fact about a payment method and its options stands here and nowhere else.
 *
 * Interface: "What the service does" 3 and 4, "Payment-specific fields", "authorization" rules 2 to 4, "void", "Events", "Limits".
 *
 * A new payment option is a row in `PAYMENT_OPTIONS`; limits of its own stand in that row. A new method is a row in `METHODS`, with a class of
 * fields in `commands/` that `PAYMENT_CLASSES` names (`commands/validate-command.ts`). What follows from the rows, and is written nowhere else:
 * - types: `Method`, `Rail`, `PaymentOption`, the values of `paymentOption` in the classes and JSON Schemas of the commands;
 * - `RAILS` and the command topics (`topics.ts`), which commands a rail takes (`commands/validate-command.ts`);
 * - the rules of amount, market and void (`@tranche/platform`), and the texts of their faults and error codes;
 * - the address that a form is sent to, the rail that `@tranche/client` publishes an authorization on, the languages of notifications;
 * - the letter of a method in orders that are carried over (`@tranche/order-journal`);
 * - what the checkout offers: instalments and amounts.
 */

/** Accounts have a market (interface, authorization, rule 4). `name` is for texts. */
export const MARKET_TABLE = { FR: { name: 'French' }, ES: { name: 'Spanish' } } as const;
export type Market = keyof typeof MARKET_TABLE;
export const MARKETS = Object.keys(MARKET_TABLE) as readonly Market[];

/** Both included, in minor units of one currency: accounts in another currency have no limits of ours. */
export interface AmountLimits {
  readonly currency: string;
  readonly min: number;
  readonly max: number;
}

interface PhoneForm {
  readonly pattern: RegExp;
  /** For the message: 'must be …'. */
  readonly says: string;
}

interface MethodRow {
  /** Its command topic is `payments.commands.RAIL.v1`. */
  readonly rail: string;
  /** One letter that stands for it where an order is carried over. Stored for ever: never another one, never one of another method. */
  readonly letter: string;
  /** The operation that a payment begins with. */
  readonly begins: 'authorize' | 'pay';
  /** The class of that operation's fields, by its name in `SCHEMA_SOURCES`. */
  readonly fields: string;
  /** Every answer to its authorization that is no refusal is a form: without the cardholder nothing succeeds (docs/decisions/0051). */
  readonly alwaysForm?: boolean;
  /** Whether a void may be asked for at all. */
  readonly takesVoid: boolean;
  /** Of options that have no limits of their own. */
  readonly amount?: AmountLimits;
  /** Phones of both addresses, in markets that want them in a form of their own. */
  readonly phones?: { readonly [M in Market]?: Readonly<Record<'phone' | 'mobilePhone', PhoneForm>> };
  /** For so long after the authorization a capture is guaranteed. The fold has its own (`CAPTURE_WINDOW_MS`): a change there is a new rule of the fold. */
  readonly captureWindowDays?: number;
  /** After so long without news a pending authorization counts as failed. The fold has its own (`PENDING_LIFETIME_MS`): a change there is a new rule of the fold. */
  readonly pendingDays?: number;
  /** A card token is good for so long. */
  readonly tokenMinutes?: number;
  /** An express delivery of an article takes less. */
  readonly expressHours?: number;
  /** LANGUAGE of a notification. */
  readonly languages: readonly string[];
  /** Path behind {payment_url} that its operations are sent to. */
  readonly endpoint: string;
}

const COMMON_LANGUAGES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'zh', 'ru', 'pt'] as const;
const ENDPOINT = '/front/service/rest/process';

export const METHODS = {
  A: {
    rail: 'partner-a',
    letter: 'A',
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
    letter: 'B',
    begins: 'authorize',
    fields: 'partner-b-authorization',
    // "Void for method B: not shown" (docs/decisions/0032).
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
    letter: 'C',
    begins: 'pay',
    fields: 'card-payment',
    // The rail takes the command; the order of a card payment has no authorization that could be voided.
    takesVoid: true,
    tokenMinutes: 15,
    // The interface shows no list for cards: those of both methods are taken.
    languages: [...COMMON_LANGUAGES, 'sk', 'cs'],
    endpoint: ENDPOINT,
  },
} as const satisfies Record<string, MethodRow>;

/** Instalment method A or B, or a payment with a card token. */
export type Method = keyof typeof METHODS;
export type Rail = (typeof METHODS)[Method]['rail'];

interface OptionRow {
  readonly method: Method;
  /** Payments that the cardholder makes; a consumer credit is one for the shop. */
  readonly instalments: number;
  /** Markets whose accounts have the option. */
  readonly markets: readonly Market[];
  /** Where they differ from the method's. */
  readonly amount?: AmountLimits;
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

/** The row of a method, with the columns that not every method has. */
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

/** The row of an option, with the columns that not every option has. */
export const optionRow = (option: PaymentOption): OptionRow => PAYMENT_OPTIONS[option];

/** Options of a method, in the table's order; of one market only, where it is given. */
export function optionsOf<M extends Method>(method: M, market?: Market): readonly OptionOf<M>[] {
  const options = Object.entries<OptionRow>(PAYMENT_OPTIONS).filter(([, row]) => row.method === method);
  return options
    .filter(([, { markets }]) => market === undefined || markets.includes(market))
    .map(([name]) => name as OptionOf<M>);
}

/** Limits of an order's amount and what sets them; an option's own go before its method's. `option` may be anything. */
export function amountLimits(method: Method, option?: unknown): { limits: AmountLimits; setBy: string } | undefined {
  const own = isPaymentOption(option) && optionRow(option).method === method ? optionRow(option).amount : undefined;
  if (own !== undefined) return { limits: own, setBy: String(option) };
  const { amount } = methodRow(method);
  return amount && { limits: amount, setBy: `method ${method}` };
}

/** Every limit in words: 'method B: 150 to 2000 EUR'. */
export function amountLimitsInWords(): string {
  const rows: readonly (readonly [string, AmountLimits | undefined])[] = [
    ...METHOD_NAMES.map((name) => [`method ${name}`, methodRow(name).amount] as const),
    ...Object.entries<OptionRow>(PAYMENT_OPTIONS).map(([name, { amount }]) => [name, amount] as const),
  ];
  const limited = rows.filter((row): row is readonly [string, AmountLimits] => row[1] !== undefined);
  return limited
    .map(([name, { min, max, currency }]) => `${name}: ${min / 100} to ${max / 100} ${currency}`)
    .join('; ');
}
