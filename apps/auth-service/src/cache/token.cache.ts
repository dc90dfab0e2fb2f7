import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { keepNewest, reasonOf } from '@tranche/runtime';
import { Metrics, Problem, ServiceLogger } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { AuthConfig } from '../auth.config.js';
import { TokenIssuer, type TokenProvider } from '../token-api/token-issuer.service.js';
import { ageMs, isDueForRenewal, isUsable, LONGEST_LIFETIME_MS, type CachedToken } from '../token-api/cached-token.js';
import { EncryptedEntries, type EntryNames } from './encrypted-entries.store.js';
import type { Lock } from './entries.store.js';
import { problemOfRefusal, refusalOf, type Refusal } from './refusal.js';

/** Milliseconds that this process's copy is used without reading Redis; a change by another replica takes effect within this time. */
const COPY_MS = 1_000;
const RENEW_AGAIN_MS = 5_000;
/** Maximum per account, because callers may report any fingerprint. */
const REFUSED_TOKENS_MAX = 8;
const LOOK_AGAIN_MS = 40;
/** Answers of Redis that are added to the time limit of a fetch; it needs fewer. */
const REDIS_ANSWERS = 5;
/** A discovery adds up to two tokens and two requests for the realm. */
const CALLS_WITH_DISCOVERY = 5;
const NO_REDIS = 'Redis is away or takes no writes';

/** The token of one account, as this process knows it. */
interface TokenState {
  readonly account: Account;
  readonly names: EntryNames;
  /** Random factor 0–1 per replica; spreads renewals over the renewal window. */
  readonly jitter: number;
  copy?: { token: CachedToken; keptAtMs: number };
  reading?: Promise<CachedToken | undefined>;
  fetching?: Promise<CachedToken>;
  renewNotBeforeMs: number;
  /** Tokens that callers reported as refused: until when, by fingerprint. */
  readonly refusedTokens: Map<string, number>;
  /** The token API's last refusal. It stays when its time is over, because it counts the consecutive failures. */
  refusal?: { said: Refusal; untilMs: number };
}

/**
 * The whole life of a token. *Fresh*: this process's copy is handed out, for a second without a look into Redis. *Due*: one caller's
 * renewal runs behind, while the old token is still handed out. *Refused*: a token that a caller reports is never handed out again. *None*:
 * one fetch per account in this process, and one among all replicas: the lock's holder asks the API, the others wait for its entry. What
 * the API refuses is not asked again for a while. Without Redis the copy lives on, and each process asks alone (docs/decisions/0011).
 */
@Injectable()
export class TokenCache {
  readonly #states = new Map<Account, TokenState>();
  readonly #tokenOf: TokenProvider = (account, refused) => this.token(account, refused);
  readonly #served;

  constructor(
    private readonly config: AuthConfig,
    private readonly entries: EncryptedEntries,
    private readonly issuer: TokenIssuer,
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

  /**
   * A user's token (password grant) is never stored or shared.
   * @param refused fingerprint of a token that the platform refused
   */
  async token(account: Account, refused?: string): Promise<CachedToken> {
    if (account.grant === 'password') return this.issuer.issue(account, this.#tokenOf);
    const state = this.#stateOf(account);
    const copy = refused === undefined ? this.#freshCopy(state) : undefined;
    const token = copy ?? (await (refused === undefined ? this.#read(state) : this.#otherThan(refused, state)));
    if (token === undefined) return this.#fetchOther(state, refused);
    this.#served[copy === undefined ? 'cache' : 'copy'].inc();
    if (isDueForRenewal(token, performance.now(), state.jitter)) this.#renewBehind(state);
    return token;
  }

  #stateOf(account: Account): TokenState {
    let state = this.#states.get(account);
    if (state === undefined) {
      const names = this.entries.namesOf(account);
      state = { account, names, jitter: Math.random(), renewNotBeforeMs: 0, refusedTokens: new Map() };
      this.#states.set(account, state);
    }
    return state;
  }

  // The copy of this process.

  #freshCopy({ copy }: TokenState): CachedToken | undefined {
    const now = performance.now();
    return copy !== undefined && now < copy.keptAtMs + COPY_MS && isUsable(copy.token, now) ? copy.token : undefined;
  }

  #usableCopy({ copy }: TokenState): CachedToken | undefined {
    return copy !== undefined && isUsable(copy.token, performance.now()) ? copy.token : undefined;
  }

  /**
   * Undefined for a token that has expired or was refused.
   * @param askedAtMs time of the read from Redis; a newer copy is returned instead
   */
  #keep(state: TokenState, token: CachedToken | undefined, askedAtMs = Infinity): CachedToken | undefined {
    if (token === undefined) return undefined;
    const now = performance.now();
    const { copy } = state;
    if (copy !== undefined && copy.keptAtMs > askedAtMs && isUsable(copy.token, now)) return copy.token;
    if (!isUsable(token, now) || isRefused(state, token)) return undefined;
    state.copy = { token, keptAtMs: now };
    return token;
  }

  // Redis, for all replicas.

  /** Concurrent callers share one read from Redis. */
  #read(state: TokenState): Promise<CachedToken | undefined> {
    state.reading ??= this.#look(state).finally(() => (state.reading = undefined));
    return state.reading;
  }

  async #look(state: TokenState): Promise<CachedToken | undefined> {
    const askedAtMs = performance.now();
    const found = await this.entries.token(state.names).catch((error: unknown) => this.#copyInstead(state, error));
    return this.#taken(state, found, askedAtMs);
  }

  /** Drops the refused token from the copy and from Redis, and returns the token that is there instead. */
  async #otherThan(refused: string, state: TokenState): Promise<CachedToken | undefined> {
    this.#throwIfTooSoon(refused, this.#usableCopy(state));
    const askedAtMs = performance.now();
    const found = await this.entries
      .dropToken(state.names, refused, (token) => this.#mayGoInMs(token) === 0)
      .catch((error: unknown) => this.#copyInstead(state, error));
    this.#throwIfTooSoon(refused, found);
    refuse(state, refused);
    return this.#taken(state, found, askedAtMs);
  }

  #copyInstead(state: TokenState, error: unknown): CachedToken | undefined {
    this.log.warn({ reason: reasonOf(error) }, `${NO_REDIS}: this process's own copy is used`);
    return this.#usableCopy(state);
  }

  /** While Redis takes no writes, a missing token proves nothing. */
  #taken(state: TokenState, found: CachedToken | undefined, askedAtMs: number): CachedToken | undefined {
    return this.#keep(state, found ?? (this.entries.takesWrites ? undefined : this.#usableCopy(state)), askedAtMs);
  }

  /** Otherwise a platform that refuses every token would turn each report into a call of the token API. */
  #throwIfTooSoon(refused: string, token: CachedToken | undefined): void {
    const leftMs = token?.fingerprint === refused ? this.#mayGoInMs(token) : 0;
    if (leftMs === 0) return;
    const detail = 'The platform refused a token that was asked for just now in place of a refused one.';
    throw problemOfRefusal({ status: 503, code: 'platform_unavailable', detail, leftMs });
  }

  /** Milliseconds until a token that replaced a refused one may itself be replaced. */
  #mayGoInMs(token: CachedToken): number {
    if (!token.replacesRefused) return 0;
    return Math.max(0, this.config.refusedIntervalSeconds * 1_000 - ageMs(token, performance.now()));
  }

  // A new token from the token API.

  async #fetchOther(state: TokenState, refused?: string): Promise<CachedToken> {
    this.#served.renewal.inc();
    let token = await this.#fetch(state, refused);
    if (isRefused(state, token)) {
      // A fetch in progress may have obtained the refused token before it was reported.
      token = await this.#fetch(state, refused);
      // If the token API issues it again, it is accepted again.
      state.refusedTokens.delete(token.fingerprint);
    }
    this.#keep(state, token);
    return token;
  }

  #renewBehind(state: TokenState): void {
    const now = performance.now();
    if (state.fetching !== undefined || now < state.renewNotBeforeMs) return;
    state.renewNotBeforeMs = now + RENEW_AGAIN_MS;
    this.#fetch(state).then(
      (token) => this.#keep(state, token),
      (error: unknown) =>
        this.log.warn(
          { account: state.names.account, reason: reasonOf(error) },
          'early renewal failed; the token in hand is still good',
        ),
    );
  }

  /** One fetch per account in this process; later callers join it. */
  #fetch(state: TokenState, refused?: string): Promise<CachedToken> {
    state.fetching ??= this.#fetchTogether(state, refused).finally(() => (state.fetching = undefined));
    return state.fetching;
  }

  /** One fetch per account among all replicas: the lock's holder asks the API, the others wait for the entry in Redis. */
  async #fetchTogether(state: TokenState, refused?: string): Promise<CachedToken> {
    const { account, names } = state;
    this.#throwIfRefusedBefore(state);
    const calls = account.scopeFrom === undefined ? 1 : CALLS_WITH_DISCOVERY;
    const longestMs = calls * this.config.authTimeoutMs + REDIS_ANSWERS * this.config.redisAnswerMs;
    const giveUpAtMs = performance.now() + 2 * longestMs;
    while (performance.now() < giveUpAtMs) {
      let lock: Lock | undefined;
      try {
        let found: CachedToken | undefined;
        let refusal: Refusal | undefined;
        try {
          lock = await this.entries.lock(names, longestMs);
          [found, refusal] = await Promise.all([this.entries.token(names), this.entries.refusal(names)]);
        } catch (error) {
          return await this.#fetchAlone(state, error, refused);
        }
        if (found !== undefined && this.#isFresh(state, found, refused)) return found;
        if (refusal !== undefined) throw rememberRefusal(state, refusal);
        if (lock !== undefined) return await this.#askAndStore(state, refused);
      } finally {
        this.#release(lock);
      }
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
  async #fetchAlone(state: TokenState, cause: unknown, refused?: string): Promise<CachedToken> {
    const own = this.#usableCopy(state);
    if (own !== undefined && this.#isFresh(state, own, refused)) return own;
    this.log.warn({ reason: reasonOf(cause) }, `${NO_REDIS}: the token API is asked directly`);
    try {
      return await this.#ask(state, refused);
    } catch (error) {
      if (own === undefined || own.fingerprint === refused) throw error;
      return own;
    }
  }

  async #askAndStore(state: TokenState, refused?: string): Promise<CachedToken> {
    const token = await this.#ask(state, refused);
    await this.#stored(this.entries.storeToken(state.names, token), 'the token');
    return token;
  }

  async #ask(state: TokenState, refused?: string): Promise<CachedToken> {
    try {
      const token = await this.issuer.issue(state.account, this.#tokenOf);
      state.refusal = undefined;
      return refused === undefined ? token : { ...token, replacesRefused: true };
    } catch (error) {
      const refusal = refusalOf(error, state.refusal?.said.failures ?? 0, this.config.refusalSeconds);
      if (refusal === undefined) throw error;
      await this.#stored(this.entries.storeRefusal(state.names, refusal), 'the refusal');
      throw rememberRefusal(state, refusal);
    }
  }

  async #stored(storing: Promise<void>, what: string): Promise<void> {
    await storing.catch((error: unknown) =>
      this.log.warn({ reason: reasonOf(error) }, `${NO_REDIS}: ${what} is kept in this process only`),
    );
  }

  #throwIfRefusedBefore({ refusal }: TokenState): void {
    const leftMs = refusal === undefined ? 0 : refusal.untilMs - performance.now();
    if (refusal !== undefined && leftMs > 0) throw problemOfRefusal({ ...refusal.said, leftMs });
  }

  #isFresh(state: TokenState, token: CachedToken, refused?: string): boolean {
    if (token.fingerprint === refused || isRefused(state, token)) return false;
    const now = performance.now();
    return isUsable(token, now) && !isDueForRenewal(token, now, state.jitter);
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

function isRefused({ refusedTokens }: TokenState, { fingerprint }: CachedToken): boolean {
  return (refusedTokens.get(fingerprint) ?? 0) > performance.now();
}

/** Keeps the newest reports, each until its token has expired. */
function refuse(state: TokenState, fingerprint: string): void {
  const { copy, refusedTokens } = state;
  const isCopied = copy?.token.fingerprint === fingerprint;
  const known = refusedTokens.get(fingerprint) ?? performance.now() + LONGEST_LIFETIME_MS;
  refusedTokens.delete(fingerprint);
  refusedTokens.set(fingerprint, isCopied ? copy.token.expiresAtMs : known);
  keepNewest(refusedTokens, REFUSED_TOKENS_MAX);
  if (isCopied) state.copy = undefined;
}

function rememberRefusal(state: TokenState, said: Refusal): Problem {
  state.refusal = { said, untilMs: performance.now() + said.leftMs };
  return problemOfRefusal(said);
}
