import { compareWithEnd } from './after-the-end.js';
import { applyToWaiting } from './fold-evidence.js';
import { findOperation } from './order-state.js';
import type { Outcome } from './records.js';
import { bind, compact, executedAfterAll, type Draft, type Said } from './transitions.js';

/** After evidence was first: the answer moves on what waits, binds its TRANSACTIONID, and is compared with the end (R4). */
export function compareLateOutcome(next: Draft, record: Outcome): void {
  const operation = findOperation(next.order, record.commandId);
  const attempt = operation?.attempts.find(({ token }) => token === record.token);
  if (!operation || !attempt) return;
  const said = compact<Said>({ origin: 'answer', partial: record.partial, answer: record.answer });
  const word = { attempt: record.attempt, result: record.result, said };
  if (attempt.closed !== undefined) executedAfterAll(next, operation, word);
  else if (operation.token !== record.token) return;
  else if (operation.phase === 'ended') compareWithEnd(next, operation, word);
  else if (operation.phase === 'redirect' || operation.phase === 'pending') {
    const { transactionId } = record.answer;
    const isNew = transactionId !== undefined && operation.transactionId === undefined;
    const bound = isNew ? bind(operation, record.attempt, transactionId) : operation;
    if (isNew) next.put(bound);
    applyToWaiting(next, bound, record.result, said);
  }
}
