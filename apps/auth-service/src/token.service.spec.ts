import { createLogger, Metrics, Secret } from '@tranche/service-kit';
import type { Account } from './accounts.js';
import type { AuthConfig } from './auth.config.js';
import type { HeldToken } from './held-token.js';
import type { TokenApiClient } from './token-api.client.js';
import { TokenKeys } from './token-keys.js';
import type { TokenCache } from './token.cache.js';
import { TokenService } from './token.service.js';

const shop: Account = { account: 'shop', grant: 'client_credentials', clientId: 'id', clientSecret: new Secret('x') };
const user: Account = { account: 'user', grant: 'password', username: 'name', password: new Secret('x') };

/** With this share of its life left. */
function aToken(accessToken: string, left = 1): HeldToken {
  return { accessToken, lifetimeMs: 60_000, expiresAtMs: performance.now() + 60_000 * left };
}

/** A cache of one entry whose lock is always free. */
class FakeCache {
  entry?: HeldToken;
  isAway = false;
  onLock: () => void = () => undefined;

  read() {
    return this.isAway ? Promise.reject(new Error('away')) : Promise.resolve(this.entry);
  }
  store(_name: string, token: HeldToken) {
    this.entry = token;
    return this.isAway ? Promise.reject(new Error('away')) : Promise.resolve();
  }
  drop() {
    this.entry = undefined;
    return this.isAway ? Promise.reject(new Error('away')) : Promise.resolve(true);
  }
  lock() {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.onLock();
    return Promise.resolve({ release: () => Promise.resolve() });
  }
}

describe('tokens', () => {
  let cache: FakeCache;
  let asked: number;
  let answer: () => Promise<HeldToken>;
  let service: TokenService;
  beforeEach(() => {
    cache = new FakeCache();
    asked = 0;
    answer = () => Promise.resolve(aToken(`token-${asked}`));
    const api = {
      askForToken: () => {
        asked++;
        return answer();
      },
    } as unknown as TokenApiClient;
    const config = { keys: new TokenKeys(Buffer.alloc(32)), authUrl: new URL('https://auth.example'), authTimeoutMs: 1_000 } as AuthConfig;
    const log = createLogger({ name: 'test', level: 'silent' });
    service = new TokenService(config, api, cache as unknown as TokenCache, log, new Metrics('test'));
  });
  const textOf = async (account: Account, refused?: string) => (await service.token(account, refused)).accessToken;
  const settled = () => new Promise(setImmediate);

  it('of users (password grant) are asked for each time and touch no cache', async () => {
    cache.read =
      cache.store =
      cache.drop =
      cache.lock =
        () => {
          throw new Error('the cache was touched');
        };
    expect([await textOf(user), await textOf(user), await textOf(user, 'a-fingerprint')]).toEqual(['token-1', 'token-2', 'token-3']);
  });

  it('are not asked for by who gets the lock after another replica has stored one', async () => {
    cache.onLock = () => (cache.entry = aToken('of the other replica'));
    expect(await textOf(shop)).toBe('of the other replica');
    expect(asked).toBe(0);
  });

  it('are not renewed early again at once when that fails', async () => {
    cache.entry = aToken('old', 0.1);
    answer = () => Promise.reject(new Error('down'));
    for (let i = 0; i < 5; i++) {
      expect(await textOf(shop)).toBe('old');
      await settled();
    }
    expect(asked).toBe(1);
  });

  it('that were refused are not handed out again when no new one can be had, with and without Redis', async () => {
    for (const isAway of [false, true]) {
      cache.isAway = isAway;
      answer = () => Promise.resolve(aToken(`good-${isAway}`));
      const refused = service.fingerprint(await service.token(shop));
      answer = () => Promise.reject(new Error('down'));
      await expect(service.token(shop, refused)).rejects.toThrow('down');
      await expect(service.token(shop)).rejects.toThrow('down');
    }
  });

  it('that a renewal under way brings are asked for again when they are the refused one', async () => {
    cache.entry = aToken('refused', 0.1);
    const refused = service.fingerprint(cache.entry);
    let letGo: (token: HeldToken) => void = () => undefined;
    answer = () => new Promise((resolve) => (letGo = resolve));
    await service.token(shop);
    await settled();
    expect(asked).toBe(1);
    const again = textOf(shop, refused);
    await settled();
    answer = () => Promise.resolve(aToken('good'));
    letGo(aToken('refused'));
    expect(await again).toBe('good');
    expect(asked).toBe(2);
  });

  it('are kept in the process while Redis is away, and no longer than they live', async () => {
    cache.isAway = true;
    answer = () => Promise.resolve(aToken(`token-${asked}`, asked === 1 ? 1 : 0.5));
    expect([await textOf(shop), await textOf(shop)]).toEqual(['token-1', 'token-1']);
    expect(asked).toBe(1);
    answer = () => Promise.resolve(aToken('last moment', 0.001));
    const refused = service.fingerprint(aToken('token-1'));
    expect(await textOf(shop, refused)).toBe('last moment');
    expect(await textOf(shop)).toBe('last moment');
    expect(asked).toBe(3);
  });
});
