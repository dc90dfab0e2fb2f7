import { aCardPayment, aPartnerAAuthorization, aPartnerBAuthorization, aPartnerBCartItem } from '@tranche/testing';
import type { MerchantRules } from '../merchants.js';
import { faultsOfRules as faultsOfRulesAt } from './merchant-rules.js';

const MADE = Date.parse('2027-03-01T10:00:00Z');
const faultsOfRules = (
  ...[rail, type, data, merchant]: Parameters<typeof faultsOfRulesAt> extends [...infer Four, number] ? Four : never
) => faultsOfRulesAt(rail, type, data, merchant, MADE);

const french: MerchantRules = {
  merchant: 'shop-fr',
  market: 'FR',
  currency: 'EUR',
  apiKeys: [{ id: 'known' }, { id: 'public', type: 'Public' }],
};
const spanish: MerchantRules = { ...french, market: 'ES' };
const codesOf = (faults: { path: string; code: string }[]) => faults.map(({ path, code }) => `${path} ${code}`);

describe('the currency of a merchant', () => {
  const swiss: MerchantRules = { ...french, currency: 'CHF' };
  it.each([
    ['none named', {}, french, []],
    ['its own', { currency: 'EUR' }, french, []],
    ['another', { currency: 'CHF' }, french, ['currency currency_not_of_merchant']],
    ['its own, not euro', { currency: 'CHF' }, swiss, []],
    ['euro, and it has another', { currency: 'EUR' }, swiss, ['currency currency_not_of_merchant']],
  ])('%s', (_what, fields, merchant, faults) => {
    for (const [rail, type, data] of [
      ['partner-a', 'payment.authorize', aPartnerAAuthorization(fields)],
      ['card', 'payment.pay', aCardPayment(fields)],
    ] as const)
      expect(codesOf(faultsOfRules(rail, type, data, merchant))).toEqual(faults);
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

describe('method B, 150 to 2000 EUR [Service.4.{range,options}]', () => {
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

  it('says nothing of other currencies [Authorization.rule-3] [Limits.order-amount]', () => {
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
    ['in two days, which may begin within 48 hours', { deliveryExpectedDelay: 2 }, []],
    ['in three days, which begin after 48 hours', { deliveryExpectedDelay: 3 }, refused],
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

  it.each(['partnerB-3x', 'partnerB-4x', 'partnerB-4xsansfrais'] as const)(
    'have no %s [Authorization.rule-4.option]',
    (paymentOption) => {
      const data = { ...withPhone('billing', 'mobilePhone', '+34612345678'), paymentOption };
      expect(codesOf(faultsOfRules('partner-b', 'payment.authorize', data, spanish))).toEqual([
        'paymentOption option_not_in_market',
      ]);
      expect(
        faultsOfRules('partner-b', 'payment.authorize', aPartnerBAuthorization({ paymentOption }), french),
      ).toEqual([]);
    },
  );
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
