import { compareWithEnd } from './after-the-end.js';
import { attemptOf } from './attempts.js';
import { applyToWaiting } from './fold-evidence.js';
import { findOperation } from './order-state.js';
import type { NotExecuted, Outcome } from './records.js';
import { compact, type Draft } from './draft.js';
import { bind, executedAfterAll, type ReportedResult } from './transitions.js';
import { foldUngranted } from './ungranted-outcome.js';
import { isWaiting } from './waiting.js';

/** After evidence was first: the answer moves on what waits, binds its TRANSACTIONID, and is compared with the end (R4). */
export function compareLateOutcome(next: Draft, record: Outcome): void {
  const operation = findOperation(next.order, record.commandId);
  const attempt = operation && attemptOf(next.order, operation, record);
  if (!operation || !attempt) {
    foldUngranted(next, record);
    return;
  }
  const reported = compact<ReportedResult>({ origin: 'answer', partial: record.partial, answer: record.answer });
  const late = { attempt: record.attempt, result: record.result, reported };
  const hasSettled = operation.settledBy === record.attempt;
  if (attempt.closed !== undefined && !hasSettled) executedAfterAll(next, operation, late);
  else if (operation.token !== record.token && !hasSettled) return;
  else if (operation.phase === 'ended') compareWithEnd(next, operation, late);
  else if (isWaiting(operation)) {
    const { transactionId } = record.answer;
    const isNew = transactionId !== undefined && operation.transactionId === undefined;
    const bound = isNew ? bind(operation, record.attempt, transactionId) : operation;
    if (isNew) next.put(bound);
    applyToWaiting(next, bound, late);
  }
}

/** Evidence was first and ended the attempt: an answer that nothing was executed is compared with it, like any other (R4). */
export function compareLateNotExecuted(
  next: Draft,
  { commandId, attempt, token, execCode, message }: NotExecuted,
): void {
  const operation = findOperation(next.order, commandId);
  if (operation === undefined || operation.token !== token || operation.attempt !== attempt) return;
  const reported: ReportedResult = { origin: 'answer', answer: compact({ execCode, message }) };
  const late = { attempt, result: 'not_executed', reported } as const;
  if (operation.phase === 'ended') compareWithEnd(next, operation, late);
  else if (isWaiting(operation)) applyToWaiting(next, operation, late);
}
