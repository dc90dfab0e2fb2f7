import { Secret } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { type AuthEvents, TokenIssuer } from './token-issuer.service.js';
import type { AuthConfig } from '../auth.config.js';
import type { CachedToken } from './cached-token.js';
import type { TokenApiClient } from './token-api.client.js';
import { DiscovererProblem, refused } from './token-api-problems.js';

const shop: Account = {
  account: 'shop',
  grant: 'client_credentials',
  clientId: 'id',
  clientSecret: new Secret('x'),
  scopeFrom: 'other',
};

it.each([
  ['its own credentials', refused('no'), ['auth.token.refused']],
  ['those of the account that discovers its realm', new DiscovererProblem(refused('no'), false), []],
])('an account is announced as refused for %s or not', async (_, error, announced) => {
  const events: string[] = [];
  const api = { realmPath: () => Promise.reject(error) } as unknown as TokenApiClient;
  const config = { accounts: { byName: () => shop } } as unknown as AuthConfig;
  const announcing = { announce: (type: string) => events.push(type) } as unknown as AuthEvents;
  await expect(
    new TokenIssuer(config, api, announcing).issue(shop, () => Promise.resolve({} as CachedToken)),
  ).rejects.toBe(error);
  expect(events).toEqual(announced);
});
