import { PAYMENT_OPTIONS, type CommandData, type Merchant } from '@tranche/contracts';
import {
  aCapture,
  aCardPayment,
  aPartnerAAuthorization,
  aPartnerBAuthorization,
  aRefund,
  aVoid,
} from '@tranche/testing';
import { isSignedBy, ListOf, NotSent, OPERATION_FIELDS, operationForm, type PlatformOperation } from '../src/index.js';

/** For each fixture: the form contains its parameters, reading the form returns its fields, and its HASH is right. */

const merchant = {
  merchant: 'shop',
  identifier: 'SHOP',
  accountKey: 'key',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
} as Merchant;
const apiKeyId = '00000000-0000-4000-8000-00000000000a';
const options = {
  extraData: 'basket 7',
  metadata: 'meta & more',
  supersedes: 'command-0',
  currency: 'EUR',
  returnPage: 'app',
  notAfter: '2026-03-01T10:00:00Z',
  apiKeyId,
};
const { extraData, notAfter } = options;
const birthDate = '1980-02-29';
const { referrer } = aCardPayment().client;
const cartOf = <T>(item: T) => [item, item];

const FIXTURES: readonly [
  name: string,
  operation: PlatformOperation['operation'],
  fields: keyof typeof OPERATION_FIELDS,
  data: CommandData,
][] = [
  [
    'authorization, method A',
    'authorize',
    'partner-a-authorization',
    aPartnerAAuthorization({
      ...options,
      prescoringCode: 'A1',
      client: { birthDate, referrer },
      cart: cartOf({ totalAmount: 3, discount: '10.5', tax: '20', subMerchantExternalId: 'OPERATOR' }),
    }),
  ],
  [
    'authorization, method B',
    'authorize',
    'partner-b-authorization',
    aPartnerBAuthorization({
      ...options,
      client: { birthDate, referrer },
      cart: cartOf({
        ...aPartnerBAuthorization().cart[0]!,
        discount: '10.5',
        tax: '20',
        subMerchantExternalId: 'OPERATOR',
      }),
    }),
  ],
  [
    'payment with a card token',
    'pay',
    'card-payment',
    aCardPayment({
      ...{ currency: 'EUR', tokenizedAt: notAfter, selectedBrand: 'cb', supersedes: 'c-0', notAfter },
      ...{ client: { birthDate }, billing: { city: 'Paris' }, shipping: { city: 'Paris' } },
    }),
  ],
  ['capture', 'capture', 'capture', aCapture({ amount: 7, transactionId: 'T1', extraData, notAfter })],
  ['refund', 'refund', 'refund', aRefund({ amount: 7, transactionId: 'T1', extraData, notAfter })],
  ['void', 'void', 'void', aVoid({ transactionId: 'T1', extraData, notAfter })],
];

type Table = { readonly [field: string]: unknown };

/** Reads the fields from the parameters: the inverse of the form. */
function readFields(
  table: Table,
  parameters: ReadonlyMap<string, string>,
  name = (text: string) => text,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [field, to] of Object.entries(table)) {
    if (to instanceof NotSent) continue;
    if (typeof to === 'string') fields[field] = parameters.get(name(to));
    else if (to instanceof ListOf) {
      const count = [...parameters.keys()].filter((each) => each.endsWith('[TOTALAMOUNT]')).length;
      const read = (index: number) =>
        readFields(to.fields as Table, parameters, (text) => `${to.name}[${index}][${text}]`);
      fields[field] = Array.from({ length: count }, (_, index) => read(index));
    } else fields[field] = readFields(to as Table, parameters, name);
  }
  return fields;
}

/** The fixture's sent fields as texts. */
function travelling(table: Table, data: object): Record<string, unknown> {
  const fields = Object.entries(data).filter(([field]) => !(table[field] instanceof NotSent));
  const text = (to: unknown, value: unknown): unknown => {
    if (to instanceof ListOf) return (value as object[]).map((item) => travelling(to.fields as Table, item));
    return typeof value === 'object' && value !== null ? travelling(to as Table, value) : String(value);
  };
  return Object.fromEntries(fields.map(([field, value]) => [field, text(table[field], value)]));
}

function formOf(operation: PlatformOperation['operation'], data: CommandData) {
  const rail =
    'paymentOption' in data && PAYMENT_OPTIONS[data.paymentOption].method === 'B' ? 'partner-b' : 'partner-a';
  const { body } = operationForm({ operation, data, merchant, rail } as PlatformOperation, {});
  return [...new URLSearchParams(body)]
    .slice(1)
    .map(([name, value]) => [name.replace(/^params\[([^\]]*)\]/, '$1'), value] as const);
}

/** Every field of a table, `a.b` for nested ones. */
function namesOf(table: Table, prefix = ''): string[] {
  return Object.entries(table).flatMap(([field, to]) => {
    if (to instanceof NotSent || typeof to === 'string') return [`${prefix}${field}`];
    return namesOf((to instanceof ListOf ? to.fields : to) as Table, `${prefix}${field}.`);
  });
}

function givenIn(data: object, table: Table, prefix = ''): string[] {
  return Object.entries(data).flatMap(([field, value]) => {
    const inner: unknown = Array.isArray(value) ? value[0] : value;
    const to = table[field];
    if (typeof inner !== 'object' || inner === null || to instanceof NotSent) return [`${prefix}${field}`];
    return givenIn(inner, (to instanceof ListOf ? to.fields : to) as Table, `${prefix}${field}.`);
  });
}

it('has a fixture for each class of a command', () => {
  expect(FIXTURES.map(([, , fields]) => fields).sort()).toEqual(Object.keys(OPERATION_FIELDS).sort());
});

describe.each(FIXTURES)('%s', (_name, operation, fields, data) => {
  const table = OPERATION_FIELDS[fields] as Table;
  const parameters = formOf(operation, data);

  it('the fixture gives every field of the class', () => {
    expect(givenIn(data, table).sort()).toEqual(namesOf(table).sort());
  });

  it('is read back from its form as it was given [Refund.request.*] [Refund.optional.{AMOUNT,EXTRADATA}]', () => {
    expect(readFields(table, new Map(parameters))).toEqual(travelling(table, data));
  });

  it('sends each parameter once, none but its own, and signs them', () => {
    const count = JSON.stringify(travelling(table, data)).match(/":"/g)?.length ?? 0;
    expect(new Set(parameters.map(([name]) => name)).size).toBe(parameters.length);
    expect(parameters.length).toBe(count + ['IDENTIFIER', 'OPERATIONTYPE', 'VERSION', 'HASH'].length);
    expect(isSignedBy(merchant, parameters)).toBe(true);
    const forged = parameters.map(([name, value]) => [name, name === 'ORDERID' ? 'other' : value] as const);
    expect(isSignedBy(merchant, forged)).toBe(false);
  });
});
