import type { Merchant } from '@tranche/contracts';
import { platformHash } from '@tranche/platform';
import { pageOf } from './return-page.js';
import { returnOf, unverifiedReturn } from './return-redirect.js';

const merchant: Merchant = {
  merchant: 'shop-fr',
  identifier: 'Shop FR',
  accountKey: 'account',
  notificationKey: 'notification',
  redirectKey: 'redirect',
  previousKeys: { account: 'account-before', redirect: 'redirect-before' },
  market: 'FR',
  currency: 'EUR',
  pageUrl: 'https://shop.example/thanks?lang=fr&orderId=x#top',
  lookup: false,
};
const signed = (fields: Record<string, string>, key = 'redirect') => {
  const all = { IDENTIFIER: 'Shop FR', ORDERID: 'o/1 &é', EXECCODE: '0000', ...fields };
  return Object.entries({ ...all, HASH: platformHash(key, Object.entries(all)) });
};

it.each([
  ['0000', 'success'],
  ['0004', 'success'],
  ['0001', 'pending'],
  ['0002', 'pending'],
  ['0003', 'pending'],
  ['4001', 'refused'],
  ['4999', 'refused'],
  ['5004', 'unknown'],
  ['5001', 'unknown'],
  ['', 'unknown'],
])('EXECCODE %s is the hint %s', (EXECCODE, hint) => expect(returnOf(merchant, signed({ EXECCODE }))?.hint).toBe(hint));

it("leads to the merchant's page with order and hint, and nothing else that came [Service.5.redirect-url]", () => {
  const { location } = returnOf(merchant, signed({ AMOUNT: '1', RETURN: 'https://evil.example' })) ?? {};
  expect(location).toBe('https://shop.example/thanks?lang=fr&orderId=o%2F1+%26%C3%A9&hint=success#top');
});

it.each([
  ['the page that the authorization named', 'basket=42|rp1.app|tr1.AAAAAAAAAAAA.1', 'https://app.example/paid'],
  ['its own page, with a name that it has no more', 'rp1.desk|tr1.AAAAAAAAAAAA.1', 'https://shop.example/thanks'],
  ['its own page, with an address in place of a name', 'rp1.https://evil.example', 'https://shop.example/thanks'],
])('leads to %s', (_what, EXTRADATA, page) => {
  const shop = {
    ...{ ...merchant, pageUrl: 'https://shop.example/thanks' },
    returnPages: [{ name: 'app', url: 'https://app.example/paid' }],
  };
  expect(returnOf(shop, signed({ EXTRADATA, ORDERID: '7' }))?.location).toBe(`${page}?orderId=7&hint=success`);
});

it('leaves out orderId if ORDERID is missing', () => {
  expect(returnOf(merchant, signed({ ORDERID: '' }))?.location).toBe(
    'https://shop.example/thanks?lang=fr&hint=success#top',
  );
});

it("leads a browser whose redirect is not signed to the merchant's own page, with a hint that says nothing", () => {
  const location = 'https://shop.example/thanks?lang=fr&hint=unknown#top';
  expect(unverifiedReturn(merchant)).toEqual({ hint: 'unknown', location });
  expect(unverifiedReturn({ ...merchant, pageUrl: undefined })).toEqual({ hint: 'unknown' });
});

it('has no location if no page is configured', () => {
  expect(returnOf({ ...merchant, pageUrl: undefined }, signed({}))).toEqual({ hint: 'success' });
});

it('is signed with the key of redirects or the one before it', () => {
  expect(returnOf(merchant, signed({}, 'redirect-before'))).toBeDefined();
  for (const key of ['account', 'account-before', 'notification', 'x'])
    expect(returnOf(merchant, signed({}, key))).toBeUndefined();
});

it('is signed with the key of the account, or the one before it, where redirects have none', () => {
  const plain = { ...merchant, redirectKey: undefined };
  for (const key of ['account', 'account-before', 'redirect-before'])
    expect(returnOf(plain, signed({}, key))).toBeDefined();
  for (const key of ['redirect', 'notification']) expect(returnOf(plain, signed({}, key))).toBeUndefined();
});

it("is refused with another merchant's IDENTIFIER, when changed, and when it cannot be read", () => {
  expect(returnOf(merchant, signed({ IDENTIFIER: 'Shop ES' }))).toBeUndefined();
  expect(returnOf(merchant, [...signed({}), ['MORE', '']])).toBeUndefined();
  expect(returnOf(merchant, { unreadable: 'x' })).toBeUndefined();
});

it.each([
  ['thanks', 'FR', 'fr', 'Merci'],
  ['unverified', 'ES', 'es', 'Este enlace'],
  ['unknown', undefined, 'en', 'There is nothing here'],
] as const)('the page %s of market %s is in %s', (page, market, language, text) => {
  const html = pageOf(page, market);
  expect(html).toContain(`<html lang="${language}">`);
  expect(html).toContain(`<h1>${text}`);
});
