import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose/jwt/decode';

/** Times are monotonic milliseconds of this process. */
export interface CachedToken {
  accessToken: string;
  fingerprint: string;
  /** The whole lifetime from the token API. */
  lifetimeMs: number;
  expiresAtMs: number;
  /** Set if the token replaced one that was reported as refused. */
  replacesRefused?: true;
}

/** Fraction of the lifetime left at which renewal begins; the jitter delays it by up to half of that. */
const RENEW_BEFORE_END = 0.2;
/** Fraction of the lifetime at its end in which the token is not handed out, so that a request with it still arrives in time. */
const LAST_MOMENTS = 0.02;
const LAST_MOMENTS_MAX_MS = 10_000;
export const LONGEST_LIFETIME_MS = 24 * 3_600_000;

/**
 * The lifetime counts from before the request, because the token may have been issued at any time since. The interface gives no unit of
 * `expires_in` ("not shown"); seconds are assumed, or the JWT's own lifetime if that is shorter.
 */
export function cachedTokenOf(answer: { access_token: string; expires_in: number }, askedAtMs: number): CachedToken {
  const { access_token: accessToken, expires_in: expiresIn } = answer;
  const lifetimeSeconds = Math.min(expiresIn, jwtLifetimeSeconds(accessToken) ?? Infinity);
  const lifetimeMs = Math.min(lifetimeSeconds * 1_000, LONGEST_LIFETIME_MS);
  return { accessToken, fingerprint: fingerprintOf(accessToken), lifetimeMs, expiresAtMs: askedAtMs + lifetimeMs };
}

/**
 * Identifies a token without revealing it; callers report refused tokens by fingerprint. Independent of the encryption key, so that a
 * report stays valid when it changes. Tokens are random, so a fingerprint does not help to guess one.
 */
export function fingerprintOf(accessToken: string): string {
  const digest = createHash('sha256').update('tranche token fingerprint\n').update(accessToken).digest();
  return digest.subarray(0, 16).toString('base64url');
}

export function isUsable(token: CachedToken, nowMs: number): boolean {
  return usableMs(token, nowMs) > 0;
}

export function usableMs({ lifetimeMs, expiresAtMs }: CachedToken, nowMs: number): number {
  return Math.floor(expiresAtMs - nowMs - lastMomentsMs(lifetimeMs));
}

/** Milliseconds since the request. */
export function ageMs({ lifetimeMs, expiresAtMs }: CachedToken, nowMs: number): number {
  return nowMs - (expiresAtMs - lifetimeMs);
}

/** True from 80 % of the lifetime on; `jitter` (0 to 1) delays that to at most 90 %, so that replicas do not all renew at once. */
export function isDueForRenewal({ lifetimeMs, expiresAtMs }: CachedToken, nowMs: number, jitter: number): boolean {
  return expiresAtMs - nowMs <= lifetimeMs * RENEW_BEFORE_END * (1 - jitter / 2);
}

/** Rounded down, so that it never promises more than is left. */
export function expiresInSeconds({ expiresAtMs }: CachedToken, nowMs: number): number {
  return Math.max(0, Math.floor((expiresAtMs - nowMs) / 1_000));
}

/** Encrypted content of an entry: anybody with access to Redis can change the entry's time to live, but not these times. */
interface StoredToken {
  accessToken: string;
  lifetimeMs: number;
  /** Wall clock, milliseconds since 1970. */
  expiresAt: number;
  replacesRefused?: true;
}

export function storedTokenOf(token: CachedToken, nowMs: number, wallClockMs: number): string {
  const { accessToken, lifetimeMs, expiresAtMs, replacesRefused } = token;
  const expiresAt = wallClockMs + expiresAtMs - nowMs;
  return JSON.stringify({ accessToken, lifetimeMs, expiresAt, replacesRefused } satisfies StoredToken);
}

/** The token's expiry is the earliest of: the entry's time to live in Redis, the wall clock, and the whole lifetime. */
export function readStoredToken(text: string, ttlMs: number, nowMs: number, wallClockMs: number): CachedToken {
  const { accessToken, lifetimeMs, expiresAt, replacesRefused } = JSON.parse(text) as StoredToken;
  // The entry expires before its token, because a token is not handed out in its last moments.
  const leftMs = Math.min(ttlMs + lastMomentsMs(lifetimeMs), expiresAt - wallClockMs, lifetimeMs);
  const fingerprint = fingerprintOf(accessToken);
  return { accessToken, fingerprint, lifetimeMs, expiresAtMs: nowMs + leftMs, replacesRefused };
}

function lastMomentsMs(lifetimeMs: number): number {
  return Math.min(lifetimeMs * LAST_MOMENTS, LAST_MOMENTS_MAX_MS);
}

/** Computed from the token's own times, so that no clock matters. Undefined if it has none, they make no sense, or it is no JWT. */
function jwtLifetimeSeconds(accessToken: string): number | undefined {
  try {
    const { exp, iat } = decodeJwt(accessToken) as { exp?: unknown; iat?: unknown };
    return typeof exp === 'number' && typeof iat === 'number' && exp > iat ? exp - iat : undefined;
  } catch {
    return undefined;
  }
}
