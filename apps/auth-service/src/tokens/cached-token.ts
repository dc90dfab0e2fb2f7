import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose/jwt/decode';

/** All times on a monotonic clock of this process, milliseconds. */
export interface CachedToken {
  accessToken: string;
  fingerprint: string;
  /** Of the whole life, as the token API said. */
  lifetimeMs: number;
  expiresAtMs: number;
  /** Asked for because the one before was reported as refused. */
  replacesRefused?: true;
}

/** Renewed when this part of its life is left, or by chance up to half of that later. */
const RENEW_BEFORE_END = 0.2;
/** Not handed out in its last moments: a request that takes it along must still arrive in time. */
const LAST_MOMENTS = 0.02;
const LAST_MOMENTS_MAX_MS = 10_000;
export const LONGEST_LIFETIME_MS = 24 * 3_600_000;

/**
 * Life is counted from before the request: the token may have been made at any moment since. `expires_in` has no unit in the
 * interface ("not shown"): seconds, and if the JWT itself says that it lives shorter, then that.
 */
export function cachedTokenOf(answer: { access_token: string; expires_in: number }, askedAtMs: number): CachedToken {
  const { access_token: accessToken, expires_in: expiresIn } = answer;
  const lifetimeSeconds = Math.min(expiresIn, jwtLifetimeSeconds(accessToken) ?? Infinity);
  const lifetimeMs = Math.min(lifetimeSeconds * 1_000, LONGEST_LIFETIME_MS);
  return { accessToken, fingerprint: fingerprintOf(accessToken), lifetimeMs, expiresAtMs: askedAtMs + lifetimeMs };
}

/**
 * Names a token, without being of use in its place: callers report refused tokens by it. Of no key, so that a report means the same
 * whichever encryption keys are in use; a token is random, so its fingerprint does not help to guess it.
 */
export function fingerprintOf(accessToken: string): string {
  return createHash('sha256')
    .update('tranche token fingerprint\n')
    .update(accessToken)
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}

export function isUsable(token: CachedToken, nowMs: number): boolean {
  return usableMs(token, nowMs) > 0;
}

/** How much longer it may be handed out. */
export function usableMs({ lifetimeMs, expiresAtMs }: CachedToken, nowMs: number): number {
  return Math.floor(expiresAtMs - nowMs - Math.min(lifetimeMs * LAST_MOMENTS, LAST_MOMENTS_MAX_MS));
}

/** Since it was asked for. */
export function ageMs({ lifetimeMs, expiresAtMs }: CachedToken, nowMs: number): number {
  return nowMs - (expiresAtMs - lifetimeMs);
}

/** From 80 % of its life on. `jitter` (0 to 1, drawn once by each replica and account) puts that off to 90 % at most, so that replicas do not all renew at one moment. */
export function isDueForRenewal({ lifetimeMs, expiresAtMs }: CachedToken, nowMs: number, jitter: number): boolean {
  return expiresAtMs - nowMs <= lifetimeMs * RENEW_BEFORE_END * (1 - jitter / 2);
}

/** Rounded down: never promises more than is left. */
export function expiresInSeconds({ expiresAtMs }: CachedToken, nowMs: number): number {
  return Math.max(0, Math.floor((expiresAtMs - nowMs) / 1_000));
}

/** From the token's own times, so that neither clock matters. Undefined where it has none, makes no sense or is no JWT. */
function jwtLifetimeSeconds(accessToken: string): number | undefined {
  try {
    const { exp, iat } = decodeJwt(accessToken) as { exp?: unknown; iat?: unknown };
    return typeof exp === 'number' && typeof iat === 'number' && exp > iat ? exp - iat : undefined;
  } catch {
    return undefined;
  }
}
