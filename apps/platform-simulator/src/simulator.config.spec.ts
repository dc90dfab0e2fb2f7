import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, SETTINGS, SettingsError } from './simulator.config.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'simulator-config-'));
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  write('merchants.json', [{ merchant: 'shop', identifier: 'Shop', accountKey: 'k' }]);
  write('secret.txt', 'from-a-file\n');
  write('accounts.json', {
    accounts: [
      {
        account: 'a',
        grant: 'client_credentials',
        clientId: 'id',
        clientSecretFile: 'secret.txt',
        scope: '/realms/demo',
      },
      { account: 'b', grant: 'password', clientId: 'unused', username: 'jane', password: 'p' },
    ],
    callers: [],
  });
  write('bad-accounts.json', {
    accounts: [
      { account: 'a', grant: 'client_credentials', clientSecretFile: 'nowhere' },
      { account: 'b', grant: 'magic' },
      7,
    ],
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

const settingsOf = (env: Record<string, string> = {}) =>
  readSettings({ MERCHANTS_FILE: join(folder, 'merchants.json'), ...env });
const faultsOf = (env: Record<string, string>) => {
  try {
    settingsOf(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
};

it('has a default for everything but its own address', () => {
  expect(settingsOf()).toMatchObject({
    port: 4010,
    publicUrl: undefined,
    accounts: [expect.objectContaining({ account: 'tranche-demo', realm: '/realms/demo' })],
    latencyMs: [0, 0],
    notificationRetryMs: [500, 2000, 10_000, 60_000, 300_000],
    notificationMode: 'get',
    tokenLifetimeSeconds: 43_200,
    codesByAmount: true,
    requiresSelectedBrand: false,
  });
  expect(SETTINGS.find(({ name }) => name === 'MERCHANTS_FILE')?.default).toBe('config/merchants.demo.json');
});

it.each([
  [{ LATENCY_MS: '100-500' }, { latencyMs: [100, 500] }],
  [{ LATENCY_MS: '250' }, { latencyMs: [250, 250] }],
  [{ PORT: '0' }, { port: 0 }],
  [{ PUBLIC_URL: 'https://pay.example/' }, { publicUrl: 'https://pay.example' }],
  [{ NOTIFICATION_RETRY_MS: '5, 10' }, { notificationRetryMs: [5, 10] }],
  [{ CODES_BY_AMOUNT: 'false' }, { codesByAmount: false }],
  [{ REQUIRE_SELECTED_BRAND: 'true' }, { requiresSelectedBrand: true }],
])('reads %j', (env, expected) => {
  expect(settingsOf(env)).toMatchObject(expected);
});

it('reads the accounts, a secret also from a file beside the list', () => {
  expect(settingsOf({ ACCOUNTS_FILE: join(folder, 'accounts.json') }).accounts).toEqual([
    { account: 'a', grant: 'client_credentials', clientId: 'id', clientSecret: 'from-a-file', realm: '/realms/demo' },
    { account: 'b', grant: 'password', username: 'jane', password: 'p', realm: '/platform/b' },
  ]);
});

it('names every fault at once', () => {
  const faults = faultsOf({
    PORT: '65536',
    LOG_LEVEL: 'loud',
    LATENCY_MS: '500-100',
    NOTIFICATION_RETRY_MS: '1;2',
    NOTIFICATION_MODE: 'pigeon',
    PUBLIC_URL: 'ftp://x',
    CODES_BY_AMOUNT: 'maybe',
    REQUIRE_SELECTED_BRAND: 'maybe',
    MERCHANTS_FILE: join(folder, 'nowhere.json'),
    ACCOUNTS_FILE: join(folder, 'bad-accounts.json'),
  }).join('\n');
  for (const name of [
    'PORT',
    'LOG_LEVEL',
    'LATENCY_MS',
    'NOTIFICATION_RETRY_MS',
    'NOTIFICATION_MODE',
    'PUBLIC_URL',
    'CODES_BY_AMOUNT',
    'REQUIRE_SELECTED_BRAND',
    'MERCHANTS_FILE',
  ]) {
    expect(faults).toContain(name);
  }
  for (const where of [
    'accounts[0].clientId',
    'accounts[0].clientSecretFile',
    'accounts[1].grant',
    'accounts[2] must be an object',
  ]) {
    expect(faults).toContain(where);
  }
});

it('docs/reference/settings.md tells every setting and its default', () => {
  const settings = readFileSync(join(__dirname, '../../../docs/reference/settings.md'), 'utf8');
  for (const { name, default: value } of SETTINGS)
    expect(settings).toMatch(new RegExp(`\\| \`${name}\` +\\| ${value === undefined ? '' : `\`${value}\``}`));
});
