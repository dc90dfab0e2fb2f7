import { decodeJwt } from 'jose/jwt/decode';

/** All times on a monotonic clock of this process, milliseconds. */
export interface HeldToken {
  accessToken: string;
  /** Of the whole life, as the token API told it. */
  lifetimeMs: number;
  expiresAtMs: number;
}

/** At 80 % of its life. */
const RENEW_BEFORE_END = 0.2;
/** Not handed out in its last moments: a request that takes it along must still arrive in time. */
const LAST_MOMENTS = 0.02;
const LAST_MOMENTS_MAX_MS = 10_000;
const LONGEST_LIFETIME_MS = 24 * 3_600_000;

/**
 * Life is counted from before the request: the token may have been made at any moment since. `expires_in` has no unit in the
 * interface ("not shown"): seconds, and if the JWT itself says that it lives shorter, then that.
 */
export function holdToken(answer: { access_token: string; expires_in: number }, askedAtMs: number): HeldToken {
  const lifetimeSeconds = Math.min(answer.expires_in, jwtLifetimeSeconds(answer.access_token) ?? Infinity);
  const lifetimeMs = Math.min(lifetimeSeconds * 1_000, LONGEST_LIFETIME_MS);
  return { accessToken: answer.access_token, lifetimeMs, expiresAtMs: askedAtMs + lifetimeMs };
}

export function isUsable(token: HeldToken, nowMs: number): boolean {
  return usableMs(token, nowMs) > 0;
}

/** How much longer it may be handed out. */
export function usableMs({ lifetimeMs, expiresAtMs }: HeldToken, nowMs: number): number {
  return Math.floor(expiresAtMs - nowMs - Math.min(lifetimeMs * LAST_MOMENTS, LAST_MOMENTS_MAX_MS));
}

export function isDueForRenewal({ lifetimeMs, expiresAtMs }: HeldToken, nowMs: number): boolean {
  return expiresAtMs - nowMs <= lifetimeMs * RENEW_BEFORE_END;
}

/** Rounded down: never promises more than is left. */
export function expiresInSeconds({ expiresAtMs }: HeldToken, nowMs: number): number {
  return Math.max(0, Math.floor((expiresAtMs - nowMs) / 1_000));
}

/** From the token's own times, so that neither clock matters. Undefined where it has none or is no JWT. */
function jwtLifetimeSeconds(accessToken: string): number | undefined {
  try {
    const { exp, iat } = decodeJwt(accessToken);
    return exp === undefined || iat === undefined || exp <= iat ? undefined : exp - iat;
  } catch {
    return undefined;
  }
}
