import { execCode, type FaultCode } from '@tranche/contracts';
import { isPayment, type OperationState } from './order-state.js';

/** 2006, 2017 and 3004 are retried for this long in all (R6); a payment is not, for its cardholder waits. */
const BUSY_RETRY_MS = 60_000;
/** The pause before the next attempt, doubling from the first to the second. Milliseconds. */
const PAUSE_MS = { first: 250, max: 10_000 };

export type AfterNotExecuted =
  { next: 'retry'; inMs: number } | { next: 'give_up'; code: FaultCode; message: string; retryAfterSeconds?: number };

/**
 * What follows an attempt that was provably not executed (R6). `operation` is idle at its next attempt. No part of the fold: a change needs no
 * rules version.
 * An unreachable platform is never given up: nothing was burnt, the command waits; with two URLs the other one is tried at once.
 */
export function afterNotExecuted(operation: OperationState, nowMs: number, urlCount = 1): AfterNotExecuted {
  const { lastNotExecuted: last, attempt } = operation;
  const rounds = Math.floor((attempt - 1) / urlCount);
  const pauseMs = Math.min(PAUSE_MS.first * 2 ** Math.min(Math.max(rounds - 1, 0), 10), PAUSE_MS.max);
  if (last?.reason === 'auth_refused' && (operation.authRefusals ?? 0) > 1) {
    return { next: 'give_up', code: 'auth_refused', message: 'The platform refused a fresh bearer token too' };
  }
  if (last?.reason === 'auth_refused') return { next: 'retry', inMs: 0 };
  const { retry, retryAfterSeconds } = execCode(last?.execCode ?? '');
  if (retryAfterSeconds !== undefined) {
    return {
      next: 'give_up',
      code: 'platform_unavailable',
      message: 'The bank network was not available',
      retryAfterSeconds,
    };
  }
  if (retry === 'back_off' || retry === 'slow_down') {
    const ageMs = nowMs - Date.parse(operation.firstIntentAt ?? '');
    if (!isPayment(operation) && ageMs + pauseMs < BUSY_RETRY_MS) return { next: 'retry', inMs: pauseMs };
    return {
      next: 'give_up',
      code: 'platform_unavailable',
      message: 'The platform was busy',
      retryAfterSeconds: BUSY_RETRY_MS / 1000,
    };
  }
  const isOtherUrlUntried = last?.reason !== 'send_deadline' && (attempt - 1) % urlCount !== 0;
  return { next: 'retry', inMs: isOtherUrlUntried ? 0 : pauseMs };
}
