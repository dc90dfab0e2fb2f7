export type MessageClass<T extends object = object> = new () => T;

export interface Doc {
  readonly description: string;
  /** A valid value. Absent for nested messages: their fields have their own. */
  readonly example?: unknown;
  /** Values that this version writes to an open set. Later versions may add values. */
  readonly known?: KnownValues;
}

/** Values, or values with their meanings where their names alone do not say it. */
export type KnownValues = readonly string[] | Readonly<Record<string, string>>;

const docs = new WeakMap<object, Map<string | symbol, Doc>>();
const OF_CLASS = '';

/** Describes a message class, or one of its fields, for the JSON Schemas and the documents that are generated from them. */
export function Doc(
  description: string,
  example?: unknown,
  known?: KnownValues,
): (target: object, property?: string | symbol) => void {
  return (target, property) => {
    const owner = typeof target === 'function' ? (target.prototype as object) : target;
    const doc: Doc = { description, ...(example !== undefined && { example }), ...(known && { known }) };
    docs.set(owner, (docs.get(owner) ?? new Map<string | symbol, Doc>()).set(property ?? OF_CLASS, doc));
  };
}

/** The description of a field, inherited ones too; without `property` that of the class. */
export function docOf(type: MessageClass, property: string = OF_CLASS): Doc | undefined {
  for (let owner: unknown = type.prototype; typeof owner === 'object' && owner; owner = Object.getPrototypeOf(owner)) {
    const doc = docs.get(owner)?.get(property);
    if (doc !== undefined) return doc;
  }
  return undefined;
}

/** Descriptions of formats that many fields share: each is one definition in the schemas, by the name in the field's rule (`as`). */
export const SHARED_FORMATS = {
  Amount: { description: 'Amount in the smallest unit of its currency (cents for EUR), at least 1.', example: 30000 },
  MinorUnits: {
    description: 'Amount in the smallest unit of its currency (cents for EUR); 0 is possible.',
    example: 10000,
  },
  Currency: { description: 'ISO 4217 currency code, three capitals.', example: 'EUR' },
  Timestamp: {
    description: 'RFC 3339 date and time with capital T, and Z or an offset; no leap seconds.',
    example: '2027-03-01T10:00:00Z',
  },
  Merchant: {
    description: 'Name of the merchant in the configuration of Tranche. First part of the order key.',
    example: 'shop-fr',
  },
  OrderId: {
    description: 'ORDERID: the order number of the shop, unique for the merchant. Second part of the order key.',
    example: 'order-1',
  },
} as const satisfies Record<string, Doc>;
export type SharedFormat = keyof typeof SHARED_FORMATS;
