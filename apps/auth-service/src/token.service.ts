import { Injectable } from '@nestjs/common';
import { Metrics, reasonOf, ServiceLogger } from '@tranche/service-kit';
import type { Account } from './accounts.js';
import type { CacheEntry } from './cache-entry.js';
import { isDueForRenewal, isUsable, type HeldToken } from './held-token.js';
import type { TokenOf } from './realm.service.js';
import { RenewalService } from './renewal.service.js';
import { TokenIssuer } from './token-issuer.service.js';
import { TokenCache } from './token.cache.js';

/** So long this process's own copy answers without a look into Redis: what another replica dropped or renewed counts here by then. */
const COPY_MS = 1_000;
const RENEW_AGAIN_MS = 5_000;

interface Copy {
  token: HeldToken;
  askRedisAtMs: number;
}

/**
 * A token for an account: from the cache while it lives, renewed early while the old one is still handed out. Without Redis it still
 * answers, from this process's own copy or by asking the token API itself (docs/decisions/0011).
 */
@Injectable()
export class TokenService {
  readonly #copies = new Map<string, Copy>();
  readonly #reads = new Map<string, Promise<HeldToken | undefined>>();
  readonly #noRenewalBeforeMs = new Map<string, number>();
  readonly #tokenOf: TokenOf = (account, refused) => this.token(account, refused);
  readonly #served;

  constructor(
    private readonly renewals: RenewalService,
    private readonly issuer: TokenIssuer,
    private readonly cache: TokenCache,
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

  /** `refused`: fingerprint of a token that the platform would not take. */
  async token(account: Account, refused?: string): Promise<HeldToken> {
    // A user's token: never kept, never shared.
    if (account.grant === 'password') return this.issuer.issue(account, this.#tokenOf);
    const entry = this.cache.entryOf(account);
    const copy = refused === undefined ? this.#copy(entry) : undefined;
    const held = copy ?? (await (refused === undefined ? this.#read(entry) : this.#otherThan(refused, entry)));
    if (held === undefined) return this.#renewed(account, entry, refused);
    this.#served[copy === undefined ? 'cache' : 'copy'].inc();
    if (isDueForRenewal(held, performance.now(), entry.jitter)) this.#renewBehind(account, entry);
    return held;
  }

  #copy({ name }: CacheEntry): HeldToken | undefined {
    const copy = this.#copies.get(name);
    const now = performance.now();
    return copy !== undefined && now < copy.askRedisAtMs && isUsable(copy.token, now) ? copy.token : undefined;
  }

  /** One look into Redis at a time, whoever asks. */
  async #read(entry: CacheEntry): Promise<HeldToken | undefined> {
    const { name } = entry;
    const reading = this.#reads.get(name) ?? this.#look(entry).finally(() => this.#reads.delete(name));
    this.#reads.set(name, reading);
    return reading;
  }

  async #look(entry: CacheEntry): Promise<HeldToken | undefined> {
    try {
      return this.#taken(entry, await this.cache.read(entry));
    } catch (error) {
      this.log.warn({ reason: reasonOf(error) }, "Redis is away: this process's own copy is used");
      return this.#taken(entry, this.#copies.get(entry.name)?.token);
    }
  }

  /** Drops the refused token here and in Redis; what is there instead. */
  async #otherThan(refused: string, entry: CacheEntry): Promise<HeldToken | undefined> {
    if (this.#copies.get(entry.name)?.token.fingerprint === refused) this.#copies.delete(entry.name);
    try {
      return this.#taken(entry, await this.cache.drop(entry, refused));
    } catch (error) {
      this.log.warn({ reason: reasonOf(error) }, 'Redis is away: a refused token stays in it');
      return this.#taken(entry, this.#copies.get(entry.name)?.token);
    }
  }

  #taken(entry: CacheEntry, token: HeldToken | undefined): HeldToken | undefined {
    return token === undefined || !isUsable(token, performance.now()) ? undefined : this.#keep(entry, token);
  }

  async #renewed(account: Account, entry: CacheEntry, refused?: string): Promise<HeldToken> {
    this.#served.renewal.inc();
    const renewal = { account, entry, refused };
    const token = await this.renewals.renew(renewal, this.#tokenOf);
    // A renewal that was under way may have read the refused token before it was dropped.
    return this.#keep(entry, token.fingerprint === refused ? await this.renewals.renew(renewal, this.#tokenOf) : token);
  }

  #renewBehind(account: Account, entry: CacheEntry): void {
    const now = performance.now();
    if (this.renewals.isRunning(entry) || now < (this.#noRenewalBeforeMs.get(entry.name) ?? 0)) return;
    this.#noRenewalBeforeMs.set(entry.name, now + RENEW_AGAIN_MS);
    this.renewals
      .renew({ account, entry }, this.#tokenOf)
      .then((token) => this.#keep(entry, token))
      .catch((error: unknown) =>
        this.log.warn({ account: account.account, reason: reasonOf(error) }, 'early renewal failed; the token in hand is still good'),
      );
  }

  #keep({ name }: CacheEntry, token: HeldToken): HeldToken {
    this.#copies.set(name, { token, askRedisAtMs: performance.now() + COPY_MS });
    return token;
  }
}
