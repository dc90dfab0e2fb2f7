import { readMerchants, type Merchants } from '@tranche/contracts';
import { merchantsInProduction, unsignedMerchants } from './merchants-in-production.js';

const own = { merchant: 'shop', identifier: 'Shop', accountKey: 'a-key-of-its-own' };
const publisherKeys = [{ kid: 'k1', publicKey: 'A'.repeat(43) }];

function merchantsOf(...list: object[]): Merchants {
  const read = readMerchants(list, () => '');
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return read.merchants;
}

it.each([
  ['keys of its own', {}, []],
  ['https and this machine', { returnUrl: 'https://shop.example/r', pageUrl: 'http://127.0.0.1/p' }, []],
  [
    'http',
    { notificationUrl: 'http://shop.example/n', returnUrl: 'http://shop.example/r' },
    ['notificationUrl, returnUrl of shop must start with https://'],
  ],
  [
    'keys of the demo',
    { accountKey: 'demo-a', previousKeys: { account: 'demo-b' }, apiKeys: [{ id: 'x'.repeat(36), key: 'demo-c' }] },
    ['accountKey, previousKeys.account, apiKeys[0] of shop belongs to the demo. Use keys of your own account'],
  ],
])('a merchant with %s', (_what, entry, faults) =>
  expect(merchantsInProduction(merchantsOf({ ...own, ...entry }))).toEqual(faults),
);

it('every merchant has somebody who signs, and takes no command without', () => {
  const merchants = merchantsOf(
    { ...own, publisherKeys, requireSignatures: true },
    { ...own, merchant: 'lax', identifier: 'Lax', publisherKeys },
    { ...own, merchant: 'open', identifier: 'Open', requireSignatures: true },
  );
  expect(unsignedMerchants(merchants)).toEqual([
    'requireSignatures of lax must be true',
    'publisherKeys of open must name who signs',
  ]);
});
