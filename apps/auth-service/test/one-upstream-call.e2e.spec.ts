import { randomUUID } from 'node:crypto';
import { infrastructure, waitFor } from '@tranche/testing';
import { createClient } from 'redis';
import { CLIENT_SECRET, startAuthService, type AuthServiceUnderTest } from './auth-service.js';
import { metricOf, PATIENT_MS } from './replicas.js';
import { answerJson, startTokenApi, type TokenApi } from './token-api.js';

const { redisUrl } = infrastructure();

describe('however many ask, the token API is asked once', () => {
  const redis = createClient({ url: redisUrl });
  let api: TokenApi;
  let prefix: string;
  let services: AuthServiceUnderTest[];

  beforeAll(() => redis.connect());
  afterAll(() => redis.close());
  beforeEach(() => {
    prefix = `test:${randomUUID()}:`;
    services = [];
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.stop()));
    const left = await entries();
    if (left.length > 0) await redis.del(left.map(({ key }) => key));
    await api.close();
    const log = JSON.stringify(services.flatMap(({ lines }) => lines));
    for (const secret of [CLIENT_SECRET, ...api.tokens]) expect(log).not.toContain(secret);
  });

  async function start(env: Record<string, string> = {}): Promise<AuthServiceUnderTest> {
    const ours = { AUTH_URL: api.url, REDIS_URL: redisUrl, REDIS_KEY_PREFIX: prefix, REDIS_ANSWER_MS: PATIENT_MS };
    const service = await startAuthService({ ...ours, ...env });
    services.push(service);
    await waitFor(async () => (await fetch(`${service.managementUrl}/health/ready`)).ok, {
      what: 'auth-service to be ready',
    });
    return service;
  }

  async function entries(): Promise<{ key: string; value: string; ttlMs: number }[]> {
    const keys: string[] = [];
    for await (const batch of redis.scanIterator({ MATCH: `${prefix}*` })) keys.push(...batch);
    return Promise.all(
      keys.map(async (key) => ({ key, value: (await redis.get(key)) ?? '', ttlMs: await redis.pTTL(key) })),
    );
  }

  it('by 200 callers of one instance', async () => {
    api = await startTokenApi({ delayMs: 50 });
    const service = await start();
    const tokens = await Promise.all(Array.from({ length: 200 }, () => service.token()));
    expect(new Set(tokens.map(({ accessToken }) => accessToken))).toEqual(new Set(api.tokens));
    await service.token();
    expect(api.requests).toHaveLength(1);
  });

  it('by 200 callers of each of three instances', async () => {
    api = await startTokenApi({ delayMs: 200 });
    const three = await Promise.all([start(), start(), start()]);
    const tokens = await Promise.all(three.flatMap((service) => Array.from({ length: 200 }, () => service.token())));
    expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(new Set(tokens.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(api.requests).toHaveLength(1);
  });

  it('by an instance that starts later, which promises no more life than is left', async () => {
    api = await startTokenApi({ expiresIn: 1_000 });
    const first = await (await start()).token();
    const [entry] = await entries();
    await redis.pExpire(entry?.key ?? '', 500_000);
    const second = await (await start()).token();
    expect(second.accessToken).toBe(first.accessToken);
    // The remaining lifetime exceeds the entry's time to live by the final seconds in which a token is not cached.
    expect(second.expiresInSeconds).toBeLessThanOrEqual(510);
    expect(second.expiresInSeconds).toBeGreaterThan((await redis.pTTL(entry?.key ?? '')) / 1_000);
    expect(api.requests).toHaveLength(1);
  });

  it('keeps only ciphertext in Redis, under names that tell nothing, for as long as the token may be handed out', async () => {
    api = await startTokenApi({ expiresIn: 1_000 });
    const service = await start();
    const askedAtMs = performance.now();
    await Promise.all([service.token('shop'), service.token('second')]);
    const stored = await entries();
    const passedMs = performance.now() - askedAtMs;
    expect(stored).toHaveLength(2);
    for (const { key, value, ttlMs } of stored) {
      expect(key).toMatch(new RegExp(`^${prefix}token:[\\w-]{43}$`));
      expect(value).toMatch(/^2\.[\w-]{16}\.[\w-]+$/);
      expect(ttlMs).toBeLessThanOrEqual(990_000);
      expect(ttlMs).toBeGreaterThan(989_000 - passedMs);
      const readable = [value, Buffer.from(value.split('.')[2] ?? '', 'base64url').toString('latin1')].join();
      for (const secret of [
        ...api.tokens,
        ...api.tokens.flatMap((token) => token.split('.')),
        CLIENT_SECRET,
        'accessToken',
      ])
        expect(readable).not.toContain(secret);
    }
  });

  it('drops a token that is reported as refused, once, however many report it', async () => {
    api = await startTokenApi({ delayMs: 50 });
    const two = await Promise.all([start(), start()]);
    const [first] = await Promise.all(two.map((service) => service.token()));
    const renewed = await Promise.all(
      two.flatMap((service) => Array.from({ length: 50 }, () => service.token('shop', first?.fingerprint))),
    );
    expect(new Set(renewed.map(({ accessToken }) => accessToken))).toEqual(new Set([api.tokens[1]]));
    expect(api.requests).toHaveLength(2);
  });

  it('keeps a token when another one is reported as refused', async () => {
    api = await startTokenApi();
    const service = await start();
    const first = await service.token();
    const second = await service.token('shop', first.fingerprint);
    const late = await service.token('shop', first.fingerprint);
    expect(late.accessToken).toBe(second.accessToken);
    expect(api.requests).toHaveLength(2);
  });

  it('renews early, behind the back of the callers, who keep getting the old token', async () => {
    api = await startTokenApi({ expiresIn: 1_000 });
    const first = await (await start()).token();
    const [entry] = await entries();
    await redis.pExpire(entry?.key ?? '', 85_000);
    const service = await start({ AUTH_TIMEOUT_MS: '30000' });
    let letGo: (() => void) | undefined;
    const giveToken = api.answer;
    api.answer = (response, request) => (letGo = () => giveToken(response, request));
    const during = await Promise.all(Array.from({ length: 20 }, () => service.token()));
    expect(new Set(during.map(({ accessToken }) => accessToken))).toEqual(new Set([first.accessToken]));
    (await waitFor(() => letGo, { what: 'the renewal' }))();
    await waitFor(async () => (await service.token()).accessToken !== first.accessToken, { what: 'the new token' });
    expect(api.requests).toHaveLength(2);
  });

  it('does not renew before 80 % of the life are over', async () => {
    api = await startTokenApi({ expiresIn: 1_000 });
    await (await start()).token();
    const [entry] = await entries();
    await redis.pExpire(entry?.key ?? '', 195_000);
    const service = await start();
    await service.token();
    await service.token();
    expect(api.requests).toHaveLength(1);
  });

  it('hands the old token out while early renewal fails', async () => {
    api = await startTokenApi({ expiresIn: 1_000 });
    const first = await (await start()).token();
    const [entry] = await entries();
    await redis.pExpire(entry?.key ?? '', 80_000);
    const service = await start();
    api.answer = (response) => answerJson(response, 500, {});
    expect((await service.token()).accessToken).toBe(first.accessToken);
    await waitFor(() => service.lines.some(({ message }) => String(message).startsWith('early renewal failed')), {
      what: 'the failure in the log',
    });
    expect((await service.token()).accessToken).toBe(first.accessToken);
    expect(api.requests.length).toBeGreaterThan(1);
  });

  it('waits for a lock whose holder died only as long as the lock lives', async () => {
    api = await startTokenApi();
    await (await start()).token();
    const [entry] = await entries();
    await redis.del(entry?.key ?? '');
    const service = await start();
    await redis.set(entry?.key.replace(':token:', ':lock:') ?? '', 'dead', { expiration: { type: 'PX', value: 300 } });
    await service.token();
    expect(api.requests).toHaveLength(2);
    expect((await entries()).map(({ key }) => key)).toEqual([entry?.key]);
  });

  it('shares a failure, and who asks a moment later tries again', async () => {
    api = await startTokenApi();
    const giveToken = api.answer;
    let fail: (() => void) | undefined;
    api.answer = (response) => (fail = () => answerJson(response, 500, {}));
    const service = await start();
    const asking = Promise.all(Array.from({ length: 50 }, () => service.post({ account: 'shop' })));
    const waiting = async () => (await metricOf(service, 'auth_tokens_served_total{')).join();
    await waitFor(async () => fail && /source="renewal".* 50/.test(await waiting()), { what: 'all fifty to wait' });
    fail?.();
    const answers = await asking;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(api.requests).toHaveLength(1);
    api.answer = giveToken;
    await waitFor(async () => (await service.post({ account: 'shop' })).status === 200, { what: 'a token' });
    expect(api.requests).toHaveLength(2);
    await waitFor(async () => (await entries()).length === 1, { what: 'the token alone in Redis' });
  });
});
