import { breakingChanges, lastRelease, RELEASED, schemasIn } from './compatibility.mjs';

const released = schemasIn(`${RELEASED}/${lastRelease()}`);

/** The changes that a planted one brings, after `name` was changed by `change`. */
function planted(name, change) {
  const schema = structuredClone(released.get(name));
  change(schema);
  return breakingChanges(released, new Map([...released, [name, schema]])).map((found) => [
    found.at,
    found.breaks.split(':')[0],
  ]);
}

it('the contracts of today break nobody who was made for the last release', () => {
  expect(breakingChanges(released, schemasIn())).toEqual([]);
  expect(released.size).toBeGreaterThan(10);
});

it('a schema that is gone breaks everyone who uses it', () => {
  const without = new Map([...released].filter(([name]) => name !== 'capture'));
  expect(breakingChanges(released, without)).toEqual([
    { at: 'capture', change: 'the schema is gone', breaks: 'everyone who uses capture' },
  ]);
});

describe('commands', () => {
  const fields = (schema) => schema.properties;
  const B = 'partner-b-authorization';
  it.each([
    ['a removed field', 'capture', (it) => delete fields(it).transactionId, 'capture/properties/transactionId'],
    ['a new requirement', 'capture', (it) => it.required.push('amount'), 'capture/required'],
    [
      'a new required field',
      'capture',
      (it) => it.required.push((fields(it).reason = { type: 'string' }) && 'reason'),
      'capture/required',
    ],
    [
      'a shorter text',
      'capture',
      (it) => (fields(it).description.maxLength = 500),
      'capture/properties/description/maxLength',
    ],
    [
      'a longer least length',
      'capture',
      (it) => (fields(it).description.minLength = 2),
      'capture/properties/description/minLength',
    ],
    ['a narrower amount', 'capture', (it) => (it.$defs.Amount.maximum = 99), 'capture#/$defs/Amount/maximum'],
    [
      'a narrower amount of one field',
      'capture',
      (it) => (fields(it).amount = { type: 'integer', minimum: 5 }),
      'capture/properties/amount/minimum',
    ],
    [
      'a new pattern',
      'refund',
      (it) => (fields(it).transactionId.pattern = '^T'),
      'refund/properties/transactionId/pattern',
    ],
    ['a value less', B, (it) => fields(it).paymentOption.enum.pop(), `${B}/properties/paymentOption/enum`],
    ['another type', 'refund', (it) => (fields(it).extraData.type = 'number'), 'refund/properties/extraData/type'],
    [
      'a requirement in an item',
      B,
      (it) => (it.$defs.PartnerBCartItem.required = ['name']),
      `${B}#/$defs/PartnerBCartItem/required`,
    ],
    [
      'a pattern beside a reference',
      'capture',
      (it) => (fields(it).orderId.pattern = '^A'),
      'capture/properties/orderId/pattern',
    ],
    ['a field that may not be', 'capture', (it) => (fields(it).amount = false), 'capture/properties/amount'],
    ['a keyword that is new', B, (it) => (fields(it).cart.uniqueItems = true), `${B}/properties/cart/uniqueItems`],
    ['fewer items', B, (it) => (fields(it).cart.maxItems = 10), `${B}/properties/cart/maxItems`],
  ])('%s breaks their writers', (_what, name, change, at) => {
    expect(planted(name, change)).toContainEqual([at, `writers of ${name}`]);
  });

  it.each([
    ['a new optional field', (it) => (fields(it).note = { type: 'string' })],
    ['a requirement less', (it) => it.required.pop()],
    ['a longer text', (it) => (fields(it).description.maxLength = 600)],
    ['another description', (it) => (fields(it).description.description = 'Other.')],
  ])('%s breaks nobody', (_what, change) => expect(planted('capture', change)).toEqual([]));
});

describe('events', () => {
  const FIELDS = 'PaymentEventFields';
  const fields = (schema) => schema.$defs[FIELDS].properties;
  const SUCCEEDED = 'PaymentCaptureSucceeded';
  const old = 'readers of payment-event that were made for the release';
  const current = 'readers of this version';
  it.each([
    [
      'a removed field',
      (it) => delete fields(it).execCode,
      `#/$defs/${FIELDS}/properties/execCode`,
      'readers of payment-event that use it',
    ],
    [
      'a new type of value',
      (it) => (fields(it).message.type = ['string', 'null']),
      `#/$defs/${FIELDS}/properties/message/type`,
      old,
    ],
    ['a wider range', (it) => (fields(it).attempt.minimum = 0), `#/$defs/${FIELDS}/properties/attempt/minimum`, old],
    [
      'a narrower range',
      (it) => (fields(it).attempt.minimum = 2),
      `#/$defs/${FIELDS}/properties/attempt/minimum`,
      current,
    ],
    [
      'a field that may be absent now',
      (it) => it.$defs[SUCCEEDED].required.pop(),
      `#/$defs/${SUCCEEDED}/required`,
      old,
    ],
    [
      'a new requirement',
      (it) => it.$defs[SUCCEEDED].required.push('amount'),
      `#/$defs/${SUCCEEDED}/required`,
      current,
    ],
    [
      'a closed set',
      (it) => (fields(it).outcome.enum = ['succeeded']),
      `#/$defs/${FIELDS}/properties/outcome/enum`,
      current,
    ],
    [
      'an item of another type',
      (it) => (fields(it).flags.items.type = 'object'),
      `#/$defs/${FIELDS}/properties/flags/items/type`,
      old,
    ],
    [
      'a removed type',
      (it) => delete it.$defs[SUCCEEDED] && it.anyOf.splice(5, 1),
      `#/$defs/${SUCCEEDED}`,
      'readers of payment-event that use it',
    ],
    ['a removed way to check', (it) => delete it.$defs.Event, '#/$defs/Event', 'readers of payment-event that use it'],
    [
      'a redirect without a page',
      (it) => delete it.$defs['PaymentPayRedirectRequired'].oneOf,
      '#/$defs/PaymentPayRedirectRequired/oneOf',
      old,
    ],
  ])('%s breaks readers', (_what, change, at, who) => {
    expect(planted('payment-event', change)).toContainEqual([`payment-event${at}`, who]);
  });

  it.each([
    ['a new optional field', (it) => (fields(it).settledAt = { type: 'string' })],
    ['a new known value', (it) => fields(it).outcome['x-known-values'].push('settled')],
    [
      'a new event type',
      (it) =>
        (it.$defs['PaymentCaptureSettled'] = it.$defs[SUCCEEDED]) &&
        it.anyOf.push({ $ref: '#/$defs/PaymentCaptureSettled' }),
    ],
  ])('%s breaks nobody', (_what, change) => expect(planted('payment-event', change)).toEqual([]));
});
