import { isVoided } from './conflicts.js';
import { refundableAmount } from './guards.js';
import {
  emptyOrder,
  isEmptyOrder,
  isOpen,
  isRefundable,
  isWaiting,
  LOOK_UP_REMINDERS,
  mayHaveSucceeded,
  type LookUpReminder,
  type OperationState,
  type OrderState,
} from './order-state.js';
import type { Tombstone } from './records.js';
import type { Change } from './history.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The first byte of a call may leave within this time of starting its INTENT's produce, on both clocks (R5). Milliseconds. */
export const SEND_DEADLINE_MS = 2_000;

/** Two clocks that are further apart than this are not trusted: time alone must not end what may still succeed. Milliseconds. */
export const CLOCKS_APART_MS = MINUTE_MS;

/** An operator's "not executed" counts from then on after the INTENT: whatever was sent has ended by then (R5). */
export const NOT_EXECUTED_AFTER_MS = 15 * MINUTE_MS;

/** "A successful authorization can be captured for up to 7 days" (interface, Limits). */
export const CAPTURE_WINDOW_MS = 7 * DAY_MS;

/** "0003: no update, 6 days elapse: expired, considered failed" (interface, States and transitions). Another value is a new rule of the fold. */
export const PENDING_LIFETIME_MS = 6 * DAY_MS;
/** The interface ends no redirect. Its form can not be used for longer than an authorization can be captured (R15). */
const REDIRECT_LIFETIME_MS = 7 * DAY_MS;
/** An operator may end what waits from then on, or once the platform has said "not executed" of it (R15). */
const OPERATOR_AFTER_MS = DAY_MS;

/** An order leaves the index so long after its last transition; later where money may be given back, or yet be taken. */
const FORGET_AFTER_MS = 35 * DAY_MS;

/** When a payment that waits is looked up, after it began to wait. */
export const LOOK_UP_AFTER_MS: Readonly<Record<Exclude<LookUpReminder, 'look_up_not_executed'>, number>> = {
  look_up_15_minutes: 15 * MINUTE_MS,
  look_up_1_hour: HOUR_MS,
  look_up_6_hours: 6 * HOUR_MS,
  look_up_24_hours: DAY_MS,
};

export interface ClockReading {
  wallMs: number;
  monotonicMs: number;
}

/** A process that slept must not send what others may have given up (R5). */
export function isWithinSendDeadline(started: ClockReading, now: ClockReading): boolean {
  const monotonicMs = now.monotonicMs - started.monotonicMs;
  const wallMs = now.wallMs - started.wallMs;
  return monotonicMs <= SEND_DEADLINE_MS && wallMs >= 0 && wallMs <= SEND_DEADLINE_MS;
}

/** When our timer ends what waits, after it began to; undefined where it ends nothing. */
export function lifetimeMs({ phase }: Pick<OperationState, 'phase'>): number | undefined {
  if (phase === 'redirect_required') return REDIRECT_LIFETIME_MS;
  // The interface names no end of a pending card payment (docs/decisions/0032): it ends like an authorization.
  return phase === 'pending' ? PENDING_LIFETIME_MS : undefined;
}

/** The interface itself calls a pending authorization of method B failed after six days; anything else may yet succeed. */
export const isEndedByInterface = ({ phase, operation, method }: OperationState): boolean =>
  phase === 'pending' && operation === 'authorize' && method === 'B';

/** From when on an operator's resolution of what waits counts, milliseconds since the epoch. */
export function operatorFromMs({ since = '', saidNotExecutedAt }: OperationState): number {
  return saidNotExecutedAt === undefined ? Date.parse(since) + OPERATOR_AFTER_MS : Date.parse(saidNotExecutedAt);
}

/** Look-ups that this one makes needless: those that were due before it. */
export const lookUpsUntil = (reminder: LookUpReminder): readonly LookUpReminder[] =>
  reminder === 'look_up_not_executed'
    ? [reminder]
    : LOOK_UP_REMINDERS.slice(0, LOOK_UP_REMINDERS.indexOf(reminder) + 1);

/** From when what waits counts: from when its notification reached us, where the journal has it later, or where it is a further one. */
export const waitsFrom = ({ pendingAt, since = '' }: OperationState): string => pendingAt ?? since;

/** From when an authorization's capture window counts. */
export const windowFrom = ({ executedAt, endedAt }: OperationState): string | undefined => executedAt ?? endedAt;

/** Money was taken, and some of it may remain to be given back. */
function mayBeRefunded(order: OrderState): boolean {
  const isLeft = (transactionId: string | undefined) => (refundableAmount(order, transactionId) ?? 1) > 0;
  return (
    order.operations.some((one) => isRefundable(one) && mayHaveSucceeded(one) && isLeft(one.transactionId)) ||
    order.external.some((one) => isRefundable(one) && one.result === 'succeeded') ||
    (order.unauthorizedOutcomes ?? []).some((one) => isRefundable(one) && one.result !== 'refused')
  );
}

/** A cardholder, a provider or an operator may yet decide: such an order is never forgotten. */
const isUnfinished = (order: OrderState): boolean =>
  order.operations.some(
    (one) => one.phase === 'in_doubt' || (isWaiting(one) && (!isVoided(order, one) || isUndecided(order, one))),
  );

/** A report that waits in the order names its TRANSACTIONID: it may have been paid, and a look-up can say so. */
export const isUndecided = ({ unmatchedEvidence }: OrderState, { transactionId }: OperationState): boolean =>
  transactionId !== undefined && unmatchedEvidence.some(({ answer }) => answer.transactionId === transactionId);

/** Our timer alone ended a payment: guards take it for live until it is denied, so the order is kept as long as one that may be refunded (R15). */
const mayYetSucceed = ({ operations }: OrderState): boolean => operations.some((operation) => operation.mayYetSucceed);

export interface Retention {
  /** When the order may leave the index, milliseconds since the epoch; undefined: not as it stands. */
  endMs: number | undefined;
  /** The order must outlive the journal's retention: a snapshot of it is written. Never while a call may be under way (R12). */
  needsSnapshot: boolean;
}

export function retentionOf(order: OrderState, refundableDays: number): Retention {
  if (order.operations.some(isOpen)) return { endMs: undefined, needsSnapshot: false };
  const isKept = mayYetSucceed(order) || mayBeRefunded(order);
  const isWaitedFor = isUnfinished(order);
  const needsSnapshot = order.isFrozen === true || isWaitedFor || isKept;
  if (order.isFrozen || isWaitedFor || order.movedAt === undefined) return { endMs: undefined, needsSnapshot };
  const keptMs = isKept ? Math.max(refundableDays * DAY_MS, FORGET_AFTER_MS) : FORGET_AFTER_MS;
  return { endMs: Date.parse(order.movedAt) + keptMs, needsSnapshot };
}

/** Nothing remains of an order that is forgotten; the record is void if the order moved on meanwhile, or its time has not come. */
export function foldTombstone(before: OrderState, { order, match }: Change, record: Tombstone): OrderState {
  if (isEmptyOrder(before)) return before;
  const isKnown = match === 'whole' || match === 'last';
  return isKnown && isRetentionOver(before, record) ? emptyOrder(before.merchant, before.orderId) : order;
}

/** By the writers' clocks, never a reader's. Days that can't be read, or times, are no leave to forget. */
function isRetentionOver(order: OrderState, record: Tombstone): boolean {
  const { refundableDays } = record;
  if (!Number.isFinite(refundableDays)) return false;
  return Date.parse(record.at) >= (retentionOf(order, refundableDays).endMs ?? Infinity);
}
