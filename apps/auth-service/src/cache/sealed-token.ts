import { fingerprintOf, usableMs, type CachedToken } from '../tokens/cached-token.js';

/** What is sealed into an entry: whoever has access to Redis can change its time to live, and not this. */
interface SealedToken {
  accessToken: string;
  lifetimeMs: number;
  /** Of its life, when the entry's time to live is over: it is not handed out in its last moments. */
  restMs: number;
  /** On the wall clock, milliseconds since 1970. Its issue is `lifetimeMs` before that. */
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

/** The shortest of what Redis leaves of its life, what the wall clock leaves of it, and the whole. */
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
