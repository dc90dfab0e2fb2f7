import { ACCOUNTS, accountsFile, GATEWAY_KEY, OTHER_KEY, startAuthService } from '../../test/auth-service.js';
import { answerJson, startTokenApi, type TokenApi } from '../../test/token-api.js';

const PASSWORD = 'canary-password-of-jeanne';
const USERNAME = 'canary-jeanne';
const [, second] = ACCOUNTS.accounts;
const file = {
  accounts: [...ACCOUNTS.accounts, { account: 'shoppers', grant: 'password', ofUsers: true, scopeFrom: 'second' }],
  callers: [
    { caller: 'shop', key: GATEWAY_KEY, accounts: ['shoppers', 'second'] },
    { caller: 'other', key: OTHER_KEY, accounts: [second!.account] },
  ],
};

let api: TokenApi;
let service: Awaited<ReturnType<typeof startAuthService>>;
beforeEach(async () => {
  api = await startTokenApi();
  const issue = api.answer;
  api.answer = (response, request) =>
    request.path === '/iam/realms/my' ? answerJson(response, 200, { path: '/realms/demo' }) : issue(response, request);
  // The setting requires https; the test's token API has none.
  const env = {
    AUTH_URL: 'https://auth.example',
    ALLOW_PASSWORD_GRANT: 'true',
    ACCOUNTS_FILE: accountsFile(file),
    TRUSTED_PROXIES: '127.0.0.1',
  };
  service = await startAuthService(env, (config) => (config.authUrl = new URL(api.url)));
});
afterEach(async () => {
  await service.stop();
  await api.close();
  for (const secret of [PASSWORD, USERNAME, GATEWAY_KEY, ...api.tokens])
    expect(JSON.stringify(service.lines)).not.toContain(secret);
});

const login = { account: 'shoppers', username: USERNAME, password: PASSWORD };

async function post(body: unknown, key = GATEWAY_KEY, path = 'user-tokens', more = {}) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...more };
  const response = await fetch(`${service.url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  expect(text).not.toContain(PASSWORD);
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Record<string, unknown> };
}

const grants = () =>
  api.requests
    .filter(({ path }) => path === '/iam/token')
    .map(({ body }) => JSON.parse(body) as object)
    .filter((body) => 'username' in body);

it('gives a token for the credentials of a user, each time a new one, for the realm of the account [TokenApi.password]', async () => {
  const first = await post(login);
  const other = await post(login);
  expect([first.status, other.status, first.headers.get('cache-control')]).toEqual([200, 200, 'no-store']);
  expect(first.body).toMatchObject({ account: 'shoppers', tokenType: 'Bearer', accessToken: api.tokens[1] });
  expect(other.body.accessToken).not.toBe(first.body.accessToken);
  const grant = { grant_type: 'password', username: USERNAME, password: PASSWORD, scope: '/realms/demo' };
  expect(grants()).toEqual([grant, grant]);
});

it('asks again after wrong credentials: a refusal is not remembered', async () => {
  await post(login);
  const issue = api.answer;
  api.answer = (response) => answerJson(response, 401, { error: 'invalid_grant' });
  expect(await post(login)).toMatchObject({ status: 502, body: { code: 'auth_refused' } });
  api.answer = issue;
  expect((await post(login)).status).toBe(200);
  expect(grants()).toHaveLength(3);
});

it('is for callers with such an account, and such an account has no token of its own', async () => {
  expect(await post(login, OTHER_KEY)).toMatchObject({ status: 403, body: { code: 'account_not_allowed' } });
  expect((await post(login, 'nobody')).status).toBe(401);
  expect((await post({ ...login, account: 'second' })).status).toBe(403);
  expect((await post({ account: 'shoppers' }, GATEWAY_KEY, 'tokens')).status).toBe(403);
  expect(grants()).toEqual([]);
});

describe('credentials of a user', () => {
  const from = (more: object) => post(login, GATEWAY_KEY, 'user-tokens', { 'x-forwarded-for': '203.0.113.9', ...more });

  it.each([{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'http, https' }])(
    'are refused where they came to a proxy without TLS: %j',
    async (more) => {
      expect(await from(more)).toMatchObject({ status: 403, body: { code: 'tls_required' } });
      expect(grants()).toEqual([]);
    },
  );

  it('are taken where a proxy ended TLS', async () => {
    expect((await from({ 'x-forwarded-proto': 'https' })).status).toBe(200);
  });
});

it.each([
  [{ account: 'shoppers', username: USERNAME }, 'password'],
  [{ ...login, password: '' }, 'password'],
  [{ ...login, username: 'x'.repeat(256) }, 'username'],
  [{ ...login, password: 7 }, 'password'],
])('refuses %j without repeating it', async (body, field) => {
  const answer = await post(body);
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(field);
  expect(grants()).toEqual([]);
});
