import { commandIdTimeMs, decodeCloudEvent, readMerchantRules, validateCommandData } from '@tranche/contracts';
import { aCapture, aPartnerAAuthorization, aPartnerBAuthorization } from '@tranche/testing';
import { commandMessage, newCommandId, railOf, type PublishOptions } from './commands.js';
import { InvalidCommandError } from './errors.js';

const now = new Date('2028-01-31T10:00:00.000Z');
const message = (data: unknown, options: Partial<PublishOptions> = {}) =>
  commandMessage('payment.capture', 'partner-b', data, { id: 'c1', ...options }, { source: '/shop', now });
const faultsOf = (make: () => unknown) => {
  try {
    make();
  } catch (error) {
    return (error as InvalidCommandError).faults.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
};

it('is a CloudEvent that the gateway reads back as it was meant', () => {
  const { encoded, key, topic } = message(aCapture({ orderId: 'a/b' }), { correlationId: 'basket' });
  const { event } = decodeCloudEvent(encoded);
  expect(event).toEqual({
    id: 'c1',
    source: '/shop',
    type: 'payment.capture',
    time: '2028-01-31T10:00:00.000Z',
    subject: 'shop-fr/a/b',
    correlationid: 'basket',
    datacontenttype: 'application/json',
    data: aCapture({ orderId: 'a/b' }),
  });
  expect(validateCommandData('partner-b', 'payment.capture', event!.data).faults).toEqual([]);
  expect([key, topic]).toEqual(['shop-fr/a/b', 'payments.commands.partner-b.v1']);
});

it.each([
  ['1 character', 'x', []],
  ['128 characters', '😀'.repeat(128), []],
  ['129 characters', 'x'.repeat(129), ['id malformed_envelope']],
  ['none', '', ['id malformed_envelope']],
  ['a line break', 'a\nb', ['id malformed_envelope']],
  ['half a character', 'a\ud800', ['id malformed_envelope']],
  ['a number', 7 as never, ['id malformed_envelope']],
  ['nothing', undefined as never, ['id required']],
])('an id of %s', (_what, id, faults) => expect(faultsOf(() => message(aCapture(), { id }))).toEqual(faults));

it.each([
  ['a date', new Date('2028-02-29T00:00:00Z'), []],
  ['a text', '2028-02-29T00:00:00Z', []],
  ['no date', new Date('never'), ['time malformed_envelope']],
  ['another text', 'tomorrow', ['time malformed_envelope']],
])('a time that is %s', (_what, time, faults) => expect(faultsOf(() => message(aCapture(), { time }))).toEqual(faults));

it('refuses a text with a character that nobody sees before it is published', () => {
  expect(faultsOf(() => message(aCapture({ description: 'a\0b' })))).toEqual(['description format']);
  expect(faultsOf(() => message(aCapture({ description: ' ' })))).toEqual(['description length']);
});

it('has the same content hash for the same content, and only for that', () => {
  const { merchant, orderId, description } = aCapture();
  const hash = (data: object, options = {}) => message(data, options).contentHash;
  const same = hash({ merchant, orderId, description });
  expect(hash({ description, orderId, merchant }, { id: 'c2', time: new Date(0), correlationId: 'x' })).toBe(same);
  expect(hash({ merchant, orderId, description, amount: undefined })).toBe(same);
  expect(hash({ merchant, orderId, description, amount: 1 })).not.toBe(same);
});

it('sends only what it has checked', () => {
  const sly = Object.assign(aCapture(), { toJSON: () => ({ cardCode: '4970105181854329' }) });
  expect(faultsOf(() => message(sly))).toEqual(['toJSON unknown_field']);
});

describe('with the entry of its merchant', () => {
  const API_KEY = 'p'.repeat(36);
  const merchants = readMerchantRules([
    {
      merchant: 'shop-fr',
      identifier: 'left out of the check',
      returnPages: [{ name: 'app', url: 'https://app.example' }],
      apiKeys: [{ id: API_KEY, type: 'Public' }],
    },
    { merchant: 'shop-es', market: 'ES' },
  ]);
  const order = aPartnerBAuthorization();
  const cart = order.cart.map((item) => ({ ...item, deliverySpeed: 'express', deliveryExpectedDelay: 3 }));
  const faults = (data: object, entries = merchants) =>
    faultsOf(() =>
      commandMessage(
        'payment.authorize',
        'partner-b',
        data,
        { id: 'c1' },
        { source: '/shop', now, merchants: entries },
      ),
    );

  it.each([
    ['149.99 EUR', { amount: 14_999 }, 'amount amount_out_of_range'],
    ['2000.01 EUR', { amount: 200_001 }, 'amount amount_out_of_range'],
    [
      'an option of another market',
      { merchant: 'shop-es', paymentOption: 'partnerB-4x' },
      'paymentOption option_not_in_market',
    ],
    ['an express delivery in three days', { cart }, 'cart[0].deliverySpeed not_express'],
    ['an API key that is not its own', { apiKeyId: 'x'.repeat(36) }, 'apiKeyId unknown_api_key'],
    ['an API key for pages', { apiKeyId: API_KEY }, 'apiKeyId public_api_key'],
    ['another currency', { currency: 'CHF' }, 'currency currency_not_of_merchant'],
    ['another return page', { returnPage: 'desk' }, 'returnPage return_page_unknown'],
    ['no room for the return page', { returnPage: 'app', extraData: 'x'.repeat(230) }, 'extraData length'],
  ])('refuses %s before anything is published', (_what, fields, code) => {
    expect(faults({ ...order, ...fields })).toContain(code);
    expect(faults({ ...order, ...fields }, [])).toEqual([]);
  });

  it.each(['basket|tr1.AAAAAAAAAAAA.1', 'rp1.app'])(
    'refuses EXTRADATA that ends like ours, with no entry too: %s [Transaction.EXTRADATA]',
    (extraData) => {
      for (const entries of [merchants, []])
        expect(faults({ ...order, extraData }, entries)).toEqual(['extraData format']);
    },
  );

  it('takes what the entry allows [Cart.TOTALAMOUNT]', () => {
    const three = order.cart.map((item) => ({ ...item, price: 333, quantity: 3, totalAmount: 1000 }));
    const tolerant = readMerchantRules([{ merchant: 'shop-fr', totalTolerance: 1, textScan: 'mask-in-logs' }]);
    const unusual = { ...order, cart: three, description: 'order 4970101234567893' };
    expect(faults(unusual)).toEqual(['cart[0].totalAmount total_mismatch', 'description card_data_forbidden']);
    expect(faults(unusual, tolerant)).toEqual([]);
    const less = order.cart.map((item) => ({ ...item, price: 333, quantity: 3, totalAmount: 997 }));
    expect(faults({ ...order, cart: less }, tolerant)).toEqual(['cart[0].totalAmount total_mismatch']);
  });

  it('names every fault of an entry', () => {
    expect(() => readMerchantRules([{ merchant: 'Shop', market: 'DE' }])).toThrow(/\[0\]\.merchant.*\[0\]\.market/);
  });
});

it('finds the rail by the payment option', () => {
  expect(railOf(aPartnerAAuthorization())).toBe('partner-a');
  expect(railOf(aPartnerBAuthorization())).toBe('partner-b');
  expect(
    faultsOf(() => commandMessage('payment.authorize', railOf({}), {}, { id: 'c' }, { source: '/shop', now })),
  ).toContain('paymentOption required');
  expect(railOf(null)).toBe('partner-a');
});

it('makes ids that are never the same', () =>
  expect(new Set(Array.from({ length: 1000 }, newCommandId)).size).toBe(1000));

it('makes ids that carry the time at which they were made', () => {
  const beforeMs = Date.now();
  const timeMs = commandIdTimeMs(newCommandId())!;
  expect(timeMs).toBeGreaterThanOrEqual(beforeMs);
  expect(timeMs).toBeLessThanOrEqual(Date.now());
});

it('lists the first faults in the message and says how many there are', () => {
  const faults = Array.from({ length: 12 }, (_, n) => ({
    path: `cart[${n}].price`,
    code: 'range' as const,
    message: 'is too low',
  }));
  const { message: text } = new InvalidCommandError('payment.authorize', faults);
  expect(text).toMatch(/^payment\.authorize was not published: cart\[0\]\.price is too low \(range\); .*; and 2 more$/);
});
