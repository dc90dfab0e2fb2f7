import { createLogger, Metrics, Problem, Secret } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { FakeCache } from '../../test/fake-cache.js';
import type { AuthConfig } from '../auth.config.js';
import { fingerprintOf, type CachedToken } from '../token-api/cached-token.js';
import type { EncryptedEntries } from './encrypted-entries.store.js';
import type { TokenIssuer } from '../token-api/token-issuer.service.js';
import { TokenApiUnavailable } from '../token-api/token-api-problems.js';
import { TokenCache } from './token.cache.js';

const shop: Account = { account: 'shop', grant: 'client_credentials', clientId: 'id', clientSecret: new Secret('x') };
const user: Account = { account: 'user', grant: 'password', username: 'name', password: new Secret('x') };

/** @param left fraction of the lifetime that is left */
function aToken(accessToken: string, left = 1): CachedToken {
  return {
    accessToken,
    fingerprint: fingerprintOf(accessToken),
    lifetimeMs: 60_000,
    expiresAtMs: performance.now() + 60_000 * left,
  };
}

describe('tokens', () => {
  let cache: FakeCache;
  let asked: number;
  let answer: () => Promise<CachedToken>;
  let service: TokenCache;
  let metrics: Metrics;
  const start = (refusalSeconds = 10) => {
    const issuer = {
      issue: () => {
        asked++;
        return answer();
      },
    } as unknown as TokenIssuer;
    const config = {
      authTimeoutMs: 1_000,
      redisAnswerMs: 1_000,
      refusalSeconds,
      refusedIntervalSeconds: 5,
    } as AuthConfig;
    const log = createLogger({ name: 'test', level: 'silent' });
    metrics = new Metrics('test');
    service = new TokenCache(config, cache as unknown as EncryptedEntries, issuer, log, metrics);
  };
  let clock: jest.SpyInstance<number, []>;
  const travel = (ms: number) => clock.mockReturnValue(performance.now() + ms);
  beforeEach(() => {
    // An integer, so that sums and differences are exact.
    clock = jest.spyOn(performance, 'now').mockReturnValue(Math.round(performance.now()));
    cache = new FakeCache();
    asked = 0;
    answer = () => Promise.resolve(aToken(`token-${asked}`));
    start();
  });
  afterEach(() => clock.mockRestore());
  const textOf = async (account: Account, refused?: string) => (await service.token(account, refused)).accessToken;
  const settled = () => new Promise(setImmediate);
  const refusedBy = () => Promise.reject(new Problem({ status: 502, code: 'auth_refused', detail: 'refused' }));

  it('of users (password grant) are asked for each time and touch no cache, nor do their refusals', async () => {
    cache.token =
      cache.storeToken =
      cache.dropToken =
      cache.lock =
      cache.refusal =
      cache.storeRefusal =
        () => {
          throw new Error('the cache was touched');
        };
    expect([await textOf(user), await textOf(user), await textOf(user, 'a-fingerprint')]).toEqual([
      'token-1',
      'token-2',
      'token-3',
    ]);
    answer = refusedBy;
    await expect(service.token(user)).rejects.toThrow('refused');
    await expect(service.token(user)).rejects.toThrow('refused');
    expect(asked).toBe(5);
  });

  it('are not asked for by who gets the lock after another replica has stored one', async () => {
    cache.onLock = () => (cache.entry = aToken('of the other replica'));
    expect(await textOf(shop)).toBe('of the other replica');
    expect(asked).toBe(0);
  });

  it('come from the copy of this process for a moment, and from one look into Redis for all who ask at once after it', async () => {
    cache.entry = aToken('cached');
    await Promise.all(Array.from({ length: 50 }, () => service.token(shop)));
    expect(cache.reads).toBe(1);
    await service.token(shop);
    expect(cache.reads).toBe(1);
    travel(1_001);
    cache.entry = aToken('renewed by another replica');
    expect(await textOf(shop)).toBe('renewed by another replica');
    expect(cache.reads).toBe(2);
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
      const { fingerprint: refused } = await service.token(shop);
      answer = () => Promise.reject(new Error('down'));
      await expect(service.token(shop, refused)).rejects.toThrow('down');
      await expect(service.token(shop)).rejects.toThrow('down');
    }
  });

  it('that a renewal under way brings are asked for again when they are the refused one', async () => {
    cache.entry = aToken('refused', 0.1);
    const { fingerprint: refused } = cache.entry;
    let letGo: (token: CachedToken) => void = () => undefined;
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
    expect(await textOf(shop, fingerprintOf('token-1'))).toBe('last moment');
    expect(await textOf(shop)).toBe('last moment');
    expect(asked).toBe(3);
  });

  it('that are refused by the token API are not asked for again for a while, here or in another replica', async () => {
    answer = refusedBy;
    for (let i = 0; i < 3; i++)
      await expect(service.token(shop)).rejects.toMatchObject({ status: 502, headers: { 'retry-after': '10' } });
    expect(asked).toBe(1);
    expect(cache.known).toEqual({ status: 502, code: 'auth_refused', detail: 'refused', leftMs: 10_000 });
    start();
    await expect(service.token(shop)).rejects.toMatchObject({ code: 'auth_refused', detail: 'refused' });
    expect(asked).toBe(1);
  });

  it('that are refused are asked for each time when refusals are not kept, and when Redis is away by each process once', async () => {
    start(0);
    answer = refusedBy;
    await expect(service.token(shop)).rejects.toThrow('refused');
    await expect(service.token(shop)).rejects.toThrow('refused');
    expect(asked).toBe(2);
    cache.isAway = true;
    start();
    await expect(service.token(shop)).rejects.toThrow('refused');
    await expect(service.token(shop)).rejects.toThrow('refused');
    expect(asked).toBe(3);
  });

  it('that were refused do not come back from a look into Redis that was under way, or from an entry that could not be deleted', async () => {
    cache.entry = aToken('refused');
    const { fingerprint: refused } = cache.entry;
    const read = cache.token.bind(cache);
    let look: () => void = () => undefined;
    cache.token = () => new Promise((resolve) => (look = () => resolve(aToken('refused'))));
    const waiting = textOf(shop);
    cache.token = read;
    cache.isFull = true;
    travel(1);
    expect(await textOf(shop, refused)).toBe('token-1');
    look();
    expect(await waiting).toBe('token-1');
    travel(1_001);
    expect(await textOf(shop)).toBe('token-1');
    expect(cache.entry.accessToken).toBe('refused');
    expect(asked).toBe(1);
  });

  it('that were refused count again when the token API gives them out once more', async () => {
    answer = () => Promise.resolve(aToken('the same'));
    const { fingerprint } = await service.token(shop);
    expect(await textOf(shop, fingerprint)).toBe('the same');
    expect(await textOf(shop)).toBe('the same');
    const { length } = [...Array(asked)];
    await expect(service.token(shop, fingerprint)).rejects.toMatchObject({ status: 503 });
    expect(asked).toBe(length);
  });

  it('are handed out from the copy of this process while Redis takes no writes, also when it is due and the token API is away', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    cache.isFull = true;
    answer = () => Promise.resolve(aToken('due', 0.1));
    expect(await textOf(shop)).toBe('due');
    answer = () => Promise.reject(new TokenApiUnavailable('HTTP 503'));
    travel(1_001);
    for (let i = 0; i < 3; i++) {
      expect(await textOf(shop)).toBe('due');
      await settled();
    }
    expect(asked).toBe(2);
  });

  it('that were renewed meanwhile are not put back by a look into Redis that was slow', async () => {
    cache.entry = aToken('old', 0.1);
    let renew: () => void = () => undefined;
    answer = () => new Promise((resolve) => (renew = () => resolve(aToken('new'))));
    expect(await textOf(shop)).toBe('old');
    await settled();
    const read = cache.token.bind(cache);
    let look: () => void = () => undefined;
    cache.token = () => {
      const found = read();
      return new Promise((resolve) => (look = () => resolve(found)));
    };
    travel(1_001);
    const late = textOf(shop);
    travel(1);
    renew();
    await settled();
    look();
    expect(await late).toBe('new');
    expect(await textOf(shop)).toBe('new');
  });

  it('do not wait for the release of the lock', async () => {
    cache.lock = () => Promise.resolve({ release: () => new Promise<void>(() => undefined) });
    expect(await textOf(shop)).toBe('token-1');
  });

  it('are counted by where they came from', async () => {
    await service.token(shop);
    await service.token(shop);
    cache.entry = aToken('other');
    await service.token(shop, 'a-fingerprint');
    const text = await metrics.registry.getSingleMetricAsString('auth_tokens_served_total');
    for (const source of ['renewal', 'copy', 'cache'])
      expect(text).toMatch(new RegExp(`source="${source}".*\\} 1$`, 'm'));
  });
});
