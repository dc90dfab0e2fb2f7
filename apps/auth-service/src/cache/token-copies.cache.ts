import { Inject, Injectable } from '@nestjs/common';
import { keepNewest } from '@tranche/runtime';
import { AuthConfig } from '../auth.config.js';
import type { CacheEntry } from './cache-entry.js';
import { ageMs, isUsable, LONGEST_LIFETIME_MS, type CachedToken } from '../tokens/cached-token.js';

/** So long this process's own copy answers without a look into Redis: what another replica dropped or renewed counts here by then. */
const COPY_MS = 1_000;
/** Of one entry. A caller may report what it likes. */
const REFUSED_TOKENS_MAX = 8;

interface Copy {
  token: CachedToken;
  keptAtMs: number;
  askRedisAtMs: number;
}

/** What this process knows of each account's token: the last one, and which ones were reported as refused, so that none of those comes back. */
@Injectable()
export class TokenCopies {
  readonly #copies = new Map<string, Copy>();
  /** By entry: fingerprint and until when it matters. */
  readonly #refused = new Map<string, Map<string, number>>();

  constructor(@Inject(AuthConfig) private readonly config: Pick<AuthConfig, 'refusedIntervalSeconds'>) {}

  /** Good without a look into Redis. */
  current({ name }: CacheEntry): CachedToken | undefined {
    const copy = this.#copies.get(name);
    const now = performance.now();
    return copy !== undefined && now < copy.askRedisAtMs && isUsable(copy.token, now) ? copy.token : undefined;
  }

  /** Good when Redis cannot tell. */
  usable({ name }: CacheEntry): CachedToken | undefined {
    const token = this.#copies.get(name)?.token;
    return token !== undefined && isUsable(token, performance.now()) ? token : undefined;
  }

  /**
   * Undefined for one that is over or was refused.
   * @param askedAtMs when Redis was asked for it: what came in since then is newer, and is given back instead
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

  /** The token API gave it out once more after it had been refused: then it counts again. */
  forgive({ name }: CacheEntry, { fingerprint }: CachedToken): void {
    this.#refused.get(name)?.delete(fingerprint);
  }

  /** Milliseconds until a token that was itself asked for in place of a refused one may be replaced too. */
  mayGoInMs(token: CachedToken): number {
    if (!token.replacesRefused) return 0;
    return Math.max(0, this.config.refusedIntervalSeconds * 1_000 - ageMs(token, performance.now()));
  }
}
