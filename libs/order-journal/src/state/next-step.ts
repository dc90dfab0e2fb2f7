import { execCode, fault, type Fault, type FaultCode, type OperationKind } from '@tranche/contracts';
import { isStillWaiting, isVoided, paymentsTaken, type Conflict } from './conflicts.js';
import { refundableSources } from './guards.js';
import {
  findOperation,
  hasContent,
  hasSucceeded,
  isOpen,
  isPayment,
  isRefundable,
  type OperationState,
  type OrderState,
} from './order-state.js';
import type { OperationTerms } from './records.js';

export type Step =
  /** The id was used for another content: not an operation at all. */
  | { step: 'reused' }
  /** Ended, or waiting for somebody else than us: its latest event is published again. */
  | { step: 'repeat' }
  /** Somebody's call of this operation, or of another one of the order, is under way. */
  | { step: 'wait' }
  | { step: 'attempt'; attempt: number }
  /** The order does not have the command, and takes no operation for it: nothing is written. */
  | { step: 'not_taken' };

/** Treatment of a command that is neither under way nor ended. */
export interface StepPolicy {
  /** A command that the order does not have becomes an operation, until the order has as many as it may have. */
  readonly takesNew: boolean;
  /** The attempt appends an INTENT, which is refused as busy beside another call of the order: it waits until the order is free. */
  readonly appendsIntent: boolean;
}

/** One order has no more operations, rejected ones included: its state is read and written as a whole. */
export const OPERATIONS_AT_MOST = 200;

export function nextStep(
  order: OrderState,
  command: Pick<OperationTerms, 'contentHash'> & { commandId: string },
  { takesNew, appendsIntent }: StepPolicy = { takesNew: true, appendsIntent: true },
): Step {
  const operation = findOperation(order, command.commandId);
  if (operation && !hasContent(operation, command.contentHash)) return { step: 'reused' };
  if (operation && operation.phase !== 'idle')
    return operation.phase === 'open' ? { step: 'wait' } : { step: 'repeat' };
  if (!operation && (!takesNew || order.operations.length >= OPERATIONS_AT_MOST)) return { step: 'not_taken' };
  const isBusy =
    appendsIntent && order.operations.some((other) => other.commandId !== command.commandId && isOpen(other));
  return isBusy ? { step: 'wait' } : { step: 'attempt', attempt: operation?.attempt ?? 1 };
}

type FollowUpKind = 'capture' | 'refund' | 'void';
type Referred = Pick<Conflict, 'commandId' | 'transactionId'>;

/**
 * TRANSACTIONID that a follow-up names when its command leaves it out: of the only live payment for a capture or void, of the only capture or card
 * payment with money left for a refund. Where several are live, the fault names them, for a guess could take or give back the wrong money. Where none is,
 * the newest is named, so that the guards say why. No part of the fold: a change needs no rules version.
 */
export function referenceFor(
  order: OrderState,
  kind: FollowUpKind,
): { transactionId?: string | undefined; fault?: Fault } {
  const live = kind === 'refund' ? refundableSources(order) : livePayments(order, kind);
  if (live.length > 1) return { fault: fault('transactionId', 'transaction_ambiguous', ambiguity(live)) };
  const [only = newestOf(order, kind)] = live;
  return { transactionId: only?.transactionId };
}

/** A void may also mean a payment that waits. One that was voided while it waited and succeeded all the same can be voided again, not captured. */
function livePayments(order: OrderState, kind: FollowUpKind): Referred[] {
  const taken = paymentsTaken(order);
  if (kind !== 'void') return taken.filter((payment) => !isVoided(order, payment));
  const isNew = (one: OperationState) => taken.every(({ transactionId }) => transactionId !== one.transactionId);
  const waiting = order.operations.filter((one) => isStillWaiting(order, one) && one.transactionId !== undefined);
  return [...taken, ...waiting.filter(isNew)];
}

/** The newest that waits and was not voided, else one that succeeded, ours before others', else any. */
function newestOf(order: OrderState, kind: FollowUpKind): Referred | undefined {
  const isSource = (one: { operation?: OperationKind; transactionId?: string }) =>
    one.transactionId !== undefined && (kind === 'refund' ? isRefundable(one) : isPayment(one));
  const ours = order.operations.filter(isSource);
  return (
    ours.findLast((one) => isStillWaiting(order, one)) ??
    ours.findLast(hasSucceeded) ??
    order.external.findLast((one) => isSource(one) && one.result === 'succeeded') ??
    ours.at(-1)
  );
}

const ambiguity = (live: readonly Referred[]): string => `is not given and several fit: ${live.map(nameOf).join(', ')}`;

const nameOf = ({ transactionId = 'one whose TRANSACTIONID is not known yet', commandId }: Referred): string =>
  `${transactionId} (${commandId === undefined ? 'made elsewhere' : `command ${commandId}`})`;

/** 2006, 2017 and 3004 are retried for this long in all (R6); a payment is not, for its cardholder waits. */
const BUSY_RETRY_MS = 60_000;
/** The pause before the next attempt, doubling from the first to the second. Milliseconds. */
const PAUSE_MS = { first: 250, max: 10_000 };
/** The same where the platform said that something else must end first: a shopper's form, or another operation. */
const BUSY_PAUSE_MS = { first: 1_000, max: 20_000 };

export type AfterNotExecuted =
  { next: 'retry'; inMs: number } | { next: 'give_up'; code: FaultCode; message: string; retryAfterSeconds?: number };

/**
 * Decides about the next attempt after one that was provably not executed (R6). `operation` is idle at its next attempt. No part of the fold: a change needs no
 * rules version.
 * An unreachable platform is never given up: nothing was burnt, the command waits; with two URLs the other one is tried at once.
 */
export function afterNotExecuted(operation: OperationState, nowMs: number, urlCount = 1): AfterNotExecuted {
  const { lastNotExecuted: last, attempt } = operation;
  const rounds = Math.floor((attempt - 1) / urlCount);
  if (last?.reason === 'auth_refused' && (operation.authRefusals ?? 0) > 1) {
    return { next: 'give_up', code: 'auth_refused', message: 'The platform refused a fresh bearer token too' };
  }
  if (last?.reason === 'auth_refused') return { next: 'retry', inMs: 0 };
  const { retry, retryAfterSeconds } = execCode(last?.execCode ?? '');
  const isBusy = retry === 'back_off' || retry === 'slow_down';
  const { first, max } = isBusy ? BUSY_PAUSE_MS : PAUSE_MS;
  const pauseMs = Math.min(first * 2 ** Math.min(Math.max(rounds - 1, 0), 10), max);
  if (retryAfterSeconds !== undefined) {
    return {
      next: 'give_up',
      code: 'platform_unavailable',
      message: 'The bank network was not available',
      retryAfterSeconds,
    };
  }
  if (isBusy) {
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
