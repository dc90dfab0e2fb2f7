import type { Merchant } from '@tranche/contracts';
import {
  aCapture,
  aCardPayment,
  aPartnerAAuthorization,
  aPartnerBAuthorization,
  aPartnerBCartItem,
  aVoid,
} from '@tranche/testing';
import type { PlatformOperation } from './operation.js';
import { faultsOfAge, faultsOfOrder, faultsOfRules as faultsOfRulesAt } from './payment-rules.js';

const MADE = Date.parse('2027-03-01T10:00:00Z');
const faultsOfRules = (
  ...[rail, type, data, merchant]: Parameters<typeof faultsOfRulesAt> extends [...infer Four, number] ? Four : never
) => faultsOfRulesAt(rail, type, data, merchant, MADE);

const french: Merchant = {
  merchant: 'shop-fr',
  identifier: 'SHOP',
  accountKey: 'k',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
  apiKeys: [
    { id: 'known', key: 'k2' },
    { id: 'public', type: 'Public' },
  ],
};
const spanish: Merchant = { ...french, market: 'ES' };
const codesOf = (faults: { path: string; code: string }[]) => faults.map(({ path, code }) => `${path} ${code}`);

describe('currencies of a merchant', () => {
  const several: Merchant = { ...french, currencies: ['CHF'] };
  it.each([
    ['none named', {}, french, []],
    ['its own', { currency: 'EUR' }, french, []],
    ['another', { currency: 'CHF' }, french, ['currency currency_not_of_merchant']],
    ['one of several', { currency: 'CHF' }, several, []],
    ['none of several', { currency: 'USD' }, several, ['currency currency_not_of_merchant']],
  ])('%s', (_what, fields, merchant, faults) => {
    for (const [rail, type, data] of [
      ['partner-a', 'payment.authorize', aPartnerAAuthorization(fields)],
      ['card', 'payment.pay', aCardPayment(fields)],
    ] as const)
      expect(codesOf(faultsOfRules(rail, type, data, merchant))).toEqual(faults);
  });

  it('the limits of method B are those of the currency that the command names', () => {
    const data = aPartnerBAuthorization({ amount: 100, currency: 'CHF' });
    expect(faultsOfRules('partner-b', 'payment.authorize', data, several)).toEqual([]);
    expect(codesOf(faultsOfRules('partner-b', 'payment.authorize', { ...data, currency: 'EUR' }, several))).toEqual([
      'amount amount_out_of_range',
    ]);
  });
});

describe('return pages of a merchant', () => {
  const returnPages = [{ name: 'app', url: 'https://app.example/paid' }];
  it.each([
    ['one that it allows', 'app', undefined, { ...french, returnPages }, []],
    ['another', 'desk', undefined, { ...french, returnPages }, ['returnPage return_page_unknown']],
    ['any where it has none', 'app', undefined, french, ['returnPage return_page_unknown']],
    ['one for which EXTRADATA has no room', 'app', 'x'.repeat(230), { ...french, returnPages }, ['extraData length']],
  ])('%s', (_what, returnPage, extraData, merchant, faults) => {
    const data = { ...aPartnerAAuthorization({ returnPage }), ...(extraData && { extraData }) };
    expect(codesOf(faultsOfRules('partner-a', 'payment.authorize', data, merchant))).toEqual(faults);
  });
});

describe('method B, 150 to 2000 EUR', () => {
  it.each([
    [14_999, ['amount amount_out_of_range']],
    [15_000, []],
    [200_000, []],
    [200_001, ['amount amount_out_of_range']],
  ])('%i cents', (amount, faults) => {
    expect(
      codesOf(faultsOfRules('partner-b', 'payment.authorize', aPartnerBAuthorization({ amount }), french)),
    ).toEqual(faults);
  });

  it('says nothing of other currencies', () => {
    expect(
      faultsOfRules('partner-b', 'payment.authorize', aPartnerBAuthorization({ amount: 100 }), {
        ...french,
        currency: 'CHF',
      }),
    ).toEqual([]);
  });

  it('does not hold for method A', () => {
    expect(faultsOfRules('partner-a', 'payment.authorize', aPartnerAAuthorization({ amount: 100 }), french)).toEqual(
      [],
    );
  });
});

describe('express is for deliveries under 48 hours', () => {
  const order = (item: object) =>
    aPartnerBAuthorization({ cart: [aPartnerBCartItem(), { ...aPartnerBCartItem(), ...item }] });
  const codes = (item: object, timeMs = MADE) =>
    codesOf(
      faultsOfRulesAt('partner-b', 'payment.authorize', order({ deliverySpeed: 'express', ...item }), french, timeMs),
    );
  const absent = { deliveryExpectedDate: undefined, deliveryExpectedDelay: undefined };
  const refused = ['cart[1].deliverySpeed not_express'];

  it.each([
    ['in a day', { deliveryExpectedDelay: 1 }, []],
    ['in two days', { deliveryExpectedDelay: 2 }, refused],
    ['on the next day but one, which somewhere begins in 34 hours', { deliveryExpectedDate: '2027-03-03' }, []],
    ['a day later, which begins nowhere within 48 hours', { deliveryExpectedDate: '2027-03-04' }, refused],
    ['in a day, on a date that is later', { deliveryExpectedDelay: 1, deliveryExpectedDate: '2027-03-11' }, refused],
    ['on a day that does not exist', { deliveryExpectedDate: '2027-02-30' }, []],
    ['without a word of when', {}, []],
    ['standard, in three days', { deliverySpeed: 'standard', deliveryExpectedDelay: 3 }, []],
  ])('%s', (_when, item, faults) => expect(codes({ ...absent, ...item })).toEqual(faults));

  it('says nothing of a date where the command has no time', () => {
    expect(codes({ ...absent, deliveryExpectedDate: '2030-01-01' }, Number.NaN)).toEqual([]);
  });

  it('looks only at what it can read', () => {
    for (const cart of [null, 'x', [null, 'x', {}]])
      expect(faultsOfRules('partner-b', 'payment.authorize', { ...order({}), cart }, french)).toEqual([]);
  });
});

describe('Spanish-market accounts', () => {
  const spanishOrder = aPartnerBAuthorization({ paymentOption: 'partnerB-3xsansfrais' });
  const withPhone = (address: 'billing' | 'shipping', field: 'phone' | 'mobilePhone', value: string) => ({
    ...spanishOrder,
    billing: { ...spanishOrder.billing, phone: undefined, mobilePhone: '+34612345678' },
    shipping: { ...spanishOrder.shipping, phone: undefined, mobilePhone: '+34712345678' },
    [address]: { ...spanishOrder[address], phone: undefined, mobilePhone: undefined, [field]: value },
  });
  it.each([
    ['phone', '+34812345678', true],
    ['phone', '+34912345678', true],
    ['phone', '+34712345678', false],
    ['phone', '+3481234567', false],
    ['phone', '+348123456789', false],
    ['phone', '+33812345678', false],
    ['mobilePhone', '+34612345678', true],
    ['mobilePhone', '+34712345678', true],
    ['mobilePhone', '+34812345678', false],
    ['mobilePhone', '+3461234567', false],
    ['mobilePhone', '34612345678', false],
  ] as const)('%s %s', (field, value, isAccepted) => {
    for (const address of ['billing', 'shipping'] as const) {
      const faults = faultsOfRules('partner-b', 'payment.authorize', withPhone(address, field, value), spanish);
      expect(codesOf(faults)).toEqual(isAccepted ? [] : [`${address}.${field} phone_not_in_market`]);
    }
  });

  it.each(['partnerB-3x', 'partnerB-4x', 'partnerB-4xsansfrais'] as const)('have no %s', (paymentOption) => {
    const data = { ...withPhone('billing', 'mobilePhone', '+34612345678'), paymentOption };
    expect(codesOf(faultsOfRules('partner-b', 'payment.authorize', data, spanish))).toEqual([
      'paymentOption option_not_in_market',
    ]);
    expect(faultsOfRules('partner-b', 'payment.authorize', aPartnerBAuthorization({ paymentOption }), french)).toEqual(
      [],
    );
  });
});

describe('an API key id', () => {
  it.each([
    ['known', []],
    ['public', ['apiKeyId public_api_key']],
    ['stranger', ['apiKeyId unknown_api_key']],
  ])('%s', (apiKeyId, faults) => {
    expect(codesOf(faultsOfRules('partner-a', 'payment.authorize', { apiKeyId }, french))).toEqual(faults);
  });
});

it.each([undefined, null, 7, 'text', [], { billing: null, amount: 'x' }])(
  'reads nothing out of %p and does not throw',
  (data) => {
    expect(() => faultsOfRules('partner-b', 'payment.authorize', data, spanish)).not.toThrow();
  },
);

describe('age', () => {
  const TIME = Date.parse('2026-03-01T10:00:00.000Z');
  const days = (count: number) => count * 86_400_000;
  const capture = (notAfter?: string) =>
    ({
      operation: 'capture',
      timeMs: TIME,
      data: aCapture({ ...(notAfter ? { notAfter } : {}) }),
    }) as PlatformOperation & {
      timeMs: number;
    };
  const payment = (tokenizedAt?: string) =>
    ({
      operation: 'pay',
      timeMs: TIME,
      data: aCardPayment({ ...(tokenizedAt ? { tokenizedAt } : {}) }),
    }) as PlatformOperation & {
      timeMs: number;
    };
  const minutes = (count: number) => count * 60_000;
  it.each([
    ['a command at 7 days', capture(), days(7), []],
    ['a command after 7 days', capture(), days(7) + 1, ['ce_time command_too_old']],
    ['at notAfter', capture('2026-03-01T11:00:00Z'), minutes(60), []],
    ['after notAfter', capture('2026-03-01T11:00:00Z'), minutes(60) + 1, ['notAfter not_after_passed']],
    ['HFTOKEN at 15 minutes', payment('2026-03-01T10:00:00Z'), minutes(15), []],
    ['HFTOKEN after 15 minutes', payment('2026-03-01T10:00:00Z'), minutes(15) + 1, ['hfToken hftoken_expired']],
    ['HFTOKEN by the command’s own time', payment(), minutes(15) + 1, ['hfToken hftoken_expired']],
    [
      'a command that Kafka took 7 days ago',
      { ...capture(), appendedMs: TIME - 1 },
      days(7),
      ['ce_time command_too_old'],
    ],
    [
      'HFTOKEN of a command that Kafka took before its own time',
      { ...payment(), appendedMs: TIME - 1 },
      minutes(15),
      ['hfToken hftoken_expired'],
    ],
    [
      'HFTOKEN said to be made after Kafka took it',
      { ...payment('2026-03-01T12:00:00Z'), appendedMs: TIME },
      minutes(15) + 1,
      ['hfToken hftoken_expired'],
    ],
    ['HFTOKEN made before the command', payment('2026-03-01T09:50:00Z'), minutes(5) + 1, ['hfToken hftoken_expired']],
  ])('%s', (_what, command, afterMs, faults) => {
    expect(codesOf(faultsOfAge(command, TIME + afterMs))).toEqual(faults);
  });
});

describe('what the order must show', () => {
  const voiding = { operation: 'void', data: aVoid() } as PlatformOperation & { timeMs: number };
  it.each([
    ['void, method A', voiding, 'A', 'T1', []],
    ['void, method B', voiding, 'B', 'T1', [' void_not_offered']],
    ['void of nothing', voiding, 'A', undefined, ['transactionId transaction_unknown']],
    [
      'capture of nothing',
      { operation: 'capture', data: aCapture() } as PlatformOperation & { timeMs: number },
      'B',
      undefined,
      ['transactionId transaction_unknown'],
    ],
    [
      'an authorization',
      { operation: 'authorize', data: aPartnerAAuthorization() } as PlatformOperation & { timeMs: number },
      'A',
      undefined,
      [],
    ],
  ] as const)('%s', (_what, command, method, transactionId, faults) => {
    expect(codesOf(faultsOfOrder(command, method, transactionId))).toEqual(faults);
  });
});
