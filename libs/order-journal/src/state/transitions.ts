import type { PlatformAnswer, TransactionDetails } from '@tranche/contracts';
import { withNamed } from './attempts.js';
import { compact, CONFLICT, copyWith, type Draft } from './draft.js';
import { hasTaken } from './guards.js';
import {
  findOperation,
  hasSucceeded,
  isPayment,
  type Attempt,
  type EventBody,
  type OperationState,
} from './order-state.js';
import { isLookUpReminder, type NotExecutedReason, type Origin, type Result } from './records.js';
import { isDoubtSuperseded } from './superseded.js';
import { flagsWith, tellOtherCurrency, toldDetails, withDetails } from './transaction-details.js';

/** Ends an operation and publishes the event that says so. */
export function closeWith(
  next: Draft,
  operation: OperationState,
  change: Partial<OperationState>,
  name: string,
  body: EventBody,
): void {
  next.putAndPublish({ ...operation, ...change, phase: 'ended', endedAt: next.at }, name, body);
}

/** Answers that say the operation did or did not happen, or that somebody else has yet to decide. */
export interface ReportedResult extends TransactionDetails {
  origin: Origin;
  answer: PlatformAnswer;
  partial?: boolean;
  extraData?: string;
  externalEntityId?: string;
  externalReference?: string;
}

/** What was reported of an attempt that was closed, or whose operation has ended. */
export interface LateResult {
  attempt: number;
  result: Result | 'not_executed' | 'unclear';
  reported: ReportedResult;
  /** A refusal that may mean "already done" denies no success. */
  mayBeDone?: boolean;
}

/** Moves an operation that is not ended by what was reported of it; after a doubt the event is `doubt_resolved` (R4). */
export function settle(next: Draft, operation: OperationState, result: Result, reported: ReportedResult): void {
  const resolvesDoubt = operation.phase === 'in_doubt';
  const { transactionId } = reported.answer;
  let moved = transactionId === undefined ? copyWith(operation, {}) : bind(operation, operation.attempt, transactionId);
  if (result === 'succeeded' || result === 'refused') {
    moved.phase = 'ended';
    moved.end = result;
    moved.endedAt = next.at;
  } else moved.phase = result;
  if (moved.mayYetSucceed !== undefined) moved.mayYetSucceed = undefined;
  if (moved.saidNotExecutedAt !== undefined) moved.saidNotExecutedAt = undefined;
  if (moved.phase === 'pending') moved.reminded = operation.reminded?.filter((one) => !isLookUpReminder(one));
  moved.amount = settledAmount(operation, result, reported);
  if (result === 'succeeded' && reported.answer.amount !== undefined) moved.isAmountAssumed = undefined;
  if (reported.partial)
    Object.assign(moved, { partial: true, askedAmount: operation.isAmountAssumed ? undefined : operation.amount });
  if (moved.operation === 'refund') Object.assign(moved, referencesOf(reported));
  if (result === 'succeeded') moved = withDetails(moved, reported);
  const body: EventBody = { origin: reported.origin, ...answered(reported), flags: flagsWith(operation, reported) };
  if (result === 'redirect' && isDoubtSuperseded(next.order, operation))
    Object.assign(body, { redirectHtml: undefined, flags: [...(body.flags ?? []), 'superseded'] });
  if (resolvesDoubt)
    next.putAndPublish(moved, 'doubt_resolved', {
      ...body,
      outcome: result === 'redirect' ? 'redirect_required' : result,
    });
  else next.putAndPublish(moved, result === 'redirect' ? 'redirect_required' : result, body);
  if (result === 'succeeded') tellOtherAmount(next, moved, reported);
  if (result !== 'refused') tellOtherCurrency(next, moved, reported);
  if (result === 'succeeded' && isPayment(moved)) conflictOfTwoPayments(next, moved, reported);
}

/**
 * The platform says of a success as a whole that its amount is another one than we asked for: a conflict, published once per amount (R15).
 * Returns the operation as it is then.
 */
export function tellOtherAmount(next: Draft, operation: OperationState, reported: ReportedResult): OperationState {
  const { amount: otherAmount } = reported.answer;
  const { amount: asked, otherAmounts = [], partial, isAmountAssumed } = operation;
  if (reported.partial || partial || isAmountAssumed) return operation;
  if (otherAmount === undefined || asked === undefined || otherAmount === asked || otherAmounts.includes(otherAmount))
    return operation;
  // What was published meanwhile is kept: only the amount is new.
  const known = findOperation(next.order, operation.commandId) ?? operation;
  const moved = { ...known, otherAmounts: [...otherAmounts, otherAmount] };
  next.put(moved);
  next.publish(CONFLICT, moved, {
    origin: reported.origin,
    ...answered(reported),
    otherAmount,
    flags: ['other_amount'],
  });
  return moved;
}

/** TRANSACTIONID of the operation, and of the attempt that got it. */
export function bind(operation: OperationState, attempt: number, transactionId: string): OperationState {
  const attempts = operation.attempts.map((other) =>
    other.attempt === attempt ? copyWith(other, { transactionId }) : other,
  );
  return copyWith(operation, { transactionId, attempts });
}

/** What the platform accepted in part only the platform knows; else its amount counts where none was asked for. */
function settledAmount(operation: OperationState, result: Result, reported: ReportedResult): number | undefined {
  if (result !== 'succeeded') return operation.amount;
  if (reported.partial) return reported.answer.amount;
  const isOurs = operation.amount !== undefined && !operation.isAmountAssumed;
  return isOurs ? operation.amount : (reported.answer.amount ?? operation.amount);
}

/** An attempt that was closed as not executed was executed: a conflict is published, and no further attempt is made of an operation that waits for one. */
export function executedAfterAll(next: Draft, operation: OperationState, late: LateResult): void {
  const { result, reported } = late;
  if (result === 'refused' || result === 'not_executed' || result === 'unclear') return;
  const { transactionId } = reported.answer;
  const isSettled = operation.phase === 'idle';
  const attempts =
    isSettled || transactionId === undefined
      ? operation.attempts
      : bind(withNamed(operation, late.attempt), late.attempt, transactionId).attempts;
  const contradicted = conflict(next, { ...operation, attempts }, late);
  if (isSettled) settle(next, { ...contradicted, settledBy: late.attempt }, result, reported);
}

/** The attempt was provably not executed: it may be tried again, but a doubt closed so ends the operation (R4). */
export function closeNotExecuted(
  next: Draft,
  operation: OperationState,
  origin: Origin,
  why: { reason: NotExecutedReason; execCode?: string; message?: string },
): void {
  const { reason, execCode, message } = why;
  if (operation.phase === 'in_doubt') {
    endNotExecuted(next, operation, origin, { execCode, message });
    return;
  }
  const authRefusals = reason === 'auth_refused' ? (operation.authRefusals ?? 0) + 1 : operation.authRefusals;
  const lastNotExecuted = compact({ reason, execCode });
  const closed: Attempt['closed'] = reason === 'unreachable' || reason === 'send_deadline' ? 'unsent' : 'not_executed';
  const attempts = operation.attempts.map((other) =>
    other.attempt === operation.attempt ? { ...other, closed } : other,
  );
  next.put({
    ...operation,
    attempts,
    phase: 'idle',
    attempt: operation.attempt + 1,
    token: undefined,
    lastNotExecuted,
    authRefusals,
  });
}

/** An attempt that its answer denied may have been executed: its operation, which waits for the next one, is in doubt about it again. */
export function doubtAgain(next: Draft, operation: OperationState, attempt: Attempt, origin: Origin): void {
  const { attempt: number, token } = attempt;
  const attempts = operation.attempts.map((other) =>
    other === attempt ? copyWith(other, { closed: undefined }) : other,
  );
  const doubtful = { ...operation, attempts: attempts.map(compact), attempt: number, token };
  next.putAndPublish({ ...doubtful, phase: 'in_doubt', wasInDoubt: true }, 'in_doubt', {
    message: 'The platform said that it was not executed, and reported a success without our tag that may be it',
    origin,
    flags: ['success_reported'],
  });
}

/** Nobody would run another attempt: trying again needs a new command. */
export function endNotExecuted(
  next: Draft,
  operation: OperationState,
  origin: Origin,
  { execCode, message }: PlatformAnswer,
): void {
  const body: EventBody = { outcome: 'not_executed', origin, execCode, message };
  closeWith(next, operation, { end: 'not_executed' }, 'doubt_resolved', body);
}

/** Two results of one attempt that can't both be true: both are kept, and each is published once, for people to decide (R4). */
export function conflict(
  next: Draft,
  operation: OperationState,
  { attempt, result, reported }: LateResult,
  was: string = operation.end ?? operation.phase,
): OperationState {
  const { contradictions = [] } = operation;
  const entry = `${result} ${attempt} ${reported.answer.transactionId ?? '-'} ${reported.answer.execCode ?? '-'}`;
  if (contradictions.includes(entry)) return operation;
  const contradicted = { ...operation, contradictions: [...contradictions, entry] };
  next.put(contradicted);
  const flags = [
    `was_${was}`,
    `said_${was !== result ? result : isOtherTransaction(operation, reported) ? 'other_transaction' : shareOf(reported)}`,
  ];
  next.publish(CONFLICT, operation, { origin: reported.origin, ...answered(reported), flags });
  if (result === 'succeeded' && isPayment(operation) && !hasSucceeded(operation))
    conflictOfTwoPayments(next, operation, reported);
  return contradicted;
}

const shareOf = ({ partial }: ReportedResult): string => (partial ? 'partial' : 'whole');

/** A success under a TRANSACTIONID that no attempt of the operation has. */
export function isOtherTransaction(
  { transactionId: own, attempts }: OperationState,
  { answer: { transactionId } }: ReportedResult,
): boolean {
  const isKnown = own === transactionId || attempts.some((attempt) => attempt.transactionId === transactionId);
  return own !== undefined && transactionId !== undefined && !isKnown;
}

/** A redirect was superseded and both succeeded: the cardholder may pay twice. */
function conflictOfTwoPayments(next: Draft, operation: OperationState, reported: ReportedResult): void {
  const others = next.order.operations.filter((other) => other.commandId !== operation.commandId);
  if (!others.some((other) => hasTaken(next.order, other))) return;
  next.publish(CONFLICT, operation, {
    origin: reported.origin,
    ...answered(reported),
    flags: ['two_payments_succeeded'],
  });
}

/** EXTERNALENTITYID is 1 to 10 digits, EXTERNALREFERENCE 9 (interface, Method B notification-only fields); anything else is none. */
export function referencesOf({
  externalEntityId,
  externalReference,
}: ReportedResult): Pick<ReportedResult, 'externalEntityId' | 'externalReference'> {
  return compact({
    externalEntityId:
      externalEntityId !== undefined && /^\d{1,10}$/.test(externalEntityId) ? externalEntityId : undefined,
    externalReference:
      externalReference !== undefined && /^\d{9}$/.test(externalReference) ? externalReference : undefined,
  });
}

export function answered(reported: ReportedResult): EventBody {
  const { extraData, externalEntityId, externalReference } = reported;
  const body: EventBody = { ...reported.answer };
  delete body.amount;
  if (extraData !== undefined) body.extraData = extraData;
  if (externalEntityId !== undefined) body.externalEntityId = externalEntityId;
  if (externalReference !== undefined) body.externalReference = externalReference;
  return Object.assign(body, toldDetails(reported));
}
