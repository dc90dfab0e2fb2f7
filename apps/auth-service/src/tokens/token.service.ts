import { Injectable } from '@nestjs/common';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { reasonOf } from '@tranche/runtime';
import type { Account } from '../accounts.js';
import type { CacheEntry } from '../cache/cache-entry.js';
import { isDueForRenewal, type CachedToken } from './cached-token.js';
import { problemOfRefusal } from './refusal.js';
import type { TokenProvider } from '../token-api/realm.service.js';
import { RenewalService } from './renewal.service.js';
import { TokenCopies } from '../cache/token-copies.cache.js';
import { TokenCache } from '../cache/token.cache.js';

const RENEW_AGAIN_MS = 5_000;
const REFUSED_AGAIN = 'The platform refused a token that was asked for just now in place of a refused one.';

/**
 * Returns an account's token from the cache; renews it early while the old one is still handed out. Without Redis it uses this process's
 * copy or asks the token API (docs/decisions/0011).
 */
@Injectable()
export class TokenService {
  readonly #reads = new Map<string, Promise<CachedToken | undefined>>();
  readonly #noRenewalBeforeMs = new Map<string, number>();
  readonly #tokenOf: TokenProvider = (account, refused) => this.token(account, refused);
  readonly #served;

  constructor(
    private readonly renewals: RenewalService,
    private readonly cache: TokenCache,
    private readonly copies: TokenCopies,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    const served = metrics.counter({
      name: 'auth_tokens_served_total',
      help: 'Tokens handed out, by where they came from',
      labelNames: ['source'],
    });
    this.#served = { copy: served.labels('copy'), cache: served.labels('cache'), renewal: served.labels('renewal') };
  }

  /** @param refused fingerprint of a token that the platform refused */
  async token(account: Account, refused?: string): Promise<CachedToken> {
    if (account.grant === 'password') return this.renewals.issueUnshared(account, this.#tokenOf);
    const entry = this.cache.entryOf(account);
    const copy = refused === undefined ? this.copies.current(entry) : undefined;
    const token = copy ?? (await (refused === undefined ? this.#read(entry) : this.#otherThan(refused, entry)));
    if (token === undefined) return this.#renewed(account, entry, refused);
    this.#served[copy === undefined ? 'cache' : 'copy'].inc();
    if (isDueForRenewal(token, performance.now(), entry.jitter)) this.#renewBehind(account, entry);
    return token;
  }

  /** Concurrent callers share one read from Redis. */
  async #read(entry: CacheEntry): Promise<CachedToken | undefined> {
    const { name } = entry;
    const reading = this.#reads.get(name) ?? this.#look(entry).finally(() => this.#reads.delete(name));
    this.#reads.set(name, reading);
    return reading;
  }

  async #look(entry: CacheEntry): Promise<CachedToken | undefined> {
    const askedAtMs = performance.now();
    let found: CachedToken | undefined;
    try {
      found = await this.cache.read(entry);
    } catch (error) {
      this.log.warn({ reason: reasonOf(error) }, "Redis is away: this process's own copy is used");
      return this.#own(entry);
    }
    return found === undefined && !this.cache.isMissAuthoritative(entry)
      ? this.#own(entry)
      : this.#taken(entry, found, askedAtMs);
  }

  /** Drops the refused token from the copy and from Redis, and returns the token that is there instead. */
  async #otherThan(refused: string, entry: CacheEntry): Promise<CachedToken | undefined> {
    this.#throwIfTooSoon(refused, this.copies.usable(entry));
    const askedAtMs = performance.now();
    let found: CachedToken | undefined;
    try {
      found = await this.cache.drop(entry, refused, (token) => this.copies.mayGoInMs(token) === 0);
    } catch (error) {
      this.log.warn({ reason: reasonOf(error) }, 'Redis is away or takes no writes: a refused token stays in it');
      found = this.copies.usable(entry);
    }
    this.#throwIfTooSoon(refused, found);
    this.copies.refuse(entry, refused);
    return found === undefined && !this.cache.isMissAuthoritative(entry)
      ? this.#own(entry)
      : this.#taken(entry, found, askedAtMs);
  }

  /** Otherwise a platform that refuses every token would turn each report into a call of the token API. */
  #throwIfTooSoon(refused: string, token: CachedToken | undefined): void {
    const leftMs = token?.fingerprint === refused ? this.copies.mayGoInMs(token) : 0;
    if (leftMs > 0)
      throw problemOfRefusal({ status: 503, code: 'platform_unavailable', detail: REFUSED_AGAIN, leftMs });
  }

  #own(entry: CacheEntry): CachedToken | undefined {
    return this.#taken(entry, this.copies.usable(entry));
  }

  #taken(entry: CacheEntry, token: CachedToken | undefined, askedAtMs?: number): CachedToken | undefined {
    return token === undefined ? undefined : this.copies.keep(entry, token, askedAtMs);
  }

  async #renewed(account: Account, entry: CacheEntry, refused?: string): Promise<CachedToken> {
    this.#served.renewal.inc();
    const renewal = { account, entry, refused };
    const token = await this.renewals.renew(renewal, this.#tokenOf);
    // A renewal in progress may have obtained the refused token before it was reported.
    if (!this.copies.isRefused(entry, token)) return this.#keep(entry, token);
    const other = await this.renewals.renew(renewal, this.#tokenOf);
    this.copies.clearRefusal(entry, other);
    return this.#keep(entry, other);
  }

  #renewBehind(account: Account, entry: CacheEntry): void {
    const now = performance.now();
    if (this.renewals.isRunning(entry) || now < (this.#noRenewalBeforeMs.get(entry.name) ?? 0)) return;
    this.#noRenewalBeforeMs.set(entry.name, now + RENEW_AGAIN_MS);
    this.renewals
      .renew({ account, entry }, this.#tokenOf)
      .then((token) => this.#keep(entry, token))
      .catch((error: unknown) =>
        this.log.warn(
          { account: account.account, reason: reasonOf(error) },
          'early renewal failed; the token in hand is still good',
        ),
      );
  }

  /** Returns the token even if it is not kept. */
  #keep(entry: CacheEntry, token: CachedToken): CachedToken {
    this.copies.keep(entry, token);
    return token;
  }
}
