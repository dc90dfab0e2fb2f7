import { generateKeyPairSync } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, infrastructure, ownPrefix, startApp, waitFor, type RunningApp } from '@tranche/testing';

const running: { stop(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((part) => part.stop()));
});

async function started(env: Record<string, string>, readyPath?: string): Promise<RunningApp> {
  const app = await startApp('payment-gateway', { AUTH_SERVICE_KEY: 'not-used', ...env }, { readyPath });
  running.push(app);
  return app;
}
const readiness = async (app: RunningApp) => (await fetch(`${app.managementUrl}/health/ready`)).status;
const hasSaid = (app: RunningApp, text: RegExp) => app.logs.some((line) => text.test(line));

/** Forwards connections to a server, once it is opened. */
async function forwarder(port: number, to: URL): Promise<Server> {
  const server = createServer((socket) => {
    const upstream = connect(Number(to.port || 6379), to.hostname);
    socket.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => socket.destroy()).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  running.push({ stop: () => new Promise((resolve) => server.close(resolve)) });
  return server;
}

/** Merchants that production mode accepts: with keys of their own, and with signing publishers. */
async function productionMerchants(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tranche-spec-'));
  running.push({ stop: () => rm(folder, { recursive: true }) });
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x;
  const merchant = { merchant: 'shop', identifier: 'Shop', accountKey: 'a-key-of-its-own' };
  const signed = { ...merchant, publisherKeys: [{ kid: 'k1', publicKey }], requireSignatures: true };
  await writeFile(join(folder, 'merchants.json'), JSON.stringify([signed]));
  return join(folder, 'merchants.json');
}

it('demands its service key when a merchant has an authAccount', async () => {
  const app = await started({ AUTH_SERVICE_KEY: '' });
  expect(await app.exited).toBe(78);
  expect(app.logs.join('\n')).toContain('AUTH_SERVICE_KEY: ');
});

it('refuses to start without its topics, and says which', async () => {
  const { brokers, redisUrl } = infrastructure();
  const prefix = ownPrefix();
  const app = await started({
    KAFKA_BROKERS: brokers,
    REDIS_URL: redisUrl,
    KAFKA_TOPIC_PREFIX: prefix,
    MERCHANTS_FILE: await productionMerchants(),
    TOPICS: 'check',
    ENVIRONMENT_ID: 'spec',
    INDEX_HMAC_KEYS: `one:${Buffer.alloc(32).toString('base64')}`,
  });
  expect(await app.exited).toBe(1);
  expect(app.logs.join('\n')).toContain(`${prefix}payments.journal.v1 does not exist`);
});

it('says that Kafka is absent, tries again and is not ready', async () => {
  const [port] = await freePorts();
  const app = await started({ KAFKA_BROKERS: `127.0.0.1:${port}`, REDIS_URL: infrastructure().redisUrl });
  const attempts = () => app.logs.filter((line) => line.includes('Kafka does not answer at')).length;
  await waitFor(() => attempts() > 1, { what: 'the second attempt', timeoutMs: 30_000 });
  expect(await readiness(app)).toBe(503);
  expect(await app.stop()).toBe(0);
});

it('says that Redis is absent, is not ready, and starts when it comes', async () => {
  const { brokers, redisUrl } = infrastructure();
  const [port] = await freePorts();
  const app = await started({
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: ownPrefix(),
    REDIS_URL: `redis://127.0.0.1:${port}`,
  });
  await waitFor(() => hasSaid(app, /Redis at 127\.0\.0\.1:\d+ cannot be reached/), {
    what: 'word of Redis',
    timeoutMs: 20_000,
  });
  await waitFor(() => hasSaid(app, /Redis cannot be reached: .*Trying again/), {
    what: 'a further attempt',
    timeoutMs: 20_000,
  });
  expect(await readiness(app)).toBe(503);
  await forwarder(port, new URL(redisUrl));
  await waitFor(async () => (await readiness(app)) === 200, { what: 'readiness', timeoutMs: 30_000 });
  expect(await app.stop()).toBe(0);
});
