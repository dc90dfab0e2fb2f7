import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EntriesFileError } from './entries-file.js';
import { loadMerchants, readMerchants } from './merchants.js';

const DEMO = join(__dirname, '../../../config/merchants.demo.json');
const shop = { merchant: 'shop', identifier: 'Shop', accountKey: 'K1' };
const API_KEY_ID = '00000000-0000-4000-8000-000000000001';
const noFiles = (): string => {
  throw Object.assign(new Error('no file'), { code: 'ENOENT' });
};
const faultsOf = (list: unknown, readKey = noFiles) => {
  const read = readMerchants(list, readKey);
  return 'faults' in read ? read.faults.map(({ path, code }) => `${path}: ${code}`) : [];
};

describe('config/merchants.demo.json', () => {
  const merchants = loadMerchants(DEMO);

  it('has a shop in each market, one with keys of its own for each purpose, one with an account of the token API', () => {
    expect(merchants.byName('shop-fr')).toMatchObject({ market: 'FR', currency: 'EUR', lookup: false });
    expect(merchants.byName('shop-es')).toMatchObject({ market: 'ES' });
    expect(merchants.byName('shop-auth')).toMatchObject({ authAccount: 'tranche-demo' });
    const { accountKey, notificationKey, redirectKey, apiKeys } = merchants.byName('shop-fr') ?? {};
    expect(new Set([accountKey, notificationKey, redirectKey, apiKeys?.[0]?.key]).size).toBe(4);
  });

  it('holds keys that nobody takes for real ones', () => {
    for (const { accountKey } of merchants.all) expect(accountKey).toMatch(/^demo-/);
  });

  it('sends notifications to the ingest of this machine', () => {
    for (const { merchant, notificationUrl, returnUrl } of merchants.all) {
      expect(notificationUrl).toBe('http://127.0.0.1:4020/notifications');
      expect(returnUrl).toBe(`http://127.0.0.1:4020/return/${merchant}`);
    }
  });
});

describe('a list', () => {
  it('needs three fields of a merchant; the rest has defaults [General.currency] [Transaction.IDENTIFIER]', () => {
    const read = readMerchants([shop], noFiles);
    const merchants = 'merchants' in read ? read.merchants : undefined;
    expect(merchants?.all).toEqual([{ ...shop, market: 'FR', currency: 'EUR', lookup: false }]);
    expect(merchants?.byName('shop')).toBe(merchants?.byIdentifier('Shop'));
    for (const name of ['other', '__proto__', 'constructor']) {
      expect(merchants?.byName(name)).toBeUndefined();
      expect(merchants?.byIdentifier(name)).toBeUndefined();
    }
  });

  it('takes API keys with and without a type; a Public one has no secret [Transaction.APIKEYID]', () => {
    const apiKeys = [
      { id: API_KEY_ID, key: 'K' },
      { id: 'p'.repeat(36), type: 'Public' },
      { id: 's'.repeat(36), type: 'Private', key: 'L' },
    ];
    const read = readMerchants([{ ...shop, apiKeys }], noFiles);
    expect('merchants' in read && read.merchants.all[0]?.apiKeys).toEqual(apiKeys);
  });

  it.each([
    ['no list', {}, [': type']],
    ['no merchant', [], [': length']],
    ['no object', ['shop'], ['[0]: type']],
    ['nothing in it', [{}], ['[0].identifier: required', '[0].accountKey: required', '[0].merchant: required']],
    ['a field misspelt', [{ ...shop, acountKey: 'x' }], ['[0].acountKey: unknown_field']],
    ['a name with capitals', [{ ...shop, merchant: 'Shop' }], ['[0].merchant: format']],
    ['an identifier too long', [{ ...shop, identifier: 'x'.repeat(33) }], ['[0].identifier: length']],
    ['an empty key', [{ ...shop, accountKey: '' }], ['[0].accountKey: length']],
    ['an unknown market', [{ ...shop, market: 'DE' }], ['[0].market: enum']],
    ['no currency code', [{ ...shop, currency: 'eur' }], ['[0].currency: format']],
    ['a further currency that is none', [{ ...shop, currencies: ['CHF', 'us'] }], ['[0].currencies: format']],
    ['a further currency of one account', [{ ...shop, currencies: ['EUR', 'CHF'] }], ['[0].currencies: format']],
    ['currencies that are no list', [{ ...shop, currencies: 'CHF' }], ['[0].currencies: type']],
    [
      'a return page without a sound address',
      [{ ...shop, returnPages: [{ name: 'App', url: 'javascript:alert(1)' }] }],
      ['[0].returnPages[0].url: format', '[0].returnPages[0].name: format'],
    ],
    [
      'two return pages of one name',
      [
        {
          ...shop,
          returnPages: [
            { name: 'app', url: 'https://a.example' },
            { name: 'app', url: 'https://b.example' },
          ],
        },
      ],
      ['[0].returnPages[1].name: duplicate'],
    ],
    [
      'URLs that are none',
      [{ ...shop, notificationUrl: 'x', returnUrl: 'ftp://a', pageUrl: 5 }],
      ['[0].notificationUrl: format', '[0].returnUrl: format', '[0].pageUrl: type'],
    ],
    [
      'a URL with a port that is none',
      [{ ...shop, returnUrl: 'http://shop.example:99999/x' }],
      ['[0].returnUrl: format'],
    ],
    ['an unknown profile', [{ ...shop, requirements: 'none' }], ['[0].requirements: enum']],
    ['an unknown scan', [{ ...shop, textScan: 'off' }], ['[0].textScan: enum']],
    ['a tolerance below nothing', [{ ...shop, totalTolerance: -1 }], ['[0].totalTolerance: range']],
    ['a threshold below nothing', [{ ...shop, approvalAboveMinor: -1 }], ['[0].approvalAboveMinor: range']],
    [
      "publishers' keys that are nobody's",
      [
        {
          ...shop,
          publisherKeys: [
            { kid: 'identity', publicKey: `AQ${'A'.repeat(41)}` },
            { kid: 'order-4', publicKey: 'A'.repeat(43) },
            { kid: 'beyond-the-field', publicKey: `${'_'.repeat(42)}8` },
            { kid: 'sound', publicKey: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
          ],
        },
      ],
      [0, 1, 2].map((n) => `[0].publisherKeys[${n}].publicKey: format`),
    ],
    ['lookup as a text', [{ ...shop, lookup: 'yes' }], ['[0].lookup: type']],
    ['an API key id too short', [{ ...shop, apiKeys: [{ id: 'short', key: 'K' }] }], ['[0].apiKeys[0].id: length']],
    ['an API key without a key', [{ ...shop, apiKeys: [{ id: API_KEY_ID }] }], ['[0].apiKeys[0].key: required']],
    [
      'a type of API key that is none',
      [{ ...shop, apiKeys: [{ id: API_KEY_ID, type: 'public', key: 'K' }] }],
      ['[0].apiKeys[0].type: enum'],
    ],
    [
      'a Private API key without a key',
      [{ ...shop, apiKeys: [{ id: API_KEY_ID, type: 'Private' }] }],
      ['[0].apiKeys[0].key: required'],
    ],
    [
      'a Public API key with a secret',
      [{ ...shop, apiKeys: [{ id: API_KEY_ID, type: 'Public', key: 'K' }] }],
      ['[0].apiKeys[0].key: unknown_field'],
    ],
    [
      'a previous key of another kind',
      [{ ...shop, previousKeys: { other: 'K' } }],
      ['[0].previousKeys.other: unknown_field'],
    ],
    ['two merchants alike', [shop, shop], ['[1].merchant: duplicate', '[1].identifier: duplicate']],
    [
      'an API key id in two merchants',
      [
        { ...shop, apiKeys: [{ id: API_KEY_ID, key: 'a' }] },
        { ...shop, merchant: 'b', identifier: 'B', apiKeys: [{ id: API_KEY_ID, key: 'b' }] },
      ],
      ['[1].apiKeys[0].id: duplicate'],
    ],
    ['a key beside its file', [{ ...shop, accountKeyFile: 'f' }], ['[0].accountKeyFile: duplicate']],
    [
      'a key file that is not there',
      [{ merchant: 'shop', identifier: 'Shop', accountKeyFile: 'f' }],
      ['[0].accountKeyFile: unreadable_file'],
    ],
  ])('is refused with %s', (_name, list, expected) => expect(faultsOf(list)).toEqual(expected));

  it('is refused with every fault at once', () => {
    expect(
      faultsOf([
        { ...shop, market: 'DE', x: 1 },
        { ...shop, lookup: 1 },
      ]),
    ).toEqual([
      '[0].x: unknown_field',
      '[0].market: enum',
      '[1].lookup: type',
      '[1].merchant: duplicate',
      '[1].identifier: duplicate',
    ]);
  });
});

describe('files', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tranche-merchants-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, content: unknown) => {
    const file = join(folder, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };

  it('give every key, relative to the list, without the newline at their end', () => {
    for (const name of ['account', 'notification', 'redirect', 'previous', 'api'])
      write(`${name}.key`, `${name} key\n`);
    const file = write('merchants.json', [
      {
        merchant: 'shop',
        identifier: 'Shop',
        accountKeyFile: 'account.key',
        notificationKeyFile: 'notification.key',
        redirectKeyFile: 'redirect.key',
        previousKeys: { accountFile: 'previous.key' },
        apiKeys: [{ id: API_KEY_ID, keyFile: 'api.key' }],
      },
    ]);
    expect(loadMerchants(file).byName('shop')).toMatchObject({
      accountKey: 'account key',
      notificationKey: 'notification key',
      redirectKey: 'redirect key',
      previousKeys: { account: 'previous key' },
      apiKeys: [{ id: API_KEY_ID, key: 'api key' }],
    });
  });

  it('that are missing or not JSON are named', () => {
    expect(() => loadMerchants(join(folder, 'none.json'))).toThrow(/none\.json: cannot be read \(ENOENT\)/);
    expect(() => loadMerchants(write('bad.json', '[{'))).toThrow(/bad\.json: is not JSON/);
  });

  it('with faults throw one error that names them all and no key', () => {
    const file = write('merchants.json', [{ merchant: 'Shop', identifier: '', accountKey: 'CANARY', redirectKey: 5 }]);
    let thrown: unknown;
    try {
      loadMerchants(file);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(EntriesFileError);
    expect((thrown as EntriesFileError).faults.map(({ path }) => path)).toEqual([
      '[0].identifier',
      '[0].redirectKey',
      '[0].merchant',
    ]);
    expect((thrown as Error).message).not.toContain('CANARY');
  });
});
