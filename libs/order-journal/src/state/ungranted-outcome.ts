import {
  findOperation,
  verdictOf,
  type OperationState,
  type OrderState,
  type UngrantedOutcome,
} from './order-state.js';
import type { Outcome } from './records.js';
import { compact, CONFLICT, type Draft } from './draft.js';
import { answered, bind, conflict, executedAfterAll, type LateResult } from './transitions.js';

/**
 * An OUTCOME whose token was never granted: the platform was asked by somebody whom the fold gave no right to. Published once as a conflict, and
 * guards count it as "may have succeeded". Where the order's history is not whole, its grant may be among what is missing.
 */
export function foldUngranted(next: Draft, record: Outcome): void {
  const { commandId, attempt, token, result, partial } = record;
  // A form that no cardholder must see.
  const { redirectHtml, ...answer } = record.answer;
  const operation = findOperation(next.order, commandId);
  const outcome: UngrantedOutcome = compact({
    ...{ commandId, attempt, token, result, operation: operation?.operation, reference: operation?.reference },
    ...{ transactionId: answer.transactionId, amount: answer.amount ?? operation?.amount },
  });
  if (next.order.isPartial || isKnown(next.order, outcome)) return;
  const was = operation ? (operation.end ?? operation.phase) : (verdictOf(next.order, token) ?? 'unknown');
  next.order.ungranted = [...(next.order.ungranted ?? []), outcome];
  const late: LateResult = { attempt, result, reported: compact({ origin: 'answer', partial, answer }) };
  const told = operation && move(next, operation, late);
  const flags = [...(told ? [] : [`was_${was}`, `said_${result}`]), 'never_granted'];
  const known = findOperation(next.order, commandId);
  next.publish(CONFLICT, known, {
    ...(known ? {} : { commandId, attempt }),
    ...answered(late.reported),
    origin: 'answer',
    flags,
  });
}

function isKnown({ ungranted = [] }: OrderState, { token, result, transactionId }: UngrantedOutcome): boolean {
  return ungranted.some((one) => one.token === token && one.result === result && one.transactionId === transactionId);
}

/** True where the conflict was published with how the operation stood. One that waits for its next attempt gets none: it was executed. */
function move(next: Draft, operation: OperationState, late: LateResult): boolean {
  const before = next.effects.length;
  if (operation.phase === 'idle') executedAfterAll(next, operation, late);
  else if (late.result === 'succeeded') conflict(next, bound(next, operation, late), late);
  return next.effects.length > before;
}

/** An ended operation that has no TRANSACTIONID gets the one of the call, so that follow-ups and notifications of it find it. */
function bound(next: Draft, operation: OperationState, { attempt, reported }: LateResult): OperationState {
  const { transactionId } = reported.answer;
  if (operation.phase !== 'ended' || operation.transactionId !== undefined || transactionId === undefined)
    return operation;
  const named = bind(operation, attempt, transactionId);
  next.put(named);
  return named;
}
