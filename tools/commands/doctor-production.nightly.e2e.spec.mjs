import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisServer } from '@tranche/testing';

const { PATH, HOME, KAFKA_BROKERS, REDIS_URL } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'tranche-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function doctor(env, ...more) {
  const args = ['tools/dev.mjs', 'doctor', '--production', '--json', ...more];
  const child = spawn(process.execPath, args, { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (data) => (text += data));
  const [status] = await once(child, 'close');
  const { checks, ok } = JSON.parse(text);
  return { status, ok, text, faults: Object.fromEntries(checks.map(({ name, fault }) => [name, fault])) };
}

function productionMerchants() {
  const file = join(folder, 'merchants.json');
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x;
  const signed = { publisherKeys: [{ kid: 'k1', publicKey }], requireSignatures: true };
  writeFileSync(
    file,
    JSON.stringify([{ merchant: 'shop', identifier: 'Shop', accountKey: 'a-key-of-its-own', ...signed }]),
  );
  return file;
}

it('names of every service what production mode refuses, without a value, and ends with 78', async () => {
  const env = { AUTH_SERVICE_KEY: 'demo-key', PAYMENT_URL: 'http://a.example', KAFKA_BROKERS: 'kafka.example:9092' };
  const { status, ok, faults, text } = await doctor(env);
  expect([status, ok]).toEqual([78, false]);
  expect(faults).toMatchObject({
    'payment-gateway TOPICS': expect.stringContaining('must be check'),
    'payment-gateway KAFKA_SSL': expect.stringContaining('must be true'),
    'payment-gateway PAYMENT_URL': expect.stringContaining('https://'),
    'payment-gateway AUTH_SERVICE_KEY': expect.stringContaining('of the demo'),
    'notification-ingest MERCHANTS_FILE': expect.stringContaining('belongs to the demo'),
    'auth-service AUTH_URL': expect.stringContaining('is not set'),
    'cse-token-service CSE_KEYS_URL': expect.stringContaining('is not set'),
  });
  expect(text).not.toContain('demo-key');
});

const INDEX_HMAC_KEYS = `one:${Buffer.alloc(32, 7).toString('base64')}`;
const good = { TOPICS: 'check', AUTH_SERVICE_KEY: 'a-key-of-its-own', ENVIRONMENT_ID: 'spec', INDEX_HMAC_KEYS };

it('asks the broker for the topics, and Redis for an answer', async () => {
  const prefix = `doctor-${randomUUID().slice(0, 8)}.`;
  const env = { ...good, MERCHANTS_FILE: productionMerchants(), KAFKA_BROKERS, REDIS_URL, KAFKA_TOPIC_PREFIX: prefix };
  const { status, faults } = await doctor(env, '--service', 'payment-gateway');
  expect(status).toBe(78);
  expect(faults).toMatchObject({ 'payment-gateway settings': undefined, 'payment-gateway Redis': undefined });
  expect(faults[`payment-gateway ${prefix}payments.journal.v1`]).toBe('does not exist');
});

it('connects to Redis as the service does: a password that is refused is a fault', async () => {
  const refused = Object.assign(new URL(REDIS_URL), { username: 'nobody', password: 'long-and-random' }).href;
  const env = { ...good, MERCHANTS_FILE: productionMerchants(), KAFKA_BROKERS: '127.0.0.1:1', REDIS_URL: refused };
  const { status, faults } = await doctor(env, '--service', 'payment-gateway');
  expect([status, faults['payment-gateway Redis']]).toEqual([78, expect.stringContaining('WRONGPASS')]);
});

it('asks whether the Redis of the index keeps it: one without an append-only file, or that evicts keys, is a fault', async () => {
  const redis = await RedisServer.start({ 'maxmemory-policy': 'allkeys-lru' });
  const env = { ...good, MERCHANTS_FILE: productionMerchants(), KAFKA_BROKERS: '127.0.0.1:1', REDIS_URL: redis.url };
  const { status, faults } = await doctor(env, '--service', 'payment-gateway');
  await redis.stop();
  expect(status).toBe(78);
  expect(faults['payment-gateway Redis']).toMatch(
    /evicts keys.+Set maxmemory-policy noeviction; it writes no.+Set appendonly yes/,
  );
});

it('finds an environment fit whose Kafka and Redis cannot be reached from here, and says so', async () => {
  const away = { KAFKA_BROKERS: '127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' };
  const env = { ...good, ...away, MERCHANTS_FILE: productionMerchants() };
  const { status, ok, faults } = await doctor(env, '--service', 'payment-gateway');
  expect([status, ok]).toEqual([0, true]);
  expect(faults['payment-gateway topics']).toMatch(/^not checked: .+ cannot be reached from here$/);
  expect(faults['payment-gateway Redis']).toMatch(/^not checked: /);
});
