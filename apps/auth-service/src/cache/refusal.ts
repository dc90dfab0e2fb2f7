import { backOffMs, secondsToWait } from '@tranche/runtime';
import { Problem } from '@tranche/service-kit';
import { DiscovererProblem, TokenApiUnavailable } from '../token-api/token-api-problems.js';

/** A stored failure, during which the token API is not asked again: it refused the credentials (502), or was unavailable (503). */
export interface Refusal {
  status: number;
  code: string;
  detail: string;
  /** Number of consecutive times that the API was unavailable. */
  failures?: number;
  /** Milliseconds for which the refusal remains valid. */
  leftMs: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Undefined if the error must not be stored.
 * @param failures number of consecutive times that the API was unavailable before
 */
export function refusalOf(error: unknown, failures: number, refusalSeconds: number): Refusal | undefined {
  if (!(error instanceof Problem) || (error instanceof DiscovererProblem && !error.isRemembered)) return undefined;
  const { status, code, detail = '' } = error;
  if (status === 502)
    return refusalSeconds === 0 ? undefined : { status, code, detail, leftMs: refusalSeconds * 1_000 };
  const retryAfterMs = 1_000 * ((error instanceof TokenApiUnavailable ? error.retryAfterSeconds : undefined) ?? 0);
  const ownMs = backOffMs(failures + 1, { firstMs: FIRST_PAUSE_MS, maxMs: LONGEST_PAUSE_MS });
  return {
    status,
    code,
    detail,
    failures: failures + 1,
    leftMs: Math.min(Math.max(retryAfterMs, ownMs), LONGEST_PAUSE_MS),
  };
}

export function problemOfRefusal({ status, code, detail, leftMs }: Refusal): Problem {
  return new Problem({ status, code, detail, headers: { 'retry-after': String(secondsToWait(leftMs)) } });
}
