import { decodeJwt } from 'jose';
import { instalment, runSimulator, type RunningSimulator } from '../../test/running-simulator.js';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await runSimulator();
});
afterAll(() => simulator.stop());
beforeEach(() => simulator.json('POST', '/simulator/reset'));

const technical = {
  grant_type: 'client_credentials',
  client_id: 'tech-id',
  client_secret: 'tech-secret',
  scope: '/realms/demo',
};
const ask = (body: unknown) => simulator.json('POST', '/iam/token', body);
const tokenOf = async (body: unknown = technical) => (await ask(body)).body.access_token as string;
const get = async (path: string, token?: string) => {
  const response = await fetch(simulator.url + path, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    body: (await response.json()) as object,
  };
};

describe('POST /simulator/accounts/secret', () => {
  const secretOf = async (account: string, body: object) =>
    (await simulator.json('POST', '/simulator/accounts/secret', { account, ...body })).status;
  const tries = async (...secrets: string[]) =>
    Promise.all(secrets.map(async (client_secret) => (await ask({ ...technical, client_secret })).status));

  it('from then on only the new secret is good; without one, none', async () => {
    const token = await tokenOf();
    expect(await secretOf('tech', { clientSecret: 'new-secret' })).toBe(200);
    expect(await tries('tech-secret', 'new-secret')).toEqual([401, 200]);
    expect((await get('/iam/identities/my', token)).status).toBe(200);
    expect(await secretOf('tech', {})).toBe(200);
    expect(await tries('tech-secret', 'new-secret')).toEqual([401, 401]);
    expect(await secretOf('tech', { clientSecret: 'tech-secret' })).toBe(200);
    expect(await tries('tech-secret')).toEqual([200]);
    expect(await secretOf('person', { password: 'another' })).toBe(200);
    expect((await ask({ username: 'jane', password: 'another' })).status).toBe(200);
    expect(await secretOf('person', { password: 'jane-password' })).toBe(200);
  });

  it('knows no other accounts, and no secret that is no text', async () => {
    expect([
      await secretOf('nobody', {}),
      await secretOf('tech', { clientSecret: 1 }),
      await secretOf('tech', { clientSecret: '' }),
    ]).toEqual([400, 400, 400]);
  });
});

it('GET /simulator/issued-tokens lists what was handed out, withdrawn or not', async () => {
  const token = await tokenOf();
  await simulator.json('DELETE', '/simulator/access-tokens');
  expect((await simulator.json('GET', '/simulator/issued-tokens')).body.accessTokens).toContain(token);
});

describe('POST /iam/token', () => {
  it('answers the whole record, with a JWT', async () => {
    const { status, body } = await ask(technical);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      expires_in: 43_200,
      refresh_expires_in: 0,
      token_type: 'Bearer',
      'not-before-policy': expect.any(Number),
      session_state: expect.any(String),
    });
    const claims = decodeJwt(body.access_token);
    expect(claims).toMatchObject({ realm: '/realms/demo', iss: `${simulator.url}/iam`, sub: 'tech-id' });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(43_200);
  });

  it.each([
    ['client credentials without scope', { ...technical, scope: undefined }],
    ['a password', { grant_type: 'password', username: 'jane', password: 'jane-password', scope: '/realms/people' }],
    ['a password without grant_type', { username: 'jane', password: 'jane-password' }],
  ])('grants for %s', async (_title, body) => {
    expect((await ask(body)).status).toBe(200);
  });

  it.each([
    ['a wrong secret', { ...technical, client_secret: 'x' }, 401, 'invalid_client'],
    ['an unknown client', { ...technical, client_id: 'x' }, 401, 'invalid_client'],
    ['a wrong password', { username: 'jane', password: 'x' }, 401, 'invalid_grant'],
    ["a client's secret as a password", { username: 'tech-id', password: 'tech-secret' }, 401, 'invalid_grant'],
    ['another scope', { ...technical, scope: '/realms/other' }, 400, 'invalid_scope'],
    ['another grant', { ...technical, grant_type: 'refresh_token' }, 400, 'unsupported_grant_type'],
    ['client credentials without grant_type', { ...technical, grant_type: undefined }, 400, 'invalid_request'],
    ['no secret', { grant_type: 'client_credentials', client_id: 'tech-id' }, 400, 'invalid_request'],
    ['a number as a name', { username: 1, password: 'x' }, 400, 'invalid_request'],
    ['a list', [], 400, 'invalid_request'],
  ])('refuses %s', async (_title, request, status, error) => {
    const { status: actual, body, headers } = await ask(request);
    expect([actual, body.error, typeof body.error_description]).toEqual([status, error, 'string']);
    expect(headers.get('www-authenticate')).toEqual(status === 401 ? expect.stringMatching(/^Bearer /) : null);
    expect(JSON.stringify(body)).not.toContain('tech-secret');
  });

  it.each([
    [
      'a form',
      'application/x-www-form-urlencoded',
      new URLSearchParams({ username: 'jane', password: 'jane-password' }).toString(),
    ],
    ['broken JSON', 'application/json', '{'],
  ])('takes JSON only, not %s', async (_title, type, body) => {
    const response = await fetch(`${simulator.url}/iam/token`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([400, 'invalid_request']);
  });
});

describe('GET /iam/realms/my and /iam/identities/my', () => {
  it('tell the realm path and who one is', async () => {
    const token = await tokenOf();
    expect(await get('/iam/realms/my', token)).toMatchObject({ status: 200, body: { path: '/realms/demo' } });
    expect(await get('/iam/identities/my', token)).toMatchObject({
      status: 200,
      body: { name: 'tech-id', realm: '/realms/demo' },
    });
  });

  it.each(['/iam/realms/my', '/iam/identities/my'])(
    '%s refuses without a token, and with an unknown one',
    async (path) => {
      for (const token of [undefined, 'x.y.z']) {
        expect(await get(path, token)).toMatchObject({
          status: 401,
          challenge: expect.stringMatching(/^Bearer/),
          body: { error: 'invalid_token' },
        });
      }
    },
  );
});

describe('an account that must bring a token', () => {
  const authorize = (token?: string) =>
    simulator.operate(instalment({ IDENTIFIER: 'Guarded' }), {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });

  it('is served with its own live token only', async () => {
    expect((await authorize(await tokenOf())).answer.EXECCODE).toBe('0002');
    const others = await tokenOf({ ...technical, client_id: 'other-id', client_secret: 'other-secret' });
    for (const token of [undefined, 'unknown', others]) {
      const { status, headers } = await authorize(token);
      expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    }
    expect((await simulator.ledger()).totals).toMatchObject({ calls: 4, operations: 1 });
  });

  it('is refused once its token was withdrawn, whatever the travelling clock says', async () => {
    const token = await tokenOf();
    await simulator.advance(30 * 86_400);
    expect((await authorize(token)).status).toBe(200);
    expect((await simulator.json('DELETE', '/simulator/access-tokens?account=tech')).body.revoked).toBeGreaterThan(0);
    expect((await authorize(token)).status).toBe(401);
  });
});

it('a token ends with its lifetime', async () => {
  const short = await runSimulator({}, { tokenLifetimeSeconds: 0 });
  const { body } = await short.json('POST', '/iam/token', technical);
  const response = await fetch(`${short.url}/iam/identities/my`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  });
  await short.stop();
  expect([body.expires_in, response.status]).toEqual([0, 401]);
});

it('can be disturbed by fault rules', async () => {
  await simulator.fault({ operation: 'token', times: 1 }, { status5xx: { when: 'before', status: 503 } });
  const response = await fetch(`${simulator.url}/iam/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(technical),
  });
  expect(response.status).toBe(503);
  expect((await ask(technical)).status).toBe(200);
});
