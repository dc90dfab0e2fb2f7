import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import {
  AccessTokenRecord,
  check,
  EVENT_REQUIREMENTS,
  EVENT_TYPES,
  EncryptionKeyRecord,
  EncryptionKeyRequest,
  isWellFormed,
  SCHEMA_SOURCES,
  TokenizerRecord,
  TokenizerRequest,
  validateCommandData,
  validateEventData,
  validateNotificationData,
} from '../src/index.js';
import { aCommand, aCapture, aNotification } from '@tranche/testing';
import { BEYOND_SCHEMA, LIMITS, shown, withField } from './limits.js';

const folder = join(__dirname, '../schemas');
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
const isDay = (day: string) =>
  !Number.isNaN(Date.parse(`${day}T00:00:00Z`)) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
ajv.addFormat('date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text));
ajv.addFormat('date-time', (text) => isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)));
const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as object;
const schema = (name: string): ValidateFunction => ajv.getSchema(`${name}.json`) ?? ajv.compile(read(name));

it('commits a schema for every message, and no other', () => {
  expect(readdirSync(folder).sort()).toEqual(SCHEMA_SOURCES.map(({ name }) => `${name}.json`).sort());
});

/** Schema and class must agree: otherwise a caller who checked against the schema would still be refused. */
describe.each(LIMITS)('schema of $message', ({ schema: name, valid, limits }) => {
  it('accepts the valid message', () => expect(schema(name)(valid())).toBe(true));

  it.each(limits)('agrees with the class on $field ($ours)', ({ ours, isRequired, accepted, refused }) => {
    const verdict = (value: unknown) => [shown(value), schema(name)(withField(valid(), ours, value))];
    expect(accepted.map(verdict)).toEqual(accepted.map((value) => [shown(value), true]));
    const sayable = Object.entries(refused)
      .filter(([code]) => !(BEYOND_SCHEMA as readonly string[]).includes(code))
      .flatMap(([, values]) => values ?? [])
      .filter((value) => typeof value !== 'string' || isWellFormed(value));
    expect(sayable.map(verdict)).toEqual(sayable.map((value) => [shown(value), false]));
    expect(verdict(undefined)[1]).toBe(isRequired !== true);
  });

  it('refuses an unknown field', () => expect(schema(name)({ ...valid(), extra: 1 })).toBe(false));
});

it.each(['partner-a-authorization', 'partner-b-authorization'])(
  '%s leaves it to the merchant’s profile whether an address has a phone',
  (name) => {
    const table = LIMITS.find((one) => one.schema === name);
    for (const address of ['billing', 'shipping']) {
      const none = withField(
        withField(table?.valid() ?? {}, `${address}.phone`, undefined),
        `${address}.mobilePhone`,
        undefined,
      );
      expect(schema(name)(none)).toBe(true);
      expect(
        validateCommandData(table?.rail ?? 'card', 'payment.authorize', none, { requirements: 'all' }).faults,
      ).toEqual([
        { path: `${address}.phone`, code: 'required', message: 'is required' },
        { path: `${address}.mobilePhone`, code: 'required', message: 'is required' },
      ]);
    }
  },
);

describe('result events', () => {
  const everything = {
    merchant: 'shop-fr',
    orderId: 'order-1',
    commandId: 'c1',
    operation: 'authorize',
    attempt: 1,
    origin: 'answer',
    outcome: 'succeeded',
    faults: [{ path: 'amount', code: 'range', message: 'must be an integer of at least 1' }],
  };

  it.each(EVENT_TYPES)('%s: schema and class ask for the same fields', (type) => {
    const validate = ajv.compile({ $ref: `payment-event.json#/definitions/${type}` });
    expect(validateEventData(type, everything).faults).toEqual([]);
    expect(validate(everything)).toBe(true);
    for (const field of EVENT_REQUIREMENTS[type]) {
      const without = { ...everything, [field]: undefined };
      expect(validateEventData(type, without).faults).toMatchObject([{ path: field, code: 'required' }]);
      expect(validate(JSON.parse(JSON.stringify(without)))).toBe(false);
    }
  });

  beforeAll(() => schema('payment-event'));
});

it('notifications: schema and class take the builder’s', () => {
  expect(schema('payment-notification')(aNotification())).toBe(true);
  expect(validateNotificationData(JSON.parse(JSON.stringify(aNotification()))).faults).toEqual([]);
});

it.each([
  ['access-token-record', AccessTokenRecord, { access_token: 'a.b.c', expires_in: 43200, token_type: 'Bearer' }],
  ['encryption-key-record', EncryptionKeyRecord, { encryptionKeyId: 'k1', encryptionPublicKey: 'TUlJQg==' }],
  [
    'tokenizer-record',
    TokenizerRecord,
    {
      EXECCODE: '0000',
      MESSAGE: 'ok',
      HFTOKEN: 't',
      CARDVALIDITYDATE: '12-30',
      CARDCODE: '4111XXXXXXXX1111',
      BINBRANDS: [{ BRAND: 'visa', SERVICETYPE: null }],
      CARDTYPE: 'visa',
      SELECTEDBRAND: 'visa',
      BINTYPE: 'debit',
      BINNETWORK: 'visa',
    },
  ],
  ['encryption-key-request', EncryptionKeyRequest, { apiKeyId: '00000000-0000-4000-8000-000000000001' }],
  [
    'tokenizer-request',
    TokenizerRequest,
    { ENCRYPTEDDATA: 'TUlJQg==', ENCRYPTIONKEYID: 'k1', APIKEYID: '00000000-0000-4000-8000-000000000001' },
  ],
])('%s: schema and class agree', (name, type, record) => {
  expect(schema(name)(record)).toBe(true);
  expect(check(type as new () => object, record, 'ignored').faults).toEqual([]);
  for (const field of Object.keys(record)) {
    const broken = { ...record, [field]: { not: 'this' } };
    expect(schema(name)(broken)).toBe(false);
    expect(check(type as new () => object, broken, 'ignored').faults).not.toEqual([]);
  }
});

it('the command builder makes an envelope whose data is the message', () => {
  expect(aCommand('payment.capture', aCapture())).toMatchObject({
    type: 'payment.capture',
    subject: 'shop-fr/order-1',
    data: aCapture(),
  });
});
