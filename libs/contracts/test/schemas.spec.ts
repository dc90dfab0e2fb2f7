import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import {
  AccessTokenRecord,
  check,
  docOf,
  EVENT_ALTERNATIVES,
  EVENT_REQUIREMENTS,
  EVENT_TYPES,
  EncryptionKeyRecord,
  EncryptionKeyRequest,
  eventDefinition,
  exampleOf,
  fieldsOf,
  isWellFormed,
  MESSAGES,
  railOfTopic,
  schemaId,
  SCHEMA_SOURCES,
  TokenizerRecord,
  TokenizerRequest,
  TOPICS,
  validateCommandData,
  validateEventData,
  validateNotificationData,
} from '../src/index.js';
import { aCommand, aCapture, aNotification } from '@tranche/testing';
import type { MessageClass } from '../src/validation/doc.js';
import { allSchemas } from './all-schemas.js';
import { BEYOND_SCHEMA, LIMITS, shown, withField } from './limits.js';

const folder = join(__dirname, '../schemas');
const ajv = allSchemas();
const ids = new Map(SCHEMA_SOURCES.map((source) => [source.name, schemaId(source)]));
const schema = (name: string, definition = ''): ValidateFunction => {
  const found = ajv.getSchema(`${ids.get(name)}${definition && `#/$defs/${definition}`}`);
  if (found === undefined) throw new Error(`no schema ${name} ${definition}`);
  return found;
};

it('commits a schema for every message, and no other [Ours.schemas]', () => {
  expect(
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort(),
  ).toEqual(SCHEMA_SOURCES.map(({ name }) => `${name}.json`).sort());
});

/** Schema and class must agree: otherwise a caller who checked against the schema would still be refused. */
describe.each(LIMITS)('schema of $message', ({ schema: name, valid, limits }) => {
  it('accepts the valid message', () => expect(schema(name)(valid())).toBe(true));

  it.each(limits)(
    'agrees with the class on $field ($ours) [General.requiredness]',
    ({ ours, isRequired, accepted, refused }) => {
      const verdict = (value: unknown) => [shown(value), schema(name)(withField(valid(), ours, value))];
      expect(accepted.map(verdict)).toEqual(accepted.map((value) => [shown(value), true]));
      const sayable = Object.entries(refused)
        .filter(([code]) => !(BEYOND_SCHEMA as readonly string[]).includes(code))
        .flatMap(([, values]) => values ?? [])
        .filter((value) => typeof value !== 'string' || isWellFormed(value));
      expect(sayable.map(verdict)).toEqual(sayable.map((value) => [shown(value), false]));
      expect(verdict(undefined)[1]).toBe(isRequired !== true);
    },
  );

  it('refuses an unknown field [Ours.unknown-fields]', () =>
    expect(schema(name)({ ...valid(), extra: 1 })).toBe(false));
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
    flags: ['other_amount'],
    settlement: 'kept',
    redirectHtml: 'PGh0bWw+',
  };

  it.each(EVENT_TYPES)('%s: schema and class ask for the same fields', (type) => {
    const validate = schema('payment-event', eventDefinition(type));
    expect(validateEventData(type, everything).faults).toEqual([]);
    expect(validate(everything)).toBe(true);
    for (const field of EVENT_REQUIREMENTS[type]) {
      const without = { ...everything, [field]: undefined };
      expect(validateEventData(type, without).faults).toMatchObject([{ path: field, code: 'required' }]);
      expect(validate(JSON.parse(JSON.stringify(without)))).toBe(false);
    }
  });

  it.each(Object.entries(EVENT_ALTERNATIVES))('%s has a page, or says that there is none', (type, [page, none]) => {
    const { [page]: html, ...without } = everything;
    const verdict = (data: object) => [
      validateEventData(type, data).faults.length === 0,
      schema('payment-event', eventDefinition(type))(data),
    ];
    expect(verdict({ ...without, [page]: html })).toEqual([true, true]);
    expect(verdict({ ...without, [none]: true })).toEqual([true, true]);
    expect(verdict({ ...without, [none]: false })).toEqual([false, false]);
    expect(verdict(without)).toEqual([false, false]);
  });

  it('the root takes the data of every type, and refuses what no type allows', () => {
    for (const { source, example } of MESSAGES)
      if (source.name === 'payment-event') expect(schema('payment-event')(example)).toBe(true);
    expect(schema('payment-event')({ merchant: 'shop-fr', orderId: 'order-1' })).toBe(false);
    expect(schema('payment-event')({ merchant: '', orderId: '', faults: 'none' })).toBe(false);
  });

  it('an event with its type must have the fields of the type; a type of a later version passes, for readers to skip', () => {
    const validate = schema('payment-event', 'Event');
    const data = { merchant: 'shop-fr', orderId: 'order-1' };
    expect(validate({ type: 'payment.capture.succeeded', data: everything })).toBe(true);
    expect(validate({ type: 'payment.capture.succeeded', data })).toBe(false);
    expect(validate({ type: 'payment.capture.settled', data: { ...data, settledAt: 1 } })).toBe(true);
    expect(validate({ type: 'payment.capture.settled', data: { merchant: 'shop-fr' } })).toBe(false);
  });
});

describe('documentation', () => {
  const classes = [...new Set(SCHEMA_SOURCES.flatMap(({ type }) => [type, ...nestedIn(type)]))];
  const properties = classes.flatMap((type) => fieldsOf(type).map((field) => ({ type, ...field })));

  it('every message class and every field has a description that is a sentence', () => {
    const said = [
      ...classes.map((type) => [type.name, docOf(type)?.description]),
      ...properties.map(({ type, name }) => [`${type.name}.${name}`, docOf(type, name)?.description]),
    ];
    expect(said.filter(([, text = '']) => !/^[A-Za-z].{10,}\.$/.test(text))).toEqual([]);
    expect(properties.length).toBeGreaterThan(150);
  });

  it('every field has an example that its schema accepts', () => {
    for (const name of ids.keys())
      for (const [path, { examples, ...rule }, root] of propertiesOf(name)) {
        if (rule.$ref !== undefined && examples === undefined) continue;
        if (rule.items?.$ref !== undefined) continue;
        expect({ path, count: examples?.length }).not.toEqual({ path, count: undefined });
        const validate = ajv.compile({ ...rule, $ref: rule.$ref && `${root}${rule.$ref}`, $id: `urn:test:${path}` });
        for (const example of examples ?? [])
          expect({ path, example, isValid: validate(example) }).toEqual({ path, example, isValid: true });
      }
  });

  it.each(SCHEMA_SOURCES)('$name: the example is valid for the schema and for the class', ({ name, type, unknown }) => {
    if (name === 'payment-event') return expect(fieldsOf(type).length).toBeGreaterThan(30);
    expect({ name, isValid: schema(name)(exampleOf(type)), errors: schema(name).errors }).toMatchObject({
      isValid: true,
    });
    expect(check(type, exampleOf(type), unknown, { requirements: 'all' }).faults).toEqual([]);
  });

  it.each(MESSAGES)(
    '$topic $type: the example is valid for the schema and for the reader',
    ({ topic, type, source, definition, example }) => {
      expect([schema(source.name, definition)(example), schema(source.name, definition).errors]).toEqual([true, null]);
      const rail = railOfTopic(TOPICS[topic].name);
      if (rail) expect(validateCommandData(rail, type, example, { requirements: 'all' }).faults).toEqual([]);
      else if (topic === 'events') expect(validateEventData(type, example).faults).toEqual([]);
      else expect(check(source.type, example, source.unknown).faults).toEqual([]);
    },
  );
});

interface Rule {
  $ref?: string;
  items?: Rule;
  examples?: unknown[];
  allOf?: Rule[];
  properties?: Record<string, Rule>;
  $defs?: Record<string, Rule>;
  $id?: string;
}

/** All properties with a rule of their own; those of an event type only narrow a field that has one. */
function propertiesOf(name: string): [path: string, rule: Rule, root: string][] {
  const {
    $id: root = '',
    $defs = {},
    properties,
  } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Rule;
  return Object.entries<Rule>({ ...$defs, '': { properties: properties ?? {} } })
    .filter(([definition, { allOf }]) => allOf === undefined && definition !== 'Event')
    .flatMap(([definition, { properties: inside = {} }]) =>
      Object.entries(inside).map(([field, rule]): [string, Rule, string] => [
        `${name}:${definition}:${field}`,
        rule,
        root,
      ]),
    );
}

function nestedIn(type: MessageClass): MessageClass[] {
  return fieldsOf(type).flatMap(({ nested }) => (nested ? [nested, ...nestedIn(nested)] : []));
}

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
