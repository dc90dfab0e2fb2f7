import { Inject, Injectable } from '@nestjs/common';
import { keepNewest } from '@tranche/runtime';
import { AuthConfig } from '../auth.config.js';
import type { CacheEntry } from './cache-entry.js';
import { ageMs, isUsable, LONGEST_LIFETIME_MS, type CachedToken } from '../tokens/cached-token.js';

/** Milliseconds that this process's copy is used without reading Redis; a change by another replica takes effect within this time. */
const COPY_MS = 1_000;
/** Maximum per entry, because callers may report any fingerprint. */
const REFUSED_TOKENS_MAX = 8;

interface Copy {
  token: CachedToken;
  keptAtMs: number;
  askRedisAtMs: number;
}

/** This process's copy of each account's token, and the tokens that were reported as refused, which are not handed out again. */
@Injectable()
export class TokenCopies {
  readonly #copies = new Map<string, Copy>();
  /** By entry name: expiry times by fingerprint. */
  readonly #refused = new Map<string, Map<string, number>>();

  constructor(@Inject(AuthConfig) private readonly config: Pick<AuthConfig, 'refusedIntervalSeconds'>) {}

  current({ name }: CacheEntry): CachedToken | undefined {
    const copy = this.#copies.get(name);
    const now = performance.now();
    return copy !== undefined && now < copy.askRedisAtMs && isUsable(copy.token, now) ? copy.token : undefined;
  }

  /** The copy, if it can be used while Redis has no answer. */
  usable({ name }: CacheEntry): CachedToken | undefined {
    const token = this.#copies.get(name)?.token;
    return token !== undefined && isUsable(token, performance.now()) ? token : undefined;
  }

  /**
   * Undefined for a token that has expired or was refused.
   * @param askedAtMs time of the read from Redis; a newer copy is returned instead
   */
  keep(entry: CacheEntry, token: CachedToken, askedAtMs = Infinity): CachedToken | undefined {
    const now = performance.now();
    const copy = this.#copies.get(entry.name);
    if (copy !== undefined && copy.keptAtMs > askedAtMs && isUsable(copy.token, now)) return copy.token;
    if (!isUsable(token, now) || this.isRefused(entry, token)) return undefined;
    this.#copies.set(entry.name, { token, keptAtMs: now, askRedisAtMs: now + COPY_MS });
    return token;
  }

  isRefused({ name }: CacheEntry, { fingerprint }: CachedToken): boolean {
    return (this.#refused.get(name)?.get(fingerprint) ?? 0) > performance.now();
  }

  refuse({ name }: CacheEntry, fingerprint: string): void {
    const copy = this.#copies.get(name)?.token;
    const isCopied = copy?.fingerprint === fingerprint;
    if (isCopied) this.#copies.delete(name);
    const refused = this.#refused.get(name) ?? new Map<string, number>();
    this.#refused.set(name, refused);
    const known = refused.get(fingerprint);
    refused.delete(fingerprint);
    refused.set(fingerprint, isCopied ? copy.expiresAtMs : (known ?? performance.now() + LONGEST_LIFETIME_MS));
    keepNewest(refused, REFUSED_TOKENS_MAX);
  }

  /** The token API issued the token again after it had been refused, so it is accepted again. */
  clearRefusal({ name }: CacheEntry, { fingerprint }: CachedToken): void {
    this.#refused.get(name)?.delete(fingerprint);
  }

  /** Milliseconds until a token that replaced a refused one may itself be replaced. */
  mayGoInMs(token: CachedToken): number {
    if (!token.replacesRefused) return 0;
    return Math.max(0, this.config.refusedIntervalSeconds * 1_000 - ageMs(token, performance.now()));
  }
}
