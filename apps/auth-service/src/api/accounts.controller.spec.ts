import { GATEWAY_KEY, OTHER_KEY, startAuthService, type AuthServiceUnderTest } from '../../test/auth-service.js';
import { answerJson, startTokenApi, type TokenApi } from '../../test/token-api.js';

let api: TokenApi;
let service: AuthServiceUnderTest;
let withdrawn: string | undefined;
beforeEach(async () => {
  api = await startTokenApi();
  withdrawn = undefined;
  const issue = api.answer;
  api.answer = (response, request) => {
    if (request.path === '/iam/token') return issue(response, request);
    if (request.headers.authorization === `Bearer ${withdrawn}`) return answerJson(response, 401, {});
    return answerJson(response, 200, request.path === '/iam/realms/my' ? { path: '/realms/shop' } : {});
  };
  service = await startAuthService({ AUTH_URL: api.url });
});
afterEach(async () => {
  await service.stop();
  await api.close();
});

async function get(path: string, key = GATEWAY_KEY) {
  const response = await fetch(`${service.url}/v1/accounts/${path}`, { headers: { authorization: `Bearer ${key}` } });
  return [response.status, (await response.json()) as unknown];
}

it('tells a caller the realm path that the token of its account sees [TokenApi.realms]', async () => {
  expect(await get('shop/realm')).toEqual([200, { account: 'shop', realmPath: '/realms/shop' }]);
});

it('tells a caller that the token of its account is good [TokenApi.identities]', async () => {
  expect(await get('shop/identity')).toEqual([200, { account: 'shop', isValid: true }]);
});

it.each(['realm', 'identity'])(
  '%s: asks once more with another token where the cached one was withdrawn',
  async (what) => {
    withdrawn = (await service.token('shop')).accessToken;
    expect((await get(`shop/${what}`))[0]).toBe(200);
    expect(api.tokens).toHaveLength(2);
  },
);

it.each(['realm', 'identity'])('%s: every token refused is the answer', async (what) => {
  const issue = api.answer;
  api.answer = (response, request) =>
    request.path === '/iam/token' ? issue(response, request) : answerJson(response, 403, {});
  expect(await get(`shop/${what}`)).toEqual([502, expect.objectContaining({ code: 'auth_refused' })]);
});

it.each(['realm', 'identity'])('%s: reveals nothing about accounts of other callers', async (what) => {
  expect((await get(`shop/${what}`, OTHER_KEY))[0]).toBe(403);
  expect((await get(`absent/${what}`))[0]).toBe(403);
  expect((await get(`shop/${what}`, 'nobody'))[0]).toBe(401);
  expect(api.requests).toEqual([]);
});
