import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infrastructure, ownPrefix, startApp, waitFor } from '@tranche/testing';

it('refuses in production what only a demo may do, everything at once, and exits 78', async () => {
  const env = {
    TOPICS: 'check',
    // The demo's files: publicly known keys, and merchants without a publisher who signs.
    MERCHANTS_FILE: 'config/merchants.demo.json',
    OPERATORS_FILE: 'config/operators.demo.json',
    AUTH_SERVICE_KEY: 'demo-payment-gateway-key-not-a-real-one',
    PAYMENT_URL: 'http://platform.example',
    KAFKA_BROKERS: 'kafka.example:9092',
    REDIS_URL: 'rediss://redis.example:6379',
  };
  const app = await startApp('payment-gateway', env, { readyPath: undefined });
  expect(await app.exited).toBe(78);
  const said = app.logs.join('\n');
  expect(said).toContain('settings are wrong:');
  for (const fault of [
    'MERCHANTS_FILE: accountKey, notificationKey, redirectKey, previousKeys.notification, apiKeys[0] of shop-fr belongs to the demo',
    'MERCHANTS_FILE: publisherKeys[0] of shop-fr is the published test key',
    'MERCHANTS_FILE: requireSignatures of shop-fr must be true',
    'MERCHANTS_FILE: publisherKeys of shop-es must name who signs',
    ...['olga', 'demo', 'vera'].map((who) => `OPERATORS_FILE: key of ${who} is one of the demo`),
    'AUTH_SERVICE_KEY: is one of the demo',
    'PAYMENT_URL: must start with https://',
    'KAFKA_SSL: must be true',
    'REDIS_URL: has no password',
  ])
    expect(said).toContain(fault);
  expect(said).not.toContain('demo-');
});

describe('a merchant with short keys, a return page over http, and the published test key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-production-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const vectors = JSON.parse(readFileSync('libs/contracts/vectors/command-signatures.json', 'utf8')) as {
    key: { x: string };
  };
  const shop = {
    ...{ merchant: 'shop', identifier: 'Shop', accountKey: 'short-account', notificationKey: 'short-notice' },
    returnPages: [{ name: 'app', url: 'http://shop.example/app' }],
    ...{ publisherKeys: [{ kid: 'k1', publicKey: vectors.key.x }], requireSignatures: true },
  };
  const MERCHANTS_FILE = join(folder, 'merchants.json');
  writeFileSync(MERCHANTS_FILE, JSON.stringify([shop]));

  it('is refused in production, together with the missing ENVIRONMENT_ID', async () => {
    const app = await startApp('payment-gateway', { TOPICS: 'check', MERCHANTS_FILE }, { readyPath: undefined });
    expect(await app.exited).toBe(78);
    const said = app.logs.join('\n');
    for (const fault of [
      'MERCHANTS_FILE: accountKey, notificationKey of shop must have 16 characters or more',
      'MERCHANTS_FILE: returnPages[0].url of shop must start with https://',
      'MERCHANTS_FILE: publisherKeys[0] of shop is the published test key',
      'ENVIRONMENT_ID: must be set in production',
    ])
      expect(said).toContain(fault);
    expect(said).not.toMatch(/short-account|short-notice/);
  });

  it.each(['payment-gateway', 'notification-ingest'] as const)(
    'starts elsewhere, and %s warns of the keys',
    async (name) => {
      const { brokers, redisUrl } = infrastructure();
      const env = { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl, KAFKA_TOPIC_PREFIX: ownPrefix() };
      const app = await startApp(name, { MERCHANTS_FILE, AUTH_SERVICE_KEY: 'not-used', ...env });
      const hasWarned = () => app.logs.some((line) => line.includes('so short that they can be found by trying'));
      await waitFor(hasWarned, { what: 'the warning' }).finally(() => app.stop());
      expect(app.logs.join('\n')).not.toMatch(/short-account|short-notice/);
    },
  );
});
