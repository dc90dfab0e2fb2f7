import { execCode } from '@tranche/contracts';
import { operationTag } from './extradata-tag.js';
import { findOperation, type OperationState, type UnboundEvidence } from './order-state.js';
import type { Evidence } from './records.js';
import { answered, closeNotExecuted, closeWith, compact, conflict, settle, type Draft, type Said } from './transitions.js';

/** EVIDENCE finds its operation by name, by tag or by TRANSACTIONID; else it waits, or is of an operation not ours (R8). */
export function foldEvidence(next: Draft, evidence: Evidence): void {
  const operation = named(next, evidence);
  if (operation) {
    apply(next, operation, evidence, attemptOf(evidence) ?? operation.attempt);
    return;
  }
  const unbound = withoutIdentity(evidence);
  if (isKnownTwice(next, unbound)) return;
  const candidates = candidatesFor(next, unbound);
  const inDoubt = candidates.length === 1 ? candidates.find((candidate) => candidate.phase === 'in_doubt') : undefined;
  if (inDoubt) apply(next, inDoubt, unbound, inDoubt.attempt);
  else if (candidates.length > 0) next.order.unbound = [...next.order.unbound, unbound];
  else external(next, unbound);
}

/** An attempt has just become doubtful: what was heard before may now settle it. */
export function settleDoubtFromUnbound(next: Draft, commandId: string): void {
  for (const unbound of next.order.unbound) {
    const candidates = candidatesFor(next, unbound);
    const [candidate] = candidates;
    if (candidates.length !== 1 || candidate?.commandId !== commandId || candidate.phase !== 'in_doubt') continue;
    next.order.unbound = next.order.unbound.filter((other) => other !== unbound);
    apply(next, candidate, unbound, candidate.attempt);
  }
}

function named(next: Draft, evidence: Evidence): OperationState | undefined {
  const { commandId, tag, operation, answer } = evidence;
  if (commandId !== undefined) return findOperation(next.order, commandId);
  const tagged = tag && next.order.operations.find((other) => operationTag(other.commandId) === tag.operation);
  if (tagged) return tagged;
  if (answer.transactionId === undefined) return undefined;
  return next.order.operations.find((other) => other.transactionId === answer.transactionId && other.operation === operation);
}

const attemptOf = (evidence: Evidence): number | undefined => evidence.attempt ?? evidence.tag?.attempt;

function withoutIdentity(evidence: Evidence): UnboundEvidence {
  const { operation, result, partial, answer, source, extraData, externalEntityId, externalReference } = evidence;
  return compact({ operation, result, partial, answer, source, extraData, externalEntityId, externalReference });
}

/** Attempts that could be the source of evidence without a name: open or doubtful, of its kind, with no TRANSACTIONID of their own. */
function candidatesFor(next: Draft, evidence: UnboundEvidence): OperationState[] {
  return next.order.operations.filter(
    (operation) =>
      operation.operation === evidence.operation &&
      (operation.phase === 'open' || operation.phase === 'in_doubt') &&
      (operation.transactionId === undefined || operation.transactionId === evidence.answer.transactionId),
  );
}

function isKnownTwice(next: Draft, evidence: UnboundEvidence): boolean {
  const { answer } = evidence;
  const isSame = (other: { operation: string; transactionId?: string; execCode?: string }) =>
    other.operation === evidence.operation && other.transactionId === answer.transactionId && other.execCode === answer.execCode;
  return next.order.external.some(isSame) || next.order.unbound.some((other) => isSame({ ...other.answer, operation: other.operation }));
}

/** Notified, but not ours: a refund in the back office counts against what remains. */
function external(next: Draft, evidence: UnboundEvidence): void {
  const { operation, result, answer } = evidence;
  const { transactionId, execCode, amount } = answer;
  next.order.external = [...next.order.external, compact({ operation, result, transactionId, execCode, amount })];
  next.publish('payment.operation.external', undefined, { operation, amount, origin: originOf(evidence), ...answered(saidBy(evidence)) });
}

function apply(next: Draft, operation: OperationState, evidence: UnboundEvidence, attempt: number): void {
  const { answer } = evidence;
  const key = `${attempt} ${answer.transactionId ?? '-'} ${answer.execCode ?? evidence.result}`;
  if (operation.evidence.includes(key) && evidence.source !== 'operator') return;
  const counted: OperationState = { ...operation, evidence: [...operation.evidence, key] };
  next.put(counted);
  if (attempt !== operation.attempt) {
    if (evidence.result === 'succeeded') conflict(next, counted, evidence.answer, originOf(evidence));
    return;
  }
  switch (counted.phase) {
    case 'open':
    case 'in_doubt':
      applyToUnknown(next, counted, evidence);
      break;
    case 'redirect':
    case 'pending':
      applyToWaiting(next, counted, evidence);
      break;
    case 'ended':
      applyToEnded(next, counted, evidence);
      break;
    case 'idle':
      break;
  }
}

/** After a doubt, a refusal that may mean "already done" proves nothing: the doubt stays (R8). */
function applyToUnknown(next: Draft, operation: OperationState, evidence: UnboundEvidence): void {
  const mayBeDone = operation.wasInDoubt && evidence.source !== 'operator' && execCode(evidence.answer.execCode ?? '').maybeAlreadyDone;
  if (mayBeDone || evidence.result === 'unclear') return;
  if (evidence.result === 'not_executed') {
    if (evidence.source === 'operator' && operation.phase !== 'in_doubt') return;
    closeNotExecuted(next, operation, originOf(evidence), { reason: 'evidence', execCode: evidence.answer.execCode });
    return;
  }
  if (evidence.result === 'redirect' && evidence.source !== 'operator') return;
  settle(next, operation, evidence.result, saidBy(evidence));
}

/** The cardholder's or the provider's word on a redirect or a pending approval (interface, States and transitions). */
function applyToWaiting(next: Draft, operation: OperationState, evidence: UnboundEvidence): void {
  const { result } = evidence;
  const movesOn = result === 'succeeded' || result === 'refused' || (result === 'pending' && operation.phase === 'redirect');
  if (movesOn) settle(next, operation, result, saidBy(evidence));
}

function applyToEnded(next: Draft, operation: OperationState, evidence: UnboundEvidence): void {
  const { result } = evidence;
  if (operation.end === 'expired' && result === 'succeeded') {
    closeWith(
      next,
      { ...operation, transactionId: evidence.answer.transactionId ?? operation.transactionId },
      { end: 'succeeded' },
      'succeeded',
      {
        origin: originOf(evidence),
        ...answered(saidBy(evidence)),
      },
    );
    conflict(next, operation, evidence.answer, originOf(evidence));
    return;
  }
  const bound = operation.transactionId === undefined && evidence.answer.transactionId !== undefined;
  if (bound) next.put({ ...operation, transactionId: evidence.answer.transactionId });
  const isFinal = result === 'succeeded' || result === 'refused';
  const contradicts = isFinal && result !== operation.end && !(operation.end === 'expired' && result === 'refused');
  if (contradicts) conflict(next, operation, evidence.answer, originOf(evidence));
}

function saidBy(evidence: UnboundEvidence): Said {
  const { partial, answer, extraData, externalEntityId, externalReference } = evidence;
  return compact({ origin: originOf(evidence), partial, answer, extraData, externalEntityId, externalReference });
}

const originOf = (evidence: UnboundEvidence): Said['origin'] => evidence.source;
