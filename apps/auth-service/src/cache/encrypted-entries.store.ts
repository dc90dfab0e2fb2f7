import { Injectable } from '@nestjs/common';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { AuthEvents } from '../token-api/token-issuer.service.js';
import { readStoredToken, storedTokenOf, usableMs, type CachedToken } from '../token-api/cached-token.js';
import { EntryStore, type Lock, type StoredEntry } from './entries.store.js';
import type { Refusal } from './refusal.js';

/** Names of an account's entries. They are HMACs, so that Redis shows neither accounts nor equal secrets. */
export interface EntryNames {
  account: string;
  token: string;
  /** Lock of the renewal. */
  lock: string;
  /** Includes the secrets of the account and its discoverer, so that corrected ones have no old refusal. */
  refusal: string;
}

/**
 * Entries in Redis: `<prefix>token:<name>` = the encrypted token, which expires when it may no longer be handed out; `<prefix>lock:<name>`
 * = the holder of the renewal lock; `<prefix>refusal:<name of the credentials>` = the token API's refusal. Rejects if Redis is down, slow
 * or takes no writes.
 */
@Injectable()
export class EncryptedEntries {
  readonly #tampered;

  constructor(
    private readonly config: AuthConfig,
    private readonly entries: EntryStore,
    private readonly events: AuthEvents,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#tampered = metrics.counterFromZero({
      name: 'auth_cache_entries_refused_total',
      help: 'Entries in Redis that were not used, because they were tampered with',
      labels: { reason: ['tampered'] },
    });
  }

  /** If false, a missing token proves nothing: Redis may have taken none. */
  get takesWrites(): boolean {
    return this.entries.takesWrites;
  }

  namesOf(account: Account): EntryNames {
    const { accounts, authUrl, entryKey, redisKeyPrefix } = this.config;
    const clientId = account.grant === 'client_credentials' ? account.clientId : undefined;
    const parts = [account.account, account.grant, account.scope, account.scopeFrom, clientId, authUrl.href];
    const discoverer = account.scopeFrom === undefined ? undefined : accounts.byName(account.scopeFrom);
    const secrets = [account, ...(discoverer === undefined ? [] : [discoverer])].map(secretOf);
    const name = entryKey.name(parts);
    return {
      account: account.account,
      token: `${redisKeyPrefix}token:${name}`,
      lock: `${redisKeyPrefix}lock:${name}`,
      refusal: `${redisKeyPrefix}refusal:${entryKey.name([...parts, 'refusal', ...secrets])}`,
    };
  }

  async token(names: EntryNames): Promise<CachedToken | undefined> {
    return (await this.#storedToken(names))?.token;
  }

  async storeToken(names: EntryNames, token: CachedToken): Promise<void> {
    const now = performance.now();
    const ttlMs = usableMs(token, now);
    if (ttlMs > 0) await this.#set(names.token, storedTokenOf(token, now, Date.now()), ttlMs);
  }

  /** Drops the refused token, but not one that was renewed meanwhile. Returns the token that is there afterwards. */
  async dropToken(
    names: EntryNames,
    fingerprint: string,
    mayGo: (token: CachedToken) => boolean,
  ): Promise<CachedToken | undefined> {
    const found = await this.#storedToken(names);
    if (found === undefined) return undefined;
    if (found.token.fingerprint !== fingerprint || !mayGo(found.token)) return found.token;
    if (await this.entries.deleteIfStill(names.token, found.stored)) {
      const { account } = names;
      this.log.info({ account, fingerprint }, 'a refused token was dropped');
      this.events.announce('auth.token.invalidated', { account, fingerprint, reason: 'reported as refused' });
    }
    return undefined;
  }

  /** Undefined while another process has the lock, which expires soon after its holder dies. */
  lock(names: EntryNames, longestMs: number): Promise<Lock | undefined> {
    return this.entries.lock(names.lock, longestMs);
  }

  async refusal(names: EntryNames): Promise<Refusal | undefined> {
    const found = await this.#open(names.account, names.refusal);
    return found === undefined ? undefined : { ...(JSON.parse(found.text) as Refusal), leftMs: found.stored.ttlMs };
  }

  async storeRefusal(names: EntryNames, { leftMs, ...said }: Refusal): Promise<void> {
    await this.#set(names.refusal, JSON.stringify(said), leftMs);
  }

  async #storedToken(names: EntryNames): Promise<{ token: CachedToken; stored: StoredEntry } | undefined> {
    const askedAtMs = performance.now();
    const found = await this.#open(names.account, names.token);
    if (found === undefined) return undefined;
    return { token: readStoredToken(found.text, found.stored.ttlMs, askedAtMs, Date.now()), stored: found.stored };
  }

  /** Undefined for an entry without a time to live too: this service always sets one, and its next write overwrites the entry. */
  async #open(account: string, key: string): Promise<{ text: string; stored: StoredEntry } | undefined> {
    const stored = await this.entries.read(key);
    if (stored === undefined) return undefined;
    const text = this.config.entryKey.open(stored.value, key);
    if (text === undefined) await this.#alarm(account, key, stored);
    return text === undefined || stored.ttlMs <= 0 ? undefined : { text, stored };
  }

  /** Removes the entry; the process that removed it raises the alarm, so that there is one. */
  async #alarm(account: string, key: string, stored: StoredEntry): Promise<void> {
    if (!(await this.entries.deleteIfStill(key, stored))) return;
    const reason = 'a cached entry was changed or comes from another account';
    this.log.error({ account, entry: key }, `${reason}: it is refused and was taken away`);
    this.events.announce('auth.entry.tampered', { account, reason });
    this.#tampered.inc({ reason: 'tampered' });
  }

  async #set(key: string, text: string, ttlMs: number): Promise<void> {
    await this.entries.set(key, this.config.entryKey.seal(text, key), ttlMs);
  }
}

function secretOf(account: Account): string {
  return (account.grant === 'client_credentials' ? account.clientSecret : account.password).reveal();
}
