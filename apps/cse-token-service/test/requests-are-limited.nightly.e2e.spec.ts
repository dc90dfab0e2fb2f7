import { failOver, startRedisPair, waitFor } from '@tranche/testing';
import { ORIGIN } from './cse-token-service.js';
import { startKeyProvider, type KeyProvider } from './key-provider.js';
import { ownWorld, redisDump, startCse, type RunningCse } from './running.js';

const LIMIT = 5;
const PROXY = '127.0.0.1';
const OTHER_ORIGIN = 'http://localhost:8080';
const PER_ADDRESS = { REQUESTS_PER_MINUTE_PER_ADDRESS: String(LIMIT), TRUSTED_PROXIES: PROXY };
const from = (address: string) => ({ 'x-forwarded-for': address });

describe('more requests than may be', () => {
  let provider: KeyProvider;
  const running: RunningCse[] = [];
  beforeAll(async () => {
    provider = await startKeyProvider();
  });
  afterAll(() => provider.close());
  afterEach(async () => {
    for (const cse of running.splice(0)) await cse.stop();
  });
  const start = async (env: Record<string, string>) => {
    const cse = await startCse(provider.url, { CSE_ORIGINS: `${ORIGIN},${OTHER_ORIGIN}`, ...env });
    running.push(cse);
    return cse;
  };
  const statuses = async (count: number, ask: () => Promise<{ status: number }>) => {
    const all: number[] = [];
    for (let n = 0; n < count; n++) all.push((await ask()).status);
    return all;
  };
  const withinThenNot = [...Array.from({ length: LIMIT }, () => 200), 429, 429];

  it('of an address get 429 with Retry-After, readable for the page; other addresses their key', async () => {
    const cse = await start({ ...ownWorld(), ...PER_ADDRESS });
    expect(await statuses(LIMIT + 2, () => cse.ask(undefined, from('203.0.113.1')))).toEqual(withinThenNot);
    const refused = await cse.ask(undefined, from('203.0.113.1'));
    expect(refused.body).toMatchObject({ code: 'too_many_requests', status: 429 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(refused.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect((await cse.ask(undefined, from('203.0.113.2'))).status).toBe(200);
    expect(await cse.metric('cse_requests_refused_total{code="too_many_requests"')).toBe(3);
  });

  it('of an address count whatever they are: preflights, refusals, other paths and origins', async () => {
    const cse = await start({ ...ownWorld(), REQUESTS_PER_MINUTE_PER_ADDRESS: String(LIMIT) });
    const requests: [string, RequestInit][] = [
      ['/v1/cse-keys', { method: 'OPTIONS', headers: { origin: ORIGIN } }],
      ['/v1/cse-keys', { method: 'POST', headers: { origin: 'https://evil.example' } }],
      ['/elsewhere', { headers: { origin: ORIGIN } }],
      ['/v1/cse-keys', { method: 'POST', headers: { origin: ORIGIN }, body: '{' }],
      ['/v1/cse-keys', {}],
    ];
    for (const [path, init] of requests) expect((await fetch(cse.app.url + path, init)).status).not.toBe(429);
    for (const [path, init] of requests) expect((await fetch(cse.app.url + path, init)).status).toBe(429);
  });

  it('of an address are told apart only by a proxy that is ours', async () => {
    const cse = await start({ ...ownWorld(), REQUESTS_PER_MINUTE_PER_ADDRESS: String(LIMIT) });
    let n = 0;
    expect(await statuses(LIMIT + 2, () => cse.ask(undefined, from(`203.0.113.${n++}`)))).toEqual(withinThenNot);
  });

  it('of the pages of an origin get 429, and none of another origin', async () => {
    const cse = await start({ ...ownWorld(), REQUESTS_PER_MINUTE_PER_ORIGIN: String(LIMIT), TRUSTED_PROXIES: PROXY });
    let n = 0;
    expect(await statuses(LIMIT + 2, () => cse.ask(undefined, from(`203.0.113.${n++}`)))).toEqual(withinThenNot);
    expect((await cse.ask(undefined, { origin: OTHER_ORIGIN })).status).toBe(200);
  });

  it('of an address beyond its limit cost its origin nothing', async () => {
    const cse = await start({ ...ownWorld(), ...PER_ADDRESS, REQUESTS_PER_MINUTE_PER_ORIGIN: String(2 * LIMIT) });
    await statuses(10 * LIMIT, () => cse.ask(undefined, from('203.0.113.1')));
    expect((await cse.ask(undefined, from('203.0.113.2'))).status).toBe(200);
  });

  it('of an address at all instances together get 429 everywhere', async () => {
    const world = ownWorld();
    const many = 100;
    const env = { ...world, TRUSTED_PROXIES: PROXY, REQUESTS_PER_MINUTE_PER_ADDRESS: String(many) };
    const [one, other] = [await start(env), await start(env)];
    const ask = (cse: RunningCse) => cse.ask(undefined, from('203.0.113.1'));
    expect(new Set(await statuses(many, () => ask(one)))).toEqual(new Set([200]));
    await waitFor(async () => Object.keys(await redisDump(world)).some((name) => name.includes('203.0.113.1')), {
      what: 'the count in Redis',
    });
    await waitFor(async () => (await ask(other)).status === 429, {
      what: 'the limit at the other instance',
      pollMs: 200,
    });
    expect(await other.metric('cse_keys_served_total')).toBeLessThan(many / 2);
  });

  it('are counted at the new Redis after the old one, behind a name, failed over and closed no connection; the service is ready all the time', async () => {
    const pair = await startRedisPair();
    try {
      const cse = await start({ ...ownWorld(), TRUSTED_PROXIES: PROXY, REDIS_URL: pair.name.url });
      const isConnected = (is: 0 | 1) =>
        waitFor(async () => (await cse.metric('tranche_redis_connected')) === is, {
          timeoutMs: 60_000,
          what: `tranche_redis_connected ${is}`,
        });
      await isConnected(1);
      await failOver(pair);
      await isConnected(0);
      expect((await fetch(`${cse.app.managementUrl}/health/ready`)).status).toBe(200);
      expect((await cse.ask(undefined, from('203.0.113.8'))).status).toBe(200);
      pair.name.leadTo(pair.replica.url);
      await isConnected(1);
      expect((await cse.ask(undefined, from('203.0.113.9'))).status).toBe(200);
      await waitFor(async () => (await pair.replica.ask<string[]>(['KEYS', '*203.0.113.9'])).length === 1, {
        what: 'the count in the new Redis',
      });
    } finally {
      await pair.stop();
    }
  });

  it('are limited by each instance itself while Redis is away, which it says', async () => {
    const cse = await start({ ...ownWorld(), ...PER_ADDRESS, REDIS_URL: 'redis://127.0.0.1:1' });
    expect((await fetch(`${cse.app.managementUrl}/health/ready`)).status).toBe(200);
    expect(await statuses(LIMIT + 2, () => cse.ask(undefined, from('203.0.113.1')))).toEqual(withinThenNot);
    await waitFor(() => cse.app.logs.some((line) => line.includes('this instance limits by what it sees itself')));
  });
});
