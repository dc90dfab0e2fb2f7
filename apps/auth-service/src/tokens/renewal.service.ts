import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { reasonOf } from '@tranche/runtime';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import type { CacheEntry } from '../cache/cache-entry.js';
import { isDueForRenewal, isUsable, type CachedToken } from './cached-token.js';
import type { TokenProvider } from '../token-api/realm.service.js';
import { problemOfRefusal, refusalOf, type Refusal } from './refusal.js';
import type { Lock } from '../cache/entries.store.js';
import { TokenCopies } from '../cache/token-copies.cache.js';
import { TokenIssuer } from '../token-api/token-issuer.service.js';
import { TokenCache } from '../cache/token.cache.js';

const LOOK_AGAIN_MS = 40;
/** Answers of Redis that are added to the time limit of a renewal; it needs fewer. */
const REDIS_ANSWERS = 5;
/** A discovery adds up to two tokens and two requests for the realm. */
const CALLS_WITH_DISCOVERY = 5;

export interface Renewal {
  account: Account;
  entry: CacheEntry;
  /** Fingerprint of a token that the platform refused, which therefore does not count as fresh. */
  refused?: string;
}

/**
 * Gets a new token once for all who need it: one call per process, and one among all replicas. A refusal by the token API is stored for
 * REFUSAL_SECONDS; an unavailable API is retried with growing delays.
 */
@Injectable()
export class RenewalService {
  readonly #running = new Map<string, Promise<CachedToken>>();
  readonly #refusals = new Map<string, { refusal: Refusal; untilMs: number }>();

  constructor(
    private readonly config: AuthConfig,
    private readonly cache: TokenCache,
    private readonly issuer: TokenIssuer,
    private readonly copies: TokenCopies,
    private readonly log: ServiceLogger,
  ) {}

  /** One renewal per account in this process; later calls join it. */
  renew(renewal: Renewal, tokenOf: TokenProvider): Promise<CachedToken> {
    const { name } = renewal.entry;
    const running = this.#running.get(name) ?? this.#once(renewal, tokenOf).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  /** A user's token is never stored or shared. */
  issueUnshared(account: Account, tokenOf: TokenProvider): Promise<CachedToken> {
    return this.issuer.issue(account, tokenOf);
  }

  isRunning({ name }: CacheEntry): boolean {
    return this.#running.has(name);
  }

  /** One renewal per account among all replicas: the lock's holder asks the API, the others wait for the entry in the cache. */
  async #once(renewal: Renewal, tokenOf: TokenProvider): Promise<CachedToken> {
    const { account, entry } = renewal;
    this.#throwIfRefused(entry);
    const calls = account.scopeFrom === undefined ? 1 : CALLS_WITH_DISCOVERY;
    const longestMs = calls * this.config.authTimeoutMs + REDIS_ANSWERS * this.config.redisAnswerMs;
    const giveUpAtMs = performance.now() + 2 * longestMs;
    while (performance.now() < giveUpAtMs) {
      let lock: Lock | undefined;
      let found: CachedToken | undefined;
      let refusal: Refusal | undefined;
      try {
        lock = await this.cache.lock(entry, longestMs);
        [found, refusal] = await Promise.all([this.cache.read(entry), this.cache.refusal(entry)]);
      } catch (error) {
        return this.#withoutRedis(renewal, tokenOf, error).finally(() => this.#release(lock));
      }
      if (found !== undefined && this.#isFresh(found, renewal)) {
        this.#release(lock);
        return found;
      }
      if (refusal !== undefined) {
        this.#release(lock);
        throw this.#remember(entry, refusal);
      }
      if (lock !== undefined) return this.#askAndStore(renewal, tokenOf, lock);
      await delay(LOOK_AGAIN_MS * (0.5 + Math.random()));
    }
    throw new Problem({
      status: 503,
      code: 'platform_unavailable',
      detail: 'Another replica is asking the token API and has no answer yet.',
      headers: { 'retry-after': '1' },
    });
  }

  /** Without Redis several processes may ask at once. Their own copies keep later requests from doing so. */
  async #withoutRedis(renewal: Renewal, tokenOf: TokenProvider, cause: unknown): Promise<CachedToken> {
    const own = this.copies.usable(renewal.entry);
    if (own !== undefined && this.#isFresh(own, renewal)) return own;
    this.log.warn({ reason: reasonOf(cause) }, 'Redis is away or takes no writes: the token API is asked directly');
    try {
      return await this.#ask(renewal, tokenOf);
    } catch (error) {
      if (own === undefined || own.fingerprint === renewal.refused) throw error;
      return own;
    }
  }

  async #askAndStore(renewal: Renewal, tokenOf: TokenProvider, lock: Lock): Promise<CachedToken> {
    try {
      const token = await this.#ask(renewal, tokenOf);
      await this.cache.store(renewal.entry, token).catch((error: unknown) => {
        this.log.warn(
          { reason: reasonOf(error) },
          'Redis is away or takes no writes: the token is kept in this process only',
        );
      });
      return token;
    } finally {
      this.#release(lock);
    }
  }

  async #ask({ account, entry, refused }: Renewal, tokenOf: TokenProvider): Promise<CachedToken> {
    try {
      const token = await this.issuer.issue(account, tokenOf);
      this.#refusals.delete(entry.credentialsName);
      return refused === undefined ? token : { ...token, replacesRefused: true };
    } catch (error) {
      const failures = this.#refusals.get(entry.credentialsName)?.refusal.failures ?? 0;
      const refusal = refusalOf(error, failures, this.config.refusalSeconds);
      if (refusal === undefined) throw error;
      await this.cache.storeRefusal(entry, refusal).catch((cause: unknown) => {
        this.log.warn(
          { reason: reasonOf(cause) },
          'Redis is away or takes no writes: the refusal is known to this process only',
        );
      });
      throw this.#remember(entry, refusal);
    }
  }

  #remember({ credentialsName }: CacheEntry, refusal: Refusal): Problem {
    this.#refusals.set(credentialsName, { refusal, untilMs: performance.now() + refusal.leftMs });
    return problemOfRefusal(refusal);
  }

  /** An expired back-off stays in the map, because it counts the consecutive failures. */
  #throwIfRefused({ credentialsName }: CacheEntry): void {
    const known = this.#refusals.get(credentialsName);
    if (known === undefined) return;
    const leftMs = known.untilMs - performance.now();
    if (leftMs > 0) throw problemOfRefusal({ ...known.refusal, leftMs });
  }

  #isFresh(token: CachedToken, { entry, refused }: Renewal): boolean {
    if (token.fingerprint === refused || this.copies.isRefused(entry, token)) return false;
    const now = performance.now();
    return isUsable(token, now) && !isDueForRenewal(token, now, entry.jitter);
  }

  /** In the background, so that no request waits for it. */
  #release(lock: Lock | undefined): void {
    lock
      ?.release()
      .catch((error: unknown) =>
        this.log.debug({ reason: reasonOf(error) }, 'the lock was not released, it ends by itself'),
      );
  }
}
