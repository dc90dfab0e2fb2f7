import { createLogger, Metrics, Secret } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import type { AuthConfig } from '../auth.config.js';
import type { AuthEvents } from '../events/auth-events.producer.js';
import { TokenKeys } from '../token-keys.js';
import { fingerprintOf, type CachedToken } from '../tokens/cached-token.js';
import type { EntryStore, StoredEntry } from './entries.store.js';
import { TokenCache } from './token.cache.js';

const account = (name: string): Account => ({
  account: name,
  grant: 'client_credentials',
  clientId: name,
  clientSecret: new Secret('the-secret'),
});
const token: CachedToken = {
  accessToken: 'the-token',
  fingerprint: fingerprintOf('the-token'),
  lifetimeMs: 60_000,
  expiresAtMs: performance.now() + 60_000,
};

/** A cache, and what lies in Redis by its name. */
function aCache() {
  const redis = new Map<string, StoredEntry>();
  const entries = {
    read: (key: string) => Promise.resolve(redis.get(key)),
    set: (key: string, value: string, ttlMs: number) => Promise.resolve(void redis.set(key, { value, ttlMs })),
    deleteIfStill: (key: string) => Promise.resolve(redis.delete(key)),
  } as unknown as EntryStore;
  const config = {
    keys: new TokenKeys(Buffer.alloc(32, 1)),
    redisKeyPrefix: 'auth:',
    authUrl: new URL('https://auth.example'),
    accounts: { byName: () => undefined },
  } as unknown as AuthConfig;
  const events: string[] = [];
  const announce = { announce: (type: string) => events.push(type) } as unknown as AuthEvents;
  const log = createLogger({ name: 'test', destination: { write: () => undefined } });
  return { cache: new TokenCache(config, entries, log, new Metrics('test'), announce), redis, events };
}

it('a token lies in Redis sealed: neither it, nor its account or secret can be read there', async () => {
  const { cache, redis } = aCache();
  const entry = cache.entryOf(account('shop'));
  await cache.store(entry, token);
  const text = JSON.stringify([...redis]);
  expect(redis.size).toBe(1);
  for (const secret of ['the-token', 'the-secret', 'shop', token.fingerprint]) expect(text).not.toContain(secret);
  expect(await cache.read(entry)).toMatchObject({ accessToken: 'the-token' });
});

it('the entry of another account is not read, is taken away and is announced', async () => {
  const { cache, redis, events } = aCache();
  const [shop, other] = [cache.entryOf(account('shop')), cache.entryOf(account('other'))];
  await cache.store(shop, token);
  const [[key, stored] = []] = redis;
  redis.set(key!.replace(shop.name, other.name), stored!);
  expect(await cache.read(other)).toBeUndefined();
  expect(events).toEqual(['auth.entry.tampered']);
  expect([...redis.keys()]).toEqual([key]);
});
