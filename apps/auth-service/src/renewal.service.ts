import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Problem, reasonOf, ServiceLogger } from '@tranche/service-kit';
import type { Account } from './accounts.js';
import { AuthConfig } from './auth.config.js';
import type { CacheEntry } from './cache-entry.js';
import { isDueForRenewal, isUsable, type HeldToken } from './held-token.js';
import type { TokenOf } from './realm.service.js';
import { isRefusal, TokenIssuer } from './token-issuer.service.js';
import { TokenCache, type Lock, type Refusal } from './token.cache.js';

const LOOK_AGAIN_MS = 40;
/** On top of what the calls under a lock may take. */
const LOCK_MARGIN_MS = 2_000;
/** A discovery is up to three calls more. */
const CALLS_WITH_DISCOVERY = 4;

export interface Renewal {
  account: Account;
  entry: CacheEntry;
  /** Fingerprint of a token that the platform would not take: that one is not fresh. */
  refused?: string;
}

/**
 * A new token, asked for once however many want it: one call in this process, one among all replicas. What the token API refuses is not
 * asked again for REFUSAL_SECONDS.
 */
@Injectable()
export class RenewalService {
  readonly #running = new Map<string, Promise<HeldToken>>();
  readonly #refusals = new Map<string, { refusal: Refusal; untilMs: number }>();

  constructor(
    private readonly config: AuthConfig,
    private readonly cache: TokenCache,
    private readonly issuer: TokenIssuer,
    private readonly log: ServiceLogger,
  ) {}

  /** One per account in this process, whoever asks: a renewal that runs is joined. */
  renew(renewal: Renewal, tokenOf: TokenOf): Promise<HeldToken> {
    const { name } = renewal.entry;
    const running = this.#running.get(name) ?? this.#once(renewal, tokenOf).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  isRunning({ name }: CacheEntry): boolean {
    return this.#running.has(name);
  }

  /** One per account among all replicas: who has the lock asks, the others wait for what comes into the cache. */
  async #once(renewal: Renewal, tokenOf: TokenOf): Promise<HeldToken> {
    const { account, entry } = renewal;
    this.#throwIfRefused(entry);
    const calls = account.scopeFrom === undefined ? 1 : CALLS_WITH_DISCOVERY;
    const lockLifetimeMs = calls * this.config.authTimeoutMs + LOCK_MARGIN_MS;
    const giveUpAtMs = performance.now() + 2 * lockLifetimeMs;
    while (performance.now() < giveUpAtMs) {
      let lock: Lock | undefined;
      let found: HeldToken | undefined;
      let refusal: Refusal | undefined;
      try {
        lock = await this.cache.lock(entry, lockLifetimeMs);
        [found, refusal] = await Promise.all([this.cache.read(entry), this.cache.refusal(entry)]);
      } catch (error) {
        this.log.warn({ reason: reasonOf(error) }, 'Redis is away: the token API is asked directly');
        return this.#ask(renewal, tokenOf).finally(() => this.#release(lock));
      }
      if (isFresh(found, renewal)) {
        await this.#release(lock);
        return found;
      }
      if (refusal !== undefined) {
        await this.#release(lock);
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

  async #askAndStore(renewal: Renewal, tokenOf: TokenOf, lock: Lock): Promise<HeldToken> {
    try {
      const token = await this.#ask(renewal, tokenOf);
      await this.cache.store(renewal.entry, token).catch((error: unknown) => {
        this.log.warn({ reason: reasonOf(error) }, 'Redis is away: the token is kept in this process only');
      });
      return token;
    } finally {
      await this.#release(lock);
    }
  }

  async #ask({ account, entry }: Renewal, tokenOf: TokenOf): Promise<HeldToken> {
    try {
      return await this.issuer.issue(account, tokenOf);
    } catch (error) {
      const leftMs = this.config.refusalSeconds * 1_000;
      if (!isRefusal(error) || leftMs === 0) throw error;
      const refusal = { code: error.code, detail: error.detail ?? '', leftMs };
      await this.cache.storeRefusal(entry, refusal).catch((cause: unknown) => {
        this.log.warn({ reason: reasonOf(cause) }, 'Redis is away: the refusal is known to this process only');
      });
      throw this.#remember(entry, refusal);
    }
  }

  #remember({ credentialsName }: CacheEntry, refusal: Refusal): Problem {
    this.#refusals.set(credentialsName, { refusal, untilMs: performance.now() + refusal.leftMs });
    return problemOf(refusal);
  }

  #throwIfRefused({ credentialsName }: CacheEntry): void {
    const known = this.#refusals.get(credentialsName);
    if (known === undefined) return;
    const leftMs = known.untilMs - performance.now();
    if (leftMs > 0) throw problemOf({ ...known.refusal, leftMs });
    this.#refusals.delete(credentialsName);
  }

  async #release(lock: Lock | undefined): Promise<void> {
    await lock
      ?.release()
      .catch((error: unknown) => this.log.debug({ reason: reasonOf(error) }, 'the lock was not released, it ends by itself'));
  }
}

function isFresh(token: HeldToken | undefined, { entry, refused }: Renewal): token is HeldToken {
  const now = performance.now();
  return token !== undefined && isUsable(token, now) && !isDueForRenewal(token, now, entry.jitter) && token.fingerprint !== refused;
}

function problemOf({ code, detail, leftMs }: Refusal): Problem {
  return new Problem({ status: 502, code, detail, headers: { 'retry-after': String(Math.ceil(leftMs / 1_000)) } });
}
