import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Metrics, Problem, reasonOf, ServiceLogger } from '@tranche/service-kit';
import type { Account } from './accounts.js';
import { AuthConfig } from './auth.config.js';
import { isDueForRenewal, isUsable, type HeldToken } from './held-token.js';
import { TokenApiClient } from './token-api.client.js';
import { TokenCache, type Lock } from './token.cache.js';

const LOOK_AGAIN_MS = 40;
const RENEW_AGAIN_MS = 5_000;

/**
 * A token for an account: from the cache while it lives, renewed early while the old one is still handed out, asked for once however
 * many want it. Without Redis it still answers, from this process's own copy or by asking the token API itself.
 */
@Injectable()
export class TokenService {
  readonly #renewals = new Map<string, Promise<HeldToken>>();
  readonly #copies = new Map<string, HeldToken>();
  readonly #noRenewalBeforeMs = new Map<string, number>();
  readonly #served;

  constructor(
    private readonly config: AuthConfig,
    private readonly api: TokenApiClient,
    private readonly cache: TokenCache,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#served = metrics.counter({
      name: 'auth_tokens_served_total',
      help: 'Tokens handed out, by where they came from',
      labelNames: ['source'],
    });
  }

  /** `refused`: fingerprint of a token that the platform would not take. */
  async token(account: Account, refused?: string): Promise<HeldToken> {
    // A user's token: never kept, never shared.
    if (account.grant === 'password') return this.api.askForToken(account);
    const name = this.#nameOf(account);
    if (refused !== undefined) await this.#drop(name, refused);
    const held = await this.#held(name);
    if (held === undefined || this.fingerprint(held) === refused) {
      this.#served.inc({ source: 'renewal' });
      const token = await this.#renew(account, name, refused);
      // A renewal that was under way may have read the refused token before it was dropped.
      return this.fingerprint(token) === refused ? this.#renew(account, name, refused) : token;
    }
    if (isDueForRenewal(held, performance.now())) this.#renewBehind(account, name);
    this.#served.inc({ source: 'cache' });
    return held;
  }

  fingerprint({ accessToken }: HeldToken): string {
    return this.config.keys.fingerprint(accessToken);
  }

  #nameOf(account: Account): string {
    const clientId = account.grant === 'client_credentials' ? account.clientId : undefined;
    return this.config.keys.name([account.account, account.grant, account.scope, clientId, this.config.authUrl.href]);
  }

  async #held(name: string): Promise<HeldToken | undefined> {
    const held = await this.cache.read(name).catch((error: unknown) => {
      this.log.warn({ reason: reasonOf(error) }, "Redis is away: this process's own copy is used");
      return this.#copies.get(name);
    });
    if (held === undefined || !isUsable(held, performance.now())) return undefined;
    this.#copies.set(name, held);
    return held;
  }

  async #drop(name: string, refused: string): Promise<void> {
    const copy = this.#copies.get(name);
    if (copy !== undefined && this.fingerprint(copy) === refused) this.#copies.delete(name);
    try {
      if (await this.cache.drop(name, refused)) this.log.info({}, 'a refused token was dropped');
    } catch (error) {
      this.log.warn({ reason: reasonOf(error) }, 'Redis is away: a refused token stays in it');
    }
  }

  /** One renewal per account in this process, whoever asks. */
  #renew(account: Account, name: string, refused?: string): Promise<HeldToken> {
    const running = this.#renewals.get(name);
    if (running !== undefined) return running;
    const renewal = this.#renewOnce(account, name, refused)
      .then((token) => {
        this.#copies.set(name, token);
        return token;
      })
      .finally(() => this.#renewals.delete(name));
    this.#renewals.set(name, renewal);
    return renewal;
  }

  #renewBehind(account: Account, name: string): void {
    const now = performance.now();
    if (this.#renewals.has(name) || now < (this.#noRenewalBeforeMs.get(name) ?? 0)) return;
    this.#noRenewalBeforeMs.set(name, now + RENEW_AGAIN_MS);
    this.#renew(account, name).catch((error: unknown) =>
      this.log.warn({ account: account.account, reason: reasonOf(error) }, 'early renewal failed; the token in hand is still good'),
    );
  }

  /** One renewal per account among all replicas: who has the lock asks, the others wait for what comes into the cache. */
  async #renewOnce(account: Account, name: string, refused: string | undefined): Promise<HeldToken> {
    const lockLifetimeMs = this.config.authTimeoutMs + 2_000;
    const giveUpAtMs = performance.now() + 2 * lockLifetimeMs;
    while (performance.now() < giveUpAtMs) {
      let lock: Lock | undefined;
      let renewed: HeldToken | undefined;
      try {
        lock = await this.cache.lock(name, lockLifetimeMs);
        renewed = await this.cache.read(name);
      } catch (error) {
        this.log.warn({ reason: reasonOf(error) }, 'Redis is away: the token API is asked directly');
        return this.api.askForToken(account);
      }
      if (this.#isFresh(renewed, refused)) {
        await this.#release(lock);
        return renewed;
      }
      if (lock !== undefined) return this.#askAndStore(account, name, lock);
      await delay(LOOK_AGAIN_MS * (0.5 + Math.random()));
    }
    throw new Problem({
      status: 503,
      code: 'platform_unavailable',
      detail: 'Another replica is asking the token API and has no answer yet.',
      headers: { 'retry-after': '1' },
    });
  }

  #isFresh(token: HeldToken | undefined, refused: string | undefined): token is HeldToken {
    const now = performance.now();
    return token !== undefined && isUsable(token, now) && !isDueForRenewal(token, now) && this.fingerprint(token) !== refused;
  }

  async #askAndStore(account: Account, name: string, lock: Lock): Promise<HeldToken> {
    try {
      const token = await this.api.askForToken(account);
      await this.cache.store(name, token).catch((error: unknown) => {
        this.log.warn({ reason: reasonOf(error) }, 'Redis is away: the token is kept in this process only');
      });
      return token;
    } finally {
      await this.#release(lock);
    }
  }

  async #release(lock: Lock | undefined): Promise<void> {
    await lock
      ?.release()
      .catch((error: unknown) => this.log.debug({ reason: reasonOf(error) }, 'the lock was not released, it ends by itself'));
  }
}
