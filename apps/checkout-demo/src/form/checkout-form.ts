import { fault, METHODS, type Fault, type Market } from '@tranche/contracts';
import { methodOf, type PaymentMethod } from '../shop/methods.js';

/** HFTOKEN is single use and expires (interface, Limits). */
export const TOKEN_LIFETIME_MS = METHODS.card.tokenMinutes * 60_000;

type Fields = Record<string, unknown>;

/** The page's form with trimmed texts. `unknown` holds all other fields: the contracts must see and refuse them. */
export interface CheckoutForm {
  method: PaymentMethod;
  customer: Fields;
  shipping?: Fields;
  card: Fields;
  unknown: Fields;
}

const OF_BODY = ['key', 'attempt', 'method', 'cart', 'customer', 'shipping', 'card'];
const OF_ADDRESS = ['title', 'firstName', 'lastName', 'mobilePhone', 'address', 'postalCode', 'city', 'country'];
const OF_CUSTOMER = [...OF_ADDRESS, 'email', 'birthDate'];
const OF_SHIPPING = [...OF_ADDRESS, 'companyName'];
const OF_CARD = ['hfToken', 'ageMs', 'selectedBrand', 'cardFullName'];

export function readForm(body: unknown, market: Market): { form?: CheckoutForm; faults: Fault[] } {
  if (!isObject(body)) return { faults: [fault('', 'type', 'must be an object')] };
  const method = methodOf(body.method, market);
  const customer = isObject(body.customer) ? body.customer : {};
  const shipping = isObject(body.shipping) ? body.shipping : undefined;
  const card = isObject(body.card) ? body.card : {};
  const unknown = {
    ...without(OF_BODY, body),
    ...without(OF_CUSTOMER, customer),
    ...without(OF_SHIPPING, shipping ?? {}),
    ...without(method !== undefined && method.rail !== 'card' ? [] : OF_CARD, card),
  };
  const form = {
    method: method ?? { id: '', rail: 'card', instalments: 1, cost: 'none' },
    customer: trimmed(customer),
    ...(shipping && { shipping: trimmed(shipping) }),
    card: trimmed(card),
    unknown,
  };
  return {
    form,
    faults: method === undefined ? [fault('method', 'enum', 'is not a payment method of this shop')] : [],
  };
}

/** Time of the tokenizer's request by the shop's clock. The page sends only the token's age, because its clock may be wrong. */
export function tokenizedAtMs({ card }: CheckoutForm, nowMs: number): number | undefined {
  const { ageMs } = card;
  if (typeof ageMs !== 'number' || !(ageMs >= 0 && ageMs < TOKEN_LIFETIME_MS)) return undefined;
  return nowMs - Math.ceil(ageMs);
}

export const compact = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/[\s.()-]+/g, '') : value;

function without(names: readonly string[], fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function trimmed(fields: Fields): Fields {
  const entries = Object.entries(fields).map(
    ([name, value]) => [name, typeof value === 'string' ? value.trim() : value] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const FIELDS_OF_PAGE: Readonly<Record<string, string>> = {
  'client.email': 'email',
  'client.birthDate': 'birthDate',
  cardFullName: 'card-name',
  selectedBrand: 'card-brand',
  hfToken: 'card-token',
  tokenizedAt: 'card-token',
  method: 'method',
};

/** Maps faults of a command to fields of the page, one per field. A fault without a field gets the path '' (the whole form). */
export function formFaults(faults: readonly Fault[]): Fault[] {
  const byField = new Map<string, Fault>();
  for (const one of faults) {
    const path = fieldOf(one.path);
    const before = byField.get(path);
    if (before === undefined || (one.code === 'card_data_forbidden' && before.code !== one.code))
      byField.set(path, { ...one, path });
  }
  return [...byField.values()];
}

/** Begins the paths of a separate delivery address. */
export const SHIP_TO = 'shipTo';

const ADDRESS =
  /^(billing|shipping|shipTo)\.(title|companyName|firstName|lastName|address|postalCode|city|country|phone|mobilePhone)$/;

function fieldOf(path: string): string {
  const [, address, field] = ADDRESS.exec(path) ?? [];
  if (field !== undefined) return (address === SHIP_TO ? 'ship-' : '') + (field === 'phone' ? 'mobilePhone' : field);
  if (path.startsWith('cart')) return 'cart';
  return FIELDS_OF_PAGE[path] ?? '';
}
