import { fingerprintOf, usableMs, type CachedToken } from '../tokens/cached-token.js';

/** Encrypted content of an entry: anybody with access to Redis can change the entry's time to live, but not these times. */
interface SealedToken {
  accessToken: string;
  lifetimeMs: number;
  /** Lifetime left when the entry expires, because a token is not handed out in its last moments. */
  restMs: number;
  /** Wall clock, milliseconds since 1970. The token was issued `lifetimeMs` before. */
  expiresAt: number;
  replacesRefused?: true;
}

export function sealedTokenOf(token: CachedToken, nowMs: number, wallClockMs: number): string {
  const { accessToken, lifetimeMs, expiresAtMs, replacesRefused } = token;
  const leftMs = expiresAtMs - nowMs;
  const sealed: SealedToken = {
    accessToken,
    lifetimeMs,
    restMs: leftMs - usableMs(token, nowMs),
    expiresAt: wallClockMs + leftMs,
    replacesRefused,
  };
  return JSON.stringify(sealed);
}

/** The token's expiry is the earliest of: the entry's time to live in Redis, the wall clock, and the whole lifetime. */
export function readSealedToken(text: string, ttlMs: number, nowMs: number, wallClockMs: number): CachedToken {
  const { accessToken, lifetimeMs, restMs, expiresAt, replacesRefused } = JSON.parse(text) as SealedToken;
  const leftMs = Math.min(ttlMs + restMs, expiresAt - wallClockMs, lifetimeMs);
  return {
    accessToken,
    fingerprint: fingerprintOf(accessToken),
    lifetimeMs,
    expiresAtMs: nowMs + leftMs,
    replacesRefused,
  };
}
