import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMerchants, type Merchants } from '@tranche/contracts';
import { merchantsInProduction, shortKeysOfMerchants, unsignedMerchants } from './merchants-in-production.js';

const own = { merchant: 'shop', identifier: 'Shop', accountKey: 'a-key-of-its-own' };
const publisherKeys = [{ kid: 'k1', publicKey: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }];
const vectors = JSON.parse(
  readFileSync(join(__dirname, '../../../contracts/vectors/command-signatures.json'), 'utf8'),
) as { key: { x: string } };

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
    'a return page over http',
    {
      returnPages: [
        { name: 'a', url: 'https://shop.example/a' },
        { name: 'b', url: 'http://shop.example/b' },
        { name: 'c', url: 'http://localhost/c' },
      ],
    },
    ['returnPages[1].url of shop must start with https://'],
  ],
  [
    'the test key that is published with the vectors',
    { publisherKeys: [...publisherKeys, { kid: 'k2', publicKey: vectors.key.x }] },
    ['publisherKeys[1] of shop is the published test key, with which anybody can sign. Use a key of your own'],
  ],
  [
    'short keys',
    {
      accountKey: 'k'.repeat(15),
      notificationKey: 'k'.repeat(16),
      redirectKey: 'é'.repeat(15),
      previousKeys: { account: 'short', notification: 'k'.repeat(16) },
      apiKeys: [
        { id: 'x'.repeat(36), type: 'Public' },
        { id: 'y'.repeat(36), key: 'short' },
      ],
    },
    [
      'accountKey, redirectKey, previousKeys.account, apiKeys[1] of shop must have 16 characters or more. Ask the platform for a longer key',
    ],
  ],
  [
    'keys of the demo',
    {
      accountKey: 'demo-a-of-16-char',
      previousKeys: { account: 'demo-b-of-16-char' },
      apiKeys: [{ id: 'x'.repeat(36), key: 'demo-c-of-16-char' }],
    },
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

it('short keys are reported separately, for a warning', () => {
  expect(
    shortKeysOfMerchants(merchantsOf({ ...own, redirectKey: 'short', returnUrl: 'http://shop.example/' })),
  ).toEqual(['redirectKey of shop must have 16 characters or more. Ask the platform for a longer key']);
});
