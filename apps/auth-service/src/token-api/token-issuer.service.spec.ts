import { Secret } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import type { AuthEvents } from '../events/auth-events.producer.js';
import { DiscovererProblem } from './discoverer-problem.js';
import type { RealmService } from './realm.service.js';
import type { TokenApiClient } from './token-api.client.js';
import { refused } from './token-api-problems.js';
import { TokenIssuer } from './token-issuer.service.js';

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
  const realms = { pathFor: () => Promise.reject(error), forget: () => undefined } as unknown as RealmService;
  const announcing = { announce: (type: string) => events.push(type) } as unknown as AuthEvents;
  await expect(
    new TokenIssuer({} as TokenApiClient, realms, announcing).issue(shop, () => Promise.reject(error)),
  ).rejects.toBe(error);
  expect(events).toEqual(announced);
});
