import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createLogger, loadConfig, Metrics, Problem, Secret, startTracing, withTrace } from '@tranche/service-kit';
import { accountsFile, CLIENT_SECRET, ENCRYPTION_KEY } from '../../test/auth-service.js';
import { answerJson, jwt, startTokenApi, type TokenApi } from '../../test/token-api.js';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { TokenApiClient } from './token-api.client.js';

const technical: Account = {
  account: 'shop',
  grant: 'client_credentials',
  clientId: 'shop-client',
  clientSecret: new Secret(CLIENT_SECRET),
  scope: '/realms/shop',
};
const user: Account = {
  account: 'user',
  grant: 'password',
  username: 'name',
  password: new Secret('canary-password'),
  scope: '/realms/shop',
};
const record = { access_token: jwt({ jti: 'canary-token' }), expires_in: 60, token_type: 'Bearer' };

describe('token API client', () => {
  let api: TokenApi;
  let client: TokenApiClient;
  const lines: string[] = [];
  const clients: TokenApiClient[] = [];

  function clientOf(authUrl: string, timeoutMs = 20_000): TokenApiClient {
    const config = loadConfig(AuthConfig, {
      AUTH_URL: authUrl,
      AUTH_TIMEOUT_MS: String(timeoutMs),
      ACCOUNTS_FILE: accountsFile(),
      TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
      REDIS_URL: 'redis://h',
    });
    const log = createLogger({ name: 'test', level: 'debug', destination: { write: (line) => void lines.push(line) } });
    const made = new TokenApiClient(config, log, new Metrics('test'));
    clients.push(made);
    return made;
  }

  beforeEach(async () => {
    api = await startTokenApi();
    client = clientOf(api.url);
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((each) => each.onApplicationShutdown()));
    await api.close();
    expect(lines.join('')).not.toContain('canary');
    for (const token of api.tokens) expect(lines.join('')).not.toContain(token);
    lines.splice(0);
  });

  async function problemOf(answer: (response: ServerResponse) => void, asking = client): Promise<Problem> {
    api.answer = answer;
    const error: unknown = await asking.askForToken(technical).catch((each: unknown) => each);
    if (!(error instanceof Problem)) throw new Error(`no problem but ${String(error)}`);
    expect(error.message).not.toContain('canary');
    return error;
  }

  it('asks with a JSON body that names the grant, whichever it is [Service.1] [TokenApi.token] [TokenApi.client_credentials] [TokenApi.default-grant] [Authentication.1]', async () => {
    await client.askForToken(technical);
    await client.askForToken(user);
    expect(api.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        grant_type: 'client_credentials',
        client_id: 'shop-client',
        client_secret: CLIENT_SECRET,
        scope: '/realms/shop',
      },
      { grant_type: 'password', username: 'name', password: 'canary-password', scope: '/realms/shop' },
    ]);
    expect(api.requests[0]).toMatchObject({
      method: 'POST',
      path: '/iam/token',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
  });

  it('leaves the scope out where there is none', async () => {
    await client.askForToken({ ...technical, scope: undefined });
    expect(Object.keys(JSON.parse(api.requests[0]?.body ?? '') as object)).toEqual([
      'grant_type',
      'client_id',
      'client_secret',
    ]);
  });

  it('reads an answer behind a byte order mark', async () => {
    api.answer = (response) => answerJson(response, 200, `\ufeff${JSON.stringify(record)}`);
    expect(await client.askForToken(technical)).toMatchObject({ accessToken: record.access_token });
  });

  it('keeps the path of {auth_url} [Service.addresses]', async () => {
    await clientOf(`${api.url}/v2`).askForToken(technical);
    await clientOf(`${api.url}/v2/`).askForToken(technical);
    expect(api.requests.map(({ path }) => path)).toEqual(['/v2/iam/token', '/v2/iam/token']);
  });

  it('hands its trace on', async () => {
    await startTracing('test');
    await withTrace({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }, 'x', () =>
      client.askForToken(technical),
    );
    expect(api.requests[0]?.headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)/);
  });

  it('counts the life of a token from before its request', async () => {
    const before = performance.now();
    const token = await client.askForToken(technical);
    expect(token).toMatchObject({ accessToken: api.tokens[0], lifetimeMs: 43_200_000 });
    expect(token.expiresAtMs - 43_200_000).toBeGreaterThanOrEqual(before);
    expect(token.expiresAtMs - 43_200_000).toBeLessThan(performance.now());
  });

  it.each([400, 401, 403, 404, 405, 422])('takes %d for a refusal [Errors.token-api]', async (status) => {
    const problem = await problemOf((response) =>
      answerJson(response, status, { error: 'invalid_client', error_description: 'canary' }),
    );
    expect(problem).toMatchObject({
      status: 502,
      code: 'auth_refused',
      detail: `The token API refused the account (HTTP ${status}, invalid_client).`,
    });
  });

  it('repeats no error text that is not an OAuth code', async () => {
    const problem = await problemOf((response) => answerJson(response, 401, { error: 'canary text <b>' }));
    expect(problem.detail).toBe('The token API refused the account (HTTP 401).');
  });

  it.each([408, 425, 429, 500, 502, 503, 301, 302, 307, 204])('takes %d for unavailable', async (status) => {
    const problem = await problemOf((response) =>
      response.writeHead(status, { location: `${api.url}/elsewhere` }).end(),
    );
    expect(problem).toMatchObject({ status: 503, code: 'platform_unavailable', headers: { 'retry-after': '5' } });
    expect(api.requests).toHaveLength(1);
  });

  it.each([
    ['12', '12'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', '5'],
    ['-1', '5'],
  ])('hands a Retry-After of %s on as %s', async (given, handedOn) => {
    const problem = await problemOf((response) => answerJson(response, 503, {}, { 'retry-after': given }));
    expect(problem.headers).toEqual({ 'retry-after': handedOn });
  });

  it.each<[string, unknown]>([
    ['no JSON', '<html>canary</html>'],
    ['an empty body', ''],
    ['null', null],
    ['no access_token', { ...record, access_token: undefined }],
    ['an empty access_token', { ...record, access_token: '' }],
    ['no expires_in', { ...record, expires_in: undefined }],
    ['expires_in 0', { ...record, expires_in: 0 }],
    ['expires_in as a text that is no number', { ...record, expires_in: '60 s' }],
    ['another token type', { ...record, token_type: 'MAC' }],
  ])('takes an answer with %s for unavailable', async (_, body) => {
    const problem = await problemOf((response) => answerJson(response, 200, body));
    expect(problem).toMatchObject({ status: 503, code: 'platform_unavailable' });
  });

  it('takes an answer without the fields that it does not need', async () => {
    api.answer = (response) => answerJson(response, 200, record);
    expect((await client.askForToken(technical)).lifetimeMs).toBe(60_000);
  });

  it.each([
    ['a refresh that ended long ago', { refresh_expires_in: -15933 }],
    ['refresh_expires_in as a text', { refresh_expires_in: '0' }],
    ['no session, written as null', { session_state: null, 'not-before-policy': null }],
    ['fields of other kinds', { refresh_expires_in: {}, session_state: 5, 'not-before-policy': '0', scope: null }],
    ['expires_in as a text of digits', { expires_in: '60' }],
  ])('takes a token whose record holds %s', async (_, fields) => {
    api.answer = (response) => answerJson(response, 200, { ...record, ...fields });
    const token = await client.askForToken(technical);
    expect(token).toMatchObject({ accessToken: record.access_token, lifetimeMs: 60_000 });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => undefined],
    [
      'stops in the middle',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"access_'),
    ],
    ['closes the connection', (response) => response.destroy()],
    ['sends far too much', (response) => answerJson(response, 200, { ...record, session_state: 'x'.repeat(300_000) })],
  ])('gives up on an API that %s', async (_, answer) => {
    const problem = await problemOf(answer, clientOf(api.url, 150));
    expect(problem).toMatchObject({ status: 503, code: 'platform_unavailable' });
  });

  it('gives up within its time in all, however the API drips', async () => {
    // The response never ends.
    const problem = await problemOf(
      (response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write(' '), 20);
        void once(response, 'close').then(() => clearInterval(drip));
      },
      clientOf(api.url, 200),
    );
    expect(problem).toMatchObject({ status: 503, code: 'platform_unavailable' });
  });

  it('reports a refused connection', async () => {
    const problem = await problemOf(() => undefined, clientOf('http://127.0.0.1:1'));
    expect(problem).toMatchObject({
      status: 503,
      code: 'platform_unavailable',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('asks for the realm and tests a token with the token itself, and gives its reasons without it', async () => {
    const token = await client.askForToken(technical);
    api.answer = (response, { path }) =>
      answerJson(response, 200, path === '/iam/realms/my' ? { path: '/realms/demo', name: 'demo' } : {});
    expect(await client.realmPath(technical, token)).toBe('/realms/demo');
    await client.checkIdentity(technical, token);
    expect(
      api.requests.slice(1).map(({ method, path, headers, body }) => [method, path, headers.authorization, body]),
    ).toEqual([
      ['GET', '/iam/realms/my', `Bearer ${token.accessToken}`, ''],
      ['GET', '/iam/identities/my', `Bearer ${token.accessToken}`, ''],
    ]);
    api.answer = (response) => answerJson(response, 403, { error: token.accessToken });
    for (const asked of [client.realmPath(technical, token), client.checkIdentity(technical, token)]) {
      await expect(asked).rejects.toMatchObject({
        code: 'auth_refused',
        message: 'The token API refused the account (HTTP 403).',
      });
    }
  });

  it('refuses a token whose life was over before it arrived', async () => {
    await api.close();
    api = await startTokenApi({ expiresIn: 1, delayMs: 1_050 });
    await expect(clientOf(api.url).askForToken(technical)).rejects.toMatchObject({ code: 'platform_unavailable' });
  });
});
