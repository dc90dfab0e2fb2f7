import { createLogger, Metrics, Secret } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import type { AuthConfig } from '../auth.config.js';
import type { AuthEvents } from '../token-api/token-issuer.service.js';
import { fingerprintOf, type CachedToken } from '../token-api/cached-token.js';
import { EncryptedEntries } from './encrypted-entries.store.js';
import type { EntryStore, StoredEntry } from './entries.store.js';
import { EntryKey } from '../entry-key.js';

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
    entryKey: new EntryKey(Buffer.alloc(32, 1)),
    redisKeyPrefix: 'auth:',
    authUrl: new URL('https://auth.example'),
    accounts: { byName: () => undefined },
  } as unknown as AuthConfig;
  const events: string[] = [];
  const announce = { announce: (type: string) => events.push(type) } as unknown as AuthEvents;
  const log = createLogger({ name: 'test', destination: { write: () => undefined } });
  return { cache: new EncryptedEntries(config, entries, announce, log, new Metrics('test')), redis, events };
}

it('a token lies in Redis sealed: neither it, nor its account or secret can be read there', async () => {
  const { cache, redis } = aCache();
  const entry = cache.namesOf(account('shop'));
  await cache.storeToken(entry, token);
  const text = JSON.stringify([...redis]);
  expect(redis.size).toBe(1);
  for (const secret of ['the-token', 'the-secret', 'shop', token.fingerprint]) expect(text).not.toContain(secret);
  expect(await cache.token(entry)).toMatchObject({ accessToken: 'the-token' });
});

it('the entry of another account is not read, is taken away and is announced', async () => {
  const { cache, redis, events } = aCache();
  const [shop, other] = [cache.namesOf(account('shop')), cache.namesOf(account('other'))];
  await cache.storeToken(shop, token);
  const [[key, stored] = []] = redis;
  redis.set(other.token, stored!);
  expect(key).toBe(shop.token);
  expect(await cache.token(other)).toBeUndefined();
  expect(events).toEqual(['auth.entry.tampered']);
  expect([...redis.keys()]).toEqual([key]);
});
