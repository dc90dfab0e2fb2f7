import { compareWithEnd } from './after-the-end.js';
import { isCurrent, namedBy, possibleSources } from './evidence-source.js';
import { external, isKnown, takeBackExternal } from './external-operations.js';
import { findOperation, isPayment, type OperationState, type UnboundEvidence } from './order-state.js';
import type { Evidence } from './records.js';
import { closeNotExecuted, compact, executedAfterAll, settle, type Draft, type LateWord, type Said } from './transitions.js';

/** An operator's "not executed" counts from then on after the INTENT: whatever was sent has ended by then (R5). */
export const NOT_EXECUTED_AFTER_MS = 15 * 60_000;

/** EVIDENCE finds its operation by name, by tag or by TRANSACTIONID; else it waits, or is of an operation not ours (R8). */
export function foldEvidence(next: Draft, evidence: Evidence): void {
  const operation = namedBy(next.order, evidence);
  if (evidence.source === 'operator') {
    if (operation) applyOperatorsWord(next, operation, evidence);
    return;
  }
  if (operation) {
    apply(next, operation, withoutIdentity(evidence, operation.operation), attemptOf(evidence) ?? operation.attempt);
    bindUnbound(next, operation.commandId);
    return;
  }
  if (evidence.operation === undefined) {
    if (!isKnown(next.order, evidence)) external(next, evidence, saidBy(evidence));
    return;
  }
  foldUnnamed(next, withoutIdentity(evidence, evidence.operation), evidence.tag !== undefined);
}

/** `isTagged`: with a tag that no operation of ours has. It is somebody else's, and there is no source to look for. */
function foldUnnamed(next: Draft, unbound: UnboundEvidence, isTagged: boolean): void {
  if (isKnown(next.order, unbound)) return;
  const sources = isTagged ? [] : possibleSources(next.order, unbound);
  const [source] = sources;
  const isUndecided = sources.some(
    ({ operation: other, attempt }) => isCurrent(other, attempt) && (other.phase === 'open' || other.phase === 'in_doubt'),
  );
  if (sources.length === 1 && source && !(isCurrent(source.operation, source.attempt) && source.operation.phase === 'open')) {
    apply(next, source.operation, unbound, source.attempt.attempt);
    bindUnbound(next, source.operation.commandId);
  } else if (isUndecided) next.order.unbound = [...next.order.unbound, unbound];
  else external(next, unbound, saidBy(unbound));
}

/** An attempt has just become doubtful: what was heard before may now settle it. */
export function settleDoubtFromUnbound(next: Draft, commandId: string): void {
  for (const unbound of next.order.unbound) {
    const sources = possibleSources(next.order, unbound);
    const [source] = sources;
    if (sources.length !== 1 || source?.operation.commandId !== commandId || source.operation.phase !== 'in_doubt') continue;
    next.order.unbound = next.order.unbound.filter((other) => other !== unbound);
    apply(next, source.operation, unbound, source.attempt.attempt);
    bindUnbound(next, commandId);
  }
}

/** The answer has just named its TRANSACTIONID: what was heard of that one before is about this operation (R8). */
export function bindUnbound(next: Draft, commandId: string): void {
  takeBackExternal(next, commandId);
  for (const unbound of next.order.unbound) {
    const operation = findOperation(next.order, commandId);
    const { transactionId } = unbound.answer;
    if (transactionId === undefined || operation?.transactionId !== transactionId || operation.operation !== unbound.operation) continue;
    next.order.unbound = next.order.unbound.filter((other) => other !== unbound);
    apply(next, operation, unbound, operation.attempt);
  }
}

const attemptOf = (evidence: Evidence): number | undefined => evidence.attempt ?? evidence.tag?.attempt;

/** Counts only while the attempt that it names is in doubt; after an end it is compared with it, like any evidence (R4, R5). */
function applyOperatorsWord(next: Draft, operation: OperationState, evidence: Evidence): void {
  const attempt = attemptOf(evidence) ?? operation.attempt;
  if (attempt !== operation.attempt) return;
  if (operation.phase === 'ended') compareWithEnd(next, operation, lateWord(attempt, evidence));
  if (operation.phase !== 'in_doubt' || isTooEarly(operation, evidence)) return;
  const resolvedBy = { actor: evidence.actor ?? '', reason: evidence.reason ?? '', at: evidence.at };
  const heard = withoutIdentity(evidence, operation.operation);
  applyToUnknown(next, { ...operation, resolvedBy, evidence: [...operation.evidence, keyOf(attempt, heard)] }, heard);
  bindUnbound(next, operation.commandId);
}

/** The writers' clocks are compared, never a reader's: every process judges alike. A time that can't be read is too early. */
function isTooEarly(operation: OperationState, { result, at, notBefore }: Evidence): boolean {
  if (result !== 'not_executed') return false;
  const intentAt = operation.attempts.find(({ token }) => token === operation.token)?.intentAt ?? '';
  const saidMs = Date.parse(at);
  const isLateEnough = saidMs - Date.parse(intentAt) >= NOT_EXECUTED_AFTER_MS;
  return !(isLateEnough && (notBefore === undefined || saidMs >= Date.parse(notBefore)));
}

function withoutIdentity(evidence: Evidence, operation: UnboundEvidence['operation']): UnboundEvidence {
  const { result, partial, mayBeDone, answer, source, extraData, externalEntityId, externalReference, flags } = evidence;
  return compact({ operation, result, partial, mayBeDone, answer, source, extraData, externalEntityId, externalReference, flags });
}

function apply(next: Draft, operation: OperationState, evidence: UnboundEvidence, attempt: number): void {
  const key = keyOf(attempt, evidence);
  const isNew = !operation.evidence.includes(key);
  const counted: OperationState = isNew ? { ...operation, evidence: [...operation.evidence, key] } : operation;
  if (isNew) next.put(counted);
  if (attempt !== operation.attempt) {
    if (isNew && evidence.result === 'succeeded') executedAfterAll(next, counted, lateWord(attempt, evidence));
    return;
  }
  switch (counted.phase) {
    case 'open':
    case 'in_doubt':
      if (isNew) applyToUnknown(next, counted, evidence);
      break;
    case 'redirect':
    case 'pending':
      if (isNew) applyToWaiting(next, counted, evidence.result, saidBy(evidence));
      break;
    case 'ended':
      // A word that was heard before may fill in what it did not tell then.
      compareWithEnd(next, counted, lateWord(attempt, evidence));
      break;
    case 'idle':
      break;
  }
}

const keyOf = (attempt: number, { answer, result }: UnboundEvidence): string =>
  `${attempt} ${answer.transactionId ?? '-'} ${answer.execCode ?? result}`;

/** After a doubt, a refusal that may mean "already done" proves nothing: the doubt stays (R8). */
function applyToUnknown(next: Draft, operation: OperationState, evidence: UnboundEvidence): void {
  const mayBeDone = operation.wasInDoubt && evidence.source !== 'operator' && evidence.mayBeDone;
  if (mayBeDone || evidence.result === 'unclear' || !isPossible(operation, evidence)) return;
  if (evidence.result === 'not_executed') {
    closeNotExecuted(next, operation, evidence.source, { reason: 'evidence', execCode: evidence.answer.execCode });
    return;
  }
  if (evidence.result === 'redirect' && evidence.source !== 'operator') return;
  settle(next, operation, evidence.result, saidBy(evidence));
}

/** Only payments wait: for a cardholder or for an approval (docs/decisions/0005). */
const isPossible = (operation: OperationState, { result }: UnboundEvidence): boolean =>
  isPayment(operation) || (result !== 'pending' && result !== 'redirect');

/** The cardholder's or the provider's word on a redirect or a pending approval (interface, States and transitions). */
export function applyToWaiting(next: Draft, operation: OperationState, result: LateWord['result'], said: Said): void {
  if (result === 'succeeded' || result === 'refused' || (result === 'pending' && operation.phase === 'redirect'))
    settle(next, operation, result, said);
}

function lateWord(attempt: number, evidence: Evidence | UnboundEvidence): LateWord {
  return compact({ attempt, result: evidence.result, said: saidBy(evidence), mayBeDone: evidence.mayBeDone });
}

function saidBy({ source, partial, answer, extraData, externalEntityId, externalReference }: Evidence | UnboundEvidence): Said {
  return compact({ origin: source, partial, answer, extraData, externalEntityId, externalReference });
}
