import type { CommandType, FaultCode, Rail } from '../src/index.js';
import {
  aCapture,
  aCardPayment,
  aPartnerACartItem,
  aPartnerAAuthorization,
  aPartnerBCartItem,
  aPartnerBAuthorization,
  aRefund,
  aVoid,
} from '@tranche/testing';

/**
 * Limits of the interface with values on both sides: the interface's name, our field, the accepted values, and the refused ones by fault
 * code.
 */
interface Limit {
  field: string;
  ours: string;
  /** `all`: required only for merchants with `requirements: 'all'`. */
  isRequired: boolean | 'all';
  accepted: readonly unknown[];
  refused: Partial<Record<FaultCode, readonly unknown[]>>;
}

interface LimitTable {
  message: string;
  schema: string;
  rail: Rail;
  type: CommandType;
  valid: () => object;
  limits: readonly Limit[];
}

type Sides = Pick<Limit, 'accepted' | 'refused'>;

const required = (field: string, ours: string, sides: Sides): Limit => ({ field, ours, isRequired: true, ...sides });
const listed = (field: string, ours: string, sides: Sides): Limit => ({ field, ours, isRequired: 'all', ...sides });
const optional = (field: string, ours: string, sides: Sides): Limit => ({ field, ours, isRequired: false, ...sides });

const NOT_TEXT = [5, true, null, {}, ['x']];
const NOT_NUMBER = ['5', true, null, {}, [5]];

/** 𝔘 is one code point but two code units; lengths count code points. */
function text(min: number, max: number, more: Partial<Record<FaultCode, readonly unknown[]>> = {}): Sides {
  return {
    accepted: ['x'.repeat(min), 'x'.repeat(max), 'é'.repeat(max), '𝔘'.repeat(max)],
    refused: {
      length: [...(min > 0 ? ['x'.repeat(min - 1)] : []), 'x'.repeat(max + 1), '𝔘'.repeat(max + 1)],
      type: NOT_TEXT,
      format: ['a\ud800'.slice(0, max)].filter((one) => one.length > 1),
      ...more,
    },
  };
}

const oneOf = (...values: string[]): Sides => ({
  accepted: values,
  refused: {
    enum: ['', 'other', `${values[0]} `, values[0]?.toUpperCase(), '__proto__', 'constructor', 'toString'],
    type: NOT_TEXT,
  },
});

const integer = (min: number, max: number): Sides => ({
  accepted: [min, max],
  refused: { range: [min - 1, max + 1, min + 0.5, -5, NaN, Infinity, 2 ** 53], type: NOT_NUMBER },
});
const amount: Sides = {
  accepted: [1, 15000, Number.MAX_SAFE_INTEGER],
  refused: { range: [0, -1, 1.5, 2 ** 53, 1e300, NaN, Infinity], type: NOT_NUMBER },
};
/** The interface demands only an integer: a gift in a cart costs 0. */
const cartAmount: Sides = {
  accepted: [0, 1, Number.MAX_SAFE_INTEGER],
  refused: { range: [-1, 1.5, 2 ** 53], type: NOT_NUMBER },
};

const date: Sides = {
  accepted: ['2028-02-29', '2000-02-29', '1999-12-31', '2027-04-30'],
  refused: {
    format: [
      '2027-02-29',
      '1900-02-29',
      '2027-04-31',
      '2027-13-01',
      '2027-00-10',
      '2027-01-00',
      '2027-1-1',
      '27-01-01',
      '01-01-2027',
      '2027/01/01',
      '2027-01-01T00:00:00Z',
      ' 2027-01-01',
      '',
    ],
    type: NOT_TEXT,
  },
};
const timestamp: Sides = {
  accepted: ['2028-02-29T23:59:59Z', '2027-01-01T00:00:00.123456789+02:00', '2027-01-01T00:00:00-11:30'],
  refused: {
    format: [
      '2027-02-29T00:00:00Z',
      '2027-01-01',
      '2027-01-01T24:00:00Z',
      '2027-01-01T00:60:00Z',
      '2027-01-01T00:00:60Z',
      '2027-01-01T00:00:00',
      '2027-01-01 00:00:00Z',
      '2027-01-01t00:00:00z',
      '2027-01-01T00:00:00+24:00',
      '2027-01-01T00:00Z',
      '',
    ],
    type: NOT_TEXT,
  },
};

const publicIpv4: Sides = {
  accepted: [
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    // RFC 5737: documentation ranges are accepted
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.255',
    '::ffff:203.255.113.100',
    '::FFFF:203.0.113.10',
  ],
  refused: {
    format: [
      '0.0.0.0',
      '0.255.255.255',
      '10.0.0.0',
      '10.255.255.255',
      '100.64.0.0',
      '100.127.255.255',
      '127.0.0.1',
      '127.255.255.255',
      '169.254.0.0',
      '169.254.255.255',
      '172.16.0.0',
      '172.31.255.255',
      '192.0.0.1',
      '192.168.0.0',
      '192.168.255.255',
      '198.18.0.0',
      '198.19.255.255',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '8.8.8.256',
      '100.8.8',
      '8.8.8.8.8',
      '08.8.8.8',
      '8.8.8.08',
      ' 8.8.8.8',
      '8.8.8.8\n',
      '2001:db8::1',
      '::ffff:10.0.0.1',
      '::ffff:cb00:710a',
      ':8.8.8.8',
      'localhost',
    ],
    length: ['', '1.1.1', '::ffff:255.255.255.2555'],
    type: NOT_TEXT,
  },
};

const referrer: Sides = {
  accepted: ['https://shop.example.com/checkout?step=2#pay', 'http://localhost:3000', `https://a/${'b'.repeat(2038)}`],
  refused: {
    format: [
      'shop.example.com',
      'ftp://a',
      'javascript:alert(1)',
      'https://',
      'https:///path',
      'https://a b',
      ' https://a',
    ],
    length: ['', `https://a/${'b'.repeat(2039)}`],
    type: NOT_TEXT,
  },
};

const emailA: Sides = {
  accepted: ['a@b.c', 'jeanne+shop@example.com', 'é@exämple.fr', `${'a'.repeat(243)}@example.com`],
  refused: {
    length: ['', 'a@bc', `${'a'.repeat(244)}@example.com`],
    format: [
      'abcde',
      'a@bcd',
      '@example.com',
      'a@@example.com',
      'a@b@example.com',
      'a b@example.com',
      'a@example..com',
      'a@.com',
      'a@example.',
      'a@example.com\n',
    ],
    type: NOT_TEXT,
  },
};
/** The interface demands only a string(1-100) without +. */
const emailB: Sides = {
  accepted: ['a', 'jeanne@example.com', `${'a'.repeat(88)}@example.com`],
  refused: {
    length: ['', `${'a'.repeat(89)}@example.com`],
    format: ['jeanne+shop@example.com', '+', 'a+'],
    type: NOT_TEXT,
  },
};

const phoneE164: Sides = {
  accepted: ['+12', '+33612345678', '+123456789012345'],
  refused: {
    format: [
      '+1234567890123456',
      '33612345678',
      '0033612345678',
      '0612345678',
      '+0612345678',
      '+33 612345678',
      '+33-612345678',
      '+',
      '+1',
      '+33612345678\n',
      '٣',
    ],
    length: ['', `+${'1'.repeat(32)}`],
    type: [33612345678, ...NOT_TEXT],
  },
};
const phoneInternational: Sides = {
  accepted: ['+12', '+34612345678', '+12345678901234'],
  refused: {
    format: ['33612345678', '0612345678', '+0612345678', '+33 612345678', '+', '+1', '+33612345678\n'],
    length: ['', '+123456789012345'],
    type: [33612345678, ...NOT_TEXT],
  },
};

const lineBreaks = ['a\nb', 'a\rb', 'a\r\nb', 'a\u2028b', 'a\u2029b', 'a\u0085b', 'a\vb', 'a\fb', '\n'];
const singleLine = (max: number): Sides =>
  text(1, max, { format: lineBreaks, card_data_forbidden: ['4111 1111 1111 1111'] });
const manyLines = (max: number): Sides => {
  const sides = text(1, max, { card_data_forbidden: ['4111 1111 1111 1111'] });
  return { ...sides, accepted: [...sides.accepted, 'a\nb'] };
};
const personal = (max: number): Sides =>
  text(1, max, max >= 16 ? { card_data_forbidden: ['4111111111111111', 4111111111111111] } : {});
const country: Sides = {
  accepted: ['FR', 'ES', 'GB'],
  refused: { length: ['', 'F', 'FRA'], format: ['fr', 'Fr', 'F1', 'É1'], type: NOT_TEXT },
};
const percentage: Sides = {
  accepted: ['0', '5', '5.5', '10.25', '100', '100.000000', '0.001', '33.33333333', 0, 5.5, 20, 0.1 + 0.2, 999.999999],
  refused: {
    format: [
      '5,5',
      '.5',
      '5.',
      '-5',
      '+5',
      '5%',
      '1e2',
      '5.5.5',
      ' 5',
      '1000',
      `1.${'1'.repeat(21)}`,
      '12345678901',
      'NaN',
      '0x10',
    ],
    length: ['', '1'.repeat(25)],
    range: [-0.1, 1000, NaN, Infinity],
    type: [true, null, {}, ['x']],
  },
};
const titles = oneOf('mr', 'miss', 'mrs');
const freeField = text(1, 255, { card_data_forbidden: ['ref 4970101234567893', '{"n":"4111-1111-1111-1111"}'] });
const description = text(1, 510, {
  card_data_forbidden: [
    'paid by 4111111111111111',
    'x 5555 5555 5555 4444 x',
    4111111111111111,
    { a: '4111111111111111' },
  ],
});
const merchantName: Sides = {
  accepted: ['a', '-', 'shop-fr', 'x'.repeat(32), '0'],
  refused: {
    length: ['', 'x'.repeat(33)],
    format: ['Shop', 'shop_fr', 'shop/fr', 'shop fr', 'é', 'shop\n', '__proto__'],
    type: NOT_TEXT,
  },
};
const exactly36: Sides = {
  accepted: ['x'.repeat(36)],
  refused: { length: ['', 'x'.repeat(35), 'x'.repeat(37)], type: NOT_TEXT },
};

const address = (
  prefix: 'billing' | 'shipping',
  capitals: string,
  more: { lastName: number; address: Sides; city: number; phone: Sides },
): Limit[] => [
  optional(`${capitals}TITLE`, `${prefix}.title`, titles),
  listed(`${capitals}FIRSTNAME`, `${prefix}.firstName`, personal(15)),
  listed(`${capitals}LASTNAME`, `${prefix}.lastName`, personal(more.lastName)),
  listed(`${capitals}ADDRESS`, `${prefix}.address`, more.address),
  listed(`${capitals}POSTALCODE`, `${prefix}.postalCode`, text(1, 9)),
  listed(`${capitals}CITY`, `${prefix}.city`, personal(more.city)),
  listed(`${capitals}COUNTRY`, `${prefix}.country`, country),
  optional(`${capitals}PHONE`, `${prefix}.phone`, more.phone),
  optional(`${capitals}MOBILEPHONE`, `${prefix}.mobilePhone`, more.phone),
];

/** Ids are not searched for card numbers, because an id may pass the Luhn check by chance. */
const id = (max: number): Sides => {
  const sides = text(1, max);
  return max < 16
    ? sides
    : { ...sides, accepted: [...sides.accepted, '4111111111111111', '__proto__', 'constructor', 'a/b'] };
};

const orderId: Sides = { ...id(40), refused: { ...id(40).refused, format: ['o\t1', 'o\n', '\u0000', 'o\u007f'] } };

const currency: Sides = {
  accepted: ['EUR', 'CHF'],
  refused: { length: ['', 'EU', 'EURO'], format: ['eur', 'EU1'], type: NOT_TEXT },
};

const order: Limit[] = [
  required('(merchant)', 'merchant', merchantName),
  required('ORDERID', 'orderId', orderId),
  required('DESCRIPTION', 'description', description),
];
const authorization: Limit[] = [
  ...order,
  required('AMOUNT', 'amount', amount),
  optional('EXTRADATA', 'extraData', freeField),
  optional('METADATA', 'metadata', freeField),
  optional('APIKEYID', 'apiKeyId', exactly36),
  optional('(currency)', 'currency', currency),
  optional('(returnPage)', 'returnPage', merchantName),
  optional('(supersedes)', 'supersedes', id(128)),
  optional('(notAfter)', 'notAfter', timestamp),
  required('CLIENTUSERAGENT', 'client.userAgent', id(255)),
  required('CLIENTIP', 'client.ip', publicIpv4),
];
/** Parameters that only an authorization has. */
const ofAuthorizations: Limit[] = [
  optional('METADATA (authorization only)', 'metadata', { accepted: [], refused: { unknown_field: ['channel=web'] } }),
  optional('APIKEYID (authorization only)', 'apiKeyId', { accepted: [], refused: { unknown_field: ['x'.repeat(36)] } }),
];
const followUp: Limit[] = [
  ...order,
  ...ofAuthorizations,
  optional('TRANSACTIONID', 'transactionId', id(32)),
  optional('EXTRADATA', 'extraData', freeField),
  optional('(notAfter)', 'notAfter', timestamp),
];
/** Our own limit: the interface has none (docs/decisions/0070). */
const cart = (item: () => object): Sides => ({
  accepted: [[item(), item()], Array.from({ length: 200 }, item)],
  refused: { length: [[], Array.from({ length: 201 }, item)], type: [{}, 'x', null] },
});
const cartOfBoth: Limit[] = [
  optional('DISCOUNT', 'cart[0].discount', percentage),
  optional('TAX', 'cart[0].tax', percentage),
  optional('SUBMERCHANTEXTERNALID', 'cart[0].subMerchantExternalId', id(255)),
];

export const LIMITS: readonly LimitTable[] = [
  {
    message: 'authorization of method A',
    schema: 'partner-a-authorization',
    rail: 'partner-a',
    type: 'payment.authorize',
    valid: aPartnerAAuthorization,
    limits: [
      ...authorization,
      required(
        'PAYMENTOPTION',
        'paymentOption',
        oneOf('partnerA-3xcb', 'partnerA-4xcb', 'partnerA-4xwallet', 'partnerA-1euro'),
      ),
      required('PAYMENTOPTION', 'paymentOption', {
        accepted: [],
        refused: { enum: ['partnerB-3x', 'partnerB-4xsansfrais'] },
      }),
      optional('PRESCORINGCODE', 'prescoringCode', text(0, 20)),
      required('CLIENTIDENT', 'client.id', id(255)),
      required('CLIENTEMAIL', 'client.email', emailA),
      optional('CLIENTDOB', 'client.birthDate', date),
      optional('CLIENTREFERRER (not sent)', 'client.referrer', referrer),
      ...address('billing', 'BILLING', { lastName: 15, address: singleLine(50), city: 255, phone: phoneE164 }),
      optional('SHIPTOCOMPANYNAME', 'shipping.companyName', personal(50)),
      ...address('shipping', 'SHIPTO', { lastName: 30, address: manyLines(50), city: 255, phone: phoneE164 }),
      listed('CART', 'cart', cart(aPartnerACartItem)),
      listed('TOTALAMOUNT', 'cart[0].totalAmount', cartAmount),
      ...cartOfBoth,
    ],
  },
  {
    message: 'authorization of method B',
    schema: 'partner-b-authorization',
    rail: 'partner-b',
    type: 'payment.authorize',
    valid: aPartnerBAuthorization,
    limits: [
      ...authorization,
      required(
        'PAYMENTOPTION',
        'paymentOption',
        oneOf('partnerB-3x', 'partnerB-3xsansfrais', 'partnerB-4x', 'partnerB-4xsansfrais'),
      ),
      required('PAYMENTOPTION', 'paymentOption', {
        accepted: [],
        refused: { enum: ['partnerA-3xcb', 'partnerA-1euro'] },
      }),
      optional('PRESCORINGCODE (A only)', 'prescoringCode', { accepted: [], refused: { unknown_field: ['A1'] } }),
      required('CLIENTIDENT', 'client.id', id(128)),
      required('CLIENTEMAIL', 'client.email', emailB),
      optional('CLIENTDOB (not sent)', 'client.birthDate', date),
      optional('CLIENTREFERRER (not sent)', 'client.referrer', referrer),
      ...address('billing', 'BILLING', { lastName: 15, address: singleLine(38), city: 32, phone: phoneInternational }),
      optional('SHIPTOCOMPANYNAME', 'shipping.companyName', personal(50)),
      ...address('shipping', 'SHIPTO', { lastName: 30, address: manyLines(38), city: 32, phone: phoneInternational }),
      listed('CART', 'cart', cart(aPartnerBCartItem)),
      listed('MERCHANTITEMID', 'cart[0].merchantItemId', id(256)),
      listed('NAME', 'cart[0].name', text(1, 256, { card_data_forbidden: ['4111111111111111'] })),
      listed('PRICE', 'cart[0].price', {
        accepted: [0, 1, 999999999],
        refused: { range: [-1, 0.5, 2 ** 53], type: NOT_NUMBER },
      }),
      listed('QUANTITY', 'cart[0].quantity', integer(1, 999)),
      listed(
        'CATEGORY',
        'cart[0].category',
        oneOf(
          'computersandsoftware',
          'electronics',
          'appliances',
          'homeandgarden',
          'fashion',
          'healthandbeauty',
          'jewellery',
          'sport',
          'leisureandhobbies',
          'carsandmotorbikes',
          'furniture',
          'kidsandbaby',
          'videogamesandconsoles',
          'toysandgames',
          'pets',
          'foodanddrink',
          'giftandflowers',
          'entertainment',
          'travel',
          'auctionsandgroupbuying',
          'servicesforindividuals',
          'servicesforprofessionals',
        ),
      ),
      listed('BRAND', 'cart[0].brand', text(1, 100, { card_data_forbidden: ['4111111111111111'] })),
      listed('DELIVERYLABEL', 'cart[0].deliveryLabel', text(1, 100, { card_data_forbidden: ['4111111111111111'] })),
      listed('DELIVERYSPEED', 'cart[0].deliverySpeed', oneOf('standard', 'express')),
      listed(
        'DELIVERYTYPE',
        'cart[0].deliveryType',
        oneOf('storepickup', 'networkpickup', 'travelpickup', 'carrier', 'edelivery'),
      ),
      optional('DELIVERYEXPECTEDDATE', 'cart[0].deliveryExpectedDate', date),
      optional('DELIVERYEXPECTEDDELAY', 'cart[0].deliveryExpectedDelay', integer(1, 3)),
      listed('TOTALAMOUNT', 'cart[0].totalAmount', {
        accepted: [30000],
        refused: { total_mismatch: [29999, 30001, 0], range: [-1, 30000.5], type: NOT_NUMBER },
      }),
      ...cartOfBoth,
    ],
  },
  {
    message: 'capture',
    schema: 'capture',
    rail: 'partner-a',
    type: 'payment.capture',
    valid: aCapture,
    limits: [...followUp, optional('AMOUNT', 'amount', amount)],
  },
  {
    message: 'refund',
    schema: 'refund',
    rail: 'partner-b',
    type: 'payment.refund',
    valid: aRefund,
    limits: [...followUp, optional('AMOUNT', 'amount', amount)],
  },
  {
    message: 'void',
    schema: 'void-authorization',
    rail: 'partner-a',
    type: 'payment.void',
    valid: aVoid,
    limits: [
      ...followUp,
      optional('AMOUNT (not in void)', 'amount', { accepted: [], refused: { unknown_field: [1] } }),
    ],
  },
  {
    message: 'payment with a card token',
    schema: 'card-payment',
    rail: 'card',
    type: 'payment.pay',
    valid: aCardPayment,
    limits: [
      ...order,
      ...ofAuthorizations,
      required('AMOUNT', 'amount', amount),
      required('HFTOKEN', 'hfToken', id(4096)),
      optional('(tokenizedAt)', 'tokenizedAt', timestamp),
      optional('SELECTEDBRAND', 'selectedBrand', oneOf('cb', 'visa', 'vpay', 'electron', 'mastercard', 'maestro')),
      required('CARDFULLNAME', 'cardFullName', personal(255)),
      required('CLIENTIDENT', 'client.id', id(255)),
      required('CLIENTEMAIL', 'client.email', emailA),
      required('CLIENTREFERRER', 'client.referrer', referrer),
      optional('CLIENTDOB (not sent)', 'client.birthDate', date),
      required('CLIENTUSERAGENT', 'client.userAgent', id(255)),
      required('CLIENTIP', 'client.ip', publicIpv4),
      optional('(supersedes)', 'supersedes', id(128)),
      optional('(notAfter)', 'notAfter', timestamp),
      optional('EXTRADATA (not in payment)', 'extraData', { accepted: [], refused: { unknown_field: ['x'] } }),
    ],
  },
];

/** Fault codes for rules that JSON Schema cannot express. */
export const BEYOND_SCHEMA: readonly FaultCode[] = ['card_data_forbidden', 'total_mismatch'];

/** Returns a copy of the message with one field set, or removed if `value` is undefined. */
export function withField(message: object, path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(message) as Record<string, unknown>;
  const steps = path.replace(/\[(\d+)\]/g, '.$1').split('.');
  const last = steps.pop() ?? '';
  const owner = steps.reduce<Record<string, unknown>>((at, step) => at[step] as Record<string, unknown>, copy);
  if (value === undefined) delete owner[last];
  else owner[last] = value;
  if (last === 'price' || last === 'quantity') keepTotal(owner);
  return copy;
}

function keepTotal(item: Record<string, unknown>): void {
  if (Number.isSafeInteger(item.price) && Number.isSafeInteger(item.quantity))
    item.totalAmount = Number(item.price) * Number(item.quantity);
  if (Number(item.totalAmount) < 0 || !Number.isSafeInteger(item.totalAmount)) item.totalAmount = 0;
}

/** Text of a value for a test's name: long texts by their length, without unprintable characters. */
export function shown(value: unknown): string {
  const json = typeof value === 'number' || value === undefined ? String(value) : JSON.stringify(value);
  return json.length <= 60
    ? json
    : `${json.slice(0, 20)}… (${typeof value === 'string' ? [...value].length : json.length} characters)`;
}
