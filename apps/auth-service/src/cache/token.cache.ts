import { Injectable } from '@nestjs/common';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { AuthEvents } from '../events/auth-events.producer.js';
import { cacheEntryOf, type CacheEntry } from './cache-entry.js';
import { EntryStore, type Lock, type StoredEntry } from './entries.store.js';
import { usableMs, type CachedToken } from '../tokens/cached-token.js';
import { readSealedToken, sealedTokenOf } from './sealed-token.js';
import type { Refusal } from '../tokens/refusal.js';

/**
 * Entries in Redis: `<prefix>token:<name>` = the encrypted token, which expires when it may no longer be handed out; `<prefix>lock:<name>`
 * = the holder of the renewal lock; `<prefix>refusal:<name of the credentials>` = the token API's refusal. Rejects if Redis is down, slow
 * or takes no writes.
 */
@Injectable()
export class TokenCache {
  readonly #refusedEntries;
  readonly #entryOf = new Map<Account, CacheEntry>();
  /** Per name, the last envelope encrypted with an unknown key, so that each is logged once. */
  readonly #foreign = new Map<string, string>();

  constructor(
    private readonly config: AuthConfig,
    private readonly entries: EntryStore,
    private readonly log: ServiceLogger,
    metrics: Metrics,
    private readonly events: AuthEvents,
  ) {
    this.#refusedEntries = metrics.counter({
      name: 'auth_cache_entries_refused_total',
      help: 'Entries in Redis that were not used: sealed with a key that is not configured, or tampered with',
      labelNames: ['reason'],
    });
  }

  entryOf(account: Account): CacheEntry {
    let entry = this.#entryOf.get(account);
    if (entry === undefined) this.#entryOf.set(account, (entry = cacheEntryOf(account, this.config, Math.random())));
    return entry;
  }

  /** False if a missing token proves nothing: Redis takes no writes, or replicas with other keys write under the same name. */
  isMissAuthoritative({ name }: CacheEntry): boolean {
    return this.entries.takesWrites && !this.#foreign.has(this.#key('token', name));
  }

  async read(entry: CacheEntry): Promise<CachedToken | undefined> {
    return (await this.#readToken(entry))?.token;
  }

  async store({ name }: CacheEntry, token: CachedToken): Promise<void> {
    const now = performance.now();
    const ttlMs = usableMs(token, now);
    if (ttlMs > 0) await this.#set(this.#key('token', name), sealedTokenOf(token, now, Date.now()), ttlMs);
  }

  /** Drops the refused token, but not one that was renewed meanwhile. Returns the token that is there afterwards. */
  async drop(
    entry: CacheEntry,
    fingerprint: string,
    mayGo: (token: CachedToken) => boolean,
  ): Promise<CachedToken | undefined> {
    const found = await this.#readToken(entry);
    if (found === undefined) return undefined;
    if (found.token.fingerprint !== fingerprint || !mayGo(found.token)) return found.token;
    if (await this.entries.deleteIfStill(this.#key('token', entry.name), found.stored)) {
      const { account } = entry;
      this.log.info({ account, fingerprint }, 'a refused token was dropped');
      this.events.announce('auth.token.invalidated', { account, fingerprint, reason: 'reported as refused' });
    }
    return undefined;
  }

  /** Undefined while another process has the lock, which expires soon after its holder dies. */
  lock({ name }: CacheEntry, longestMs: number): Promise<Lock | undefined> {
    return this.entries.lock(this.#key('lock', name), longestMs);
  }

  async refusal(entry: CacheEntry): Promise<Refusal | undefined> {
    const found = await this.#open(entry, this.#key('refusal', entry.credentialsName));
    return found === undefined ? undefined : { ...(JSON.parse(found.text) as Refusal), leftMs: found.stored.ttlMs };
  }

  async storeRefusal({ credentialsName }: CacheEntry, { leftMs, ...said }: Refusal): Promise<void> {
    await this.#set(this.#key('refusal', credentialsName), JSON.stringify(said), leftMs);
  }

  async #readToken(entry: CacheEntry): Promise<{ token: CachedToken; stored: StoredEntry } | undefined> {
    const askedAtMs = performance.now();
    const found = await this.#open(entry, this.#key('token', entry.name));
    if (found === undefined) return undefined;
    return { token: readSealedToken(found.text, found.stored.ttlMs, askedAtMs, Date.now()), stored: found.stored };
  }

  async #open(entry: CacheEntry, key: string): Promise<{ text: string; stored: StoredEntry } | undefined> {
    const stored = await this.entries.read(key);
    const opened = stored === undefined ? undefined : this.#opened(stored, key);
    if (opened === undefined || opened.fault !== 'unknown_key') this.#foreign.delete(key);
    if (stored === undefined || opened === undefined) return undefined;
    if (opened.text !== undefined) return { text: opened.text, stored };
    await this.#refuse(entry, key, stored, opened.fault);
    return undefined;
  }

  /** Undefined if the entry has no time to live: this service always sets one. The next write overwrites the entry. */
  #opened({ value, ttlMs }: StoredEntry, key: string) {
    if (value === undefined) return { fault: 'tampered' as const };
    if (ttlMs <= 0) return undefined;
    const opened = this.config.keys.open(value, key);
    return 'text' in opened ? { text: opened.text, fault: undefined } : { text: undefined, fault: opened.fault };
  }

  /**
   * An entry with an unknown key belongs to a replica with other keys, or to an earlier configuration; it will be overwritten. A tampered
   * one is removed, and the process that removed it raises the alarm.
   */
  async #refuse(
    { account }: CacheEntry,
    key: string,
    stored: StoredEntry,
    reason: 'unknown_key' | 'tampered',
  ): Promise<void> {
    if (reason === 'tampered') {
      if (!(await this.entries.deleteIfStill(key, stored))) return;
      this.log.error(
        { account, entry: key },
        'a cached entry was changed or comes from another account: it is refused and was taken away',
      );
      this.events.announce('auth.entry.tampered', {
        account,
        reason: 'a cached entry was changed or comes from another account',
      });
    } else {
      if (this.#foreign.get(key) === stored.value) return;
      this.#foreign.set(key, stored.value ?? '');
      this.log.warn(
        { account, keyId: this.config.keys.keyId },
        'a cached entry was sealed with a key that is not configured: it is not used',
      );
    }
    this.#refusedEntries.inc({ reason });
  }

  async #set(key: string, text: string, ttlMs: number): Promise<void> {
    await this.entries.set(key, this.config.keys.seal(text, key), ttlMs);
  }

  #key(kind: 'token' | 'lock' | 'refusal', name: string): string {
    return `${this.config.redisKeyPrefix}${kind}:${name}`;
  }
}
