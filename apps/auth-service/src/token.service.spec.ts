import { createLogger, Metrics, Secret } from '@tranche/service-kit';
import type { Account } from './accounts.js';
import type { AuthConfig } from './auth.config.js';
import type { TokenApiClient } from './token-api.client.js';
import { TokenKeys } from './token-keys.js';
import type { TokenCache } from './token.cache.js';
import { TokenService } from './token.service.js';

const user: Account = { account: 'user', grant: 'password', username: 'name', password: new Secret('x') };

describe("a user's token (password grant)", () => {
  it('is asked for each time and touches no cache', async () => {
    let calls = 0;
    const api = {
      askForToken: () => Promise.resolve({ accessToken: `token-${++calls}`, lifetimeMs: 60_000, expiresAtMs: performance.now() + 60_000 }),
    } as unknown as TokenApiClient;
    const untouchable = new Proxy(
      {},
      {
        get: (_, name) => {
          throw new Error(`the cache was asked to ${String(name)}`);
        },
      },
    ) as TokenCache;
    const config = { keys: new TokenKeys(Buffer.alloc(32)), authUrl: new URL('https://auth.example'), authTimeoutMs: 1_000 } as AuthConfig;
    const service = new TokenService(config, api, untouchable, createLogger({ name: 'test', level: 'silent' }), new Metrics('test'));
    const tokens = await Promise.all([service.token(user), service.token(user), service.token(user, 'a-fingerprint')]);
    expect(tokens.map(({ accessToken }) => accessToken)).toEqual(['token-1', 'token-2', 'token-3']);
  });
});
