import {
  CLIENT_SECRET,
  GATEWAY_KEY,
  OTHER_KEY,
  startAuthService,
  type AuthServiceUnderTest,
} from '../../test/auth-service.js';
import { answerJson, startTokenApi, type TokenApi } from '../../test/token-api.js';

/** Redis is down in all of these tests; test/ covers the cache. */
describe('POST /v1/tokens and GET /v1/accounts', () => {
  let api: TokenApi;
  let service: AuthServiceUnderTest;
  beforeEach(async () => {
    api = await startTokenApi();
    service = await startAuthService({ AUTH_URL: api.url });
  });
  afterEach(async () => {
    await service.stop();
    await api.close();
    const log = JSON.stringify(service.lines);
    for (const secret of [CLIENT_SECRET, GATEWAY_KEY, OTHER_KEY, ...api.tokens, 'canary'])
      expect(log).not.toContain(secret);
  });

  it('answers with a token of the account', async () => {
    const { status, headers, body } = await service.post({ account: 'shop' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      account: 'shop',
      accessToken: api.tokens[0],
      tokenType: 'Bearer',
      expiresInSeconds: expect.any(Number),
      fingerprint: expect.stringMatching(/^[\w-]{22}$/),
    });
    expect(body.expiresInSeconds).toBeLessThanOrEqual(43_200);
    expect(body.expiresInSeconds).toBeGreaterThan(43_190);
  });

  it.each([
    ['none', ''],
    ['an unknown one', 'canary-unknown-key-of-length-24'],
    ['a longer one', `${GATEWAY_KEY}x`],
    ['a shorter one', GATEWAY_KEY.slice(0, -1)],
  ])('refuses a caller with %s for a key, before anything else', async (_, key) => {
    const { status, headers, body } = await service.post({ nonsense: true }, key);
    expect([status, headers.get('www-authenticate'), body.code]).toEqual([401, 'Bearer', 'unauthorized']);
    const accounts = await fetch(`${service.url}/v1/accounts`, { headers: { authorization: `Bearer ${key}` } });
    expect(accounts.status).toBe(401);
    expect(api.requests).toEqual([]);
  });

  it('refuses a key that does not come as a bearer token', async () => {
    const response = await fetch(`${service.url}/v1/accounts`, { headers: { authorization: GATEWAY_KEY } });
    expect(response.status).toBe(401);
  });

  it("refuses accounts that are not the caller's like accounts that do not exist", async () => {
    const answers = await Promise.all(
      ['shop', 'absent', 'constructor'].map((account) => service.post({ account }, OTHER_KEY)),
    );
    const bodies = answers.map(({ body: { traceId: _, ...body } }) => body);
    expect(bodies[0]).toMatchObject({ status: 403, code: 'account_not_allowed' });
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
    expect((await service.post({ account: 'second' }, OTHER_KEY)).status).toBe(200);
  });

  it('lists the accounts of the caller, without secrets', async () => {
    const response = await fetch(`${service.url}/v1/accounts`, { headers: { authorization: `Bearer ${OTHER_KEY}` } });
    expect(await response.json()).toEqual({
      accounts: [{ account: 'second', grant: 'client_credentials', scope: '/realms/second' }],
    });
  });

  it.each([
    [{}, ['account']],
    [{ account: 7 }, ['account']],
    [{ account: 'shop', refused: 'canary !' }, ['refused']],
    [{ account: 'shop', refused: null }, ['refused']],
    [{ account: 'shop', password: 'canary' }, ['password']],
  ])('refuses the body %j', async (body, paths) => {
    const answer = await service.post(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect([...new Set((answer.body.faults as { path: string }[]).map(({ path }) => path))]).toEqual(paths);
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });

  it('refuses a body above 4 kB', async () => {
    expect((await service.post({ account: 'x'.repeat(4_096) })).status).toBe(413);
  });

  it('hands a refusal of the token API on as 502 auth_refused', async () => {
    api.answer = (response) => answerJson(response, 401, { error: 'invalid_client' });
    expect(await service.post({ account: 'shop' })).toMatchObject({ status: 502, body: { code: 'auth_refused' } });
  });

  it('hands an API that is not there on as 503 with Retry-After', async () => {
    api.answer = (response) => response.destroy();
    const { status, headers, body } = await service.post({ account: 'shop' });
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, '1', 'platform_unavailable']);
  });

  it('is not ready without Redis, and still asks once and keeps the token in the process', async () => {
    const ready = await fetch(`${service.managementUrl}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({
      reasons: [{ name: 'redis-tokens', reason: expect.stringContaining('cannot be reached') }],
    });
    const tokens = await Promise.all(Array.from({ length: 50 }, () => service.token()));
    expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(1);
    await service.token();
    expect(api.requests).toHaveLength(1);
  });

  it('drops the kept token when it is reported as refused, and only that one', async () => {
    const first = await service.token();
    await service.token('shop', 'a-fingerprint-of-another');
    expect(api.requests).toHaveLength(1);
    const second = await service.token('shop', first.fingerprint);
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect((await service.token('shop', first.fingerprint)).fingerprint).toBe(second.fingerprint);
    expect(api.requests).toHaveLength(2);
  });

  it('keeps accounts apart', async () => {
    const [shop, second] = await Promise.all([service.token('shop'), service.token('second')]);
    expect(shop.accessToken).not.toBe(second.accessToken);
    expect(api.requests.map(({ body }) => (JSON.parse(body) as { scope: string }).scope).sort()).toEqual([
      '/realms/second',
      '/realms/shop',
    ]);
  });
});
