import { operationTag } from './extradata-tag.js';
import { findOperation, isPayment, type Attempt, type OperationState, type UnboundEvidence } from './order-state.js';
import type { Evidence } from './records.js';
import {
  answered,
  bind,
  closeNotExecuted,
  closeWith,
  compact,
  conflict,
  executedAfterAll,
  settle,
  type Draft,
  type Said,
} from './transitions.js';

/** An operator's "not executed" counts from then on after the INTENT: whatever was sent has ended by then (R5). */
export const NOT_EXECUTED_AFTER_MS = 15 * 60_000;

/** EVIDENCE finds its operation by name, by tag or by TRANSACTIONID; else it waits, or is of an operation not ours (R8). */
export function foldEvidence(next: Draft, evidence: Evidence): void {
  const operation = named(next, evidence);
  if (evidence.source === 'operator') {
    if (operation) applyOperatorsWord(next, operation, evidence);
    return;
  }
  if (operation) {
    apply(next, operation, evidence, attemptOf(evidence) ?? operation.attempt);
    return;
  }
  const unbound = withoutIdentity(evidence);
  if (isKnownTwice(next, unbound)) return;
  // A tag that no operation of ours has: somebody else's, and no source to look for.
  const sources = evidence.tag === undefined ? possibleSources(next, unbound) : [];
  const [source] = sources;
  const isUndecided = sources.some(
    ({ operation: other, attempt }) => isCurrent(other, attempt) && (other.phase === 'open' || other.phase === 'in_doubt'),
  );
  if (sources.length === 1 && source && !(isCurrent(source.operation, source.attempt) && source.operation.phase === 'open')) {
    apply(next, source.operation, unbound, source.attempt.attempt);
    bindUnbound(next, source.operation.commandId);
  } else if (isUndecided) next.order.unbound = [...next.order.unbound, unbound];
  else external(next, unbound);
}

/** An attempt has just become doubtful: what was heard before may now settle it. */
export function settleDoubtFromUnbound(next: Draft, commandId: string): void {
  for (const unbound of next.order.unbound) {
    const sources = possibleSources(next, unbound);
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

/** What was taken for somebody else's operation turns out to be this one: it must not count twice against what remains. */
function takeBackExternal(next: Draft, commandId: string): void {
  const operation = findOperation(next.order, commandId);
  if (operation?.transactionId === undefined) return;
  const isOurs = (other: { operation: string; transactionId?: string }) =>
    other.operation === operation.operation && other.transactionId === operation.transactionId;
  if (next.order.external.some(isOurs)) next.order.external = next.order.external.filter((other) => !isOurs(other));
}

function named(next: Draft, evidence: Evidence): OperationState | undefined {
  const { commandId, tag, operation, answer } = evidence;
  if (commandId !== undefined) return findOperation(next.order, commandId);
  const ofKind = next.order.operations.filter((other) => other.operation === operation);
  const tagged = tag && ofKind.find((other) => operationTag(other.commandId) === tag.operation);
  if (tagged || answer.transactionId === undefined) return tagged;
  return ofKind.find((other) => other.transactionId === answer.transactionId);
}

interface Source {
  operation: OperationState;
  attempt: Attempt;
}

const isCurrent = (operation: OperationState, attempt: Attempt): boolean => operation.token === attempt.token;

/**
 * Attempts that evidence without a name could be about: of its kind, sent without a tag, and with no TRANSACTIONID yet. Ended and
 * earlier ones count too: a late notification of theirs must not settle a younger doubt.
 */
function possibleSources(next: Draft, evidence: UnboundEvidence): Source[] {
  const { transactionId } = evidence.answer;
  const isBound =
    transactionId !== undefined &&
    next.order.operations.some((other) => other.attempts.some((attempt) => attempt.transactionId === transactionId));
  if (isBound) return [];
  const ofKind = next.order.operations.filter((operation) => operation.operation === evidence.operation);
  return ofKind.flatMap((operation) =>
    operation.attempts
      .filter((attempt) => !attempt.isTagged && attempt.transactionId === undefined && attempt.closed !== 'unsent')
      .map((attempt) => ({ operation, attempt })),
  );
}

const attemptOf = (evidence: Evidence): number | undefined => evidence.attempt ?? evidence.tag?.attempt;

/** Counts only while the attempt that it names is in doubt; after an end it is compared with it, like any evidence (R4, R5). */
function applyOperatorsWord(next: Draft, operation: OperationState, evidence: Evidence): void {
  const attempt = attemptOf(evidence) ?? operation.attempt;
  if (attempt !== operation.attempt) return;
  if (operation.phase === 'ended') applyToEnded(next, operation, evidence);
  if (operation.phase !== 'in_doubt' || isTooEarly(operation, evidence)) return;
  const resolvedBy = { actor: evidence.actor ?? '', reason: evidence.reason ?? '', at: evidence.at };
  applyToUnknown(next, { ...operation, resolvedBy, evidence: [...operation.evidence, keyOf(attempt, evidence)] }, evidence);
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

function withoutIdentity(evidence: Evidence): UnboundEvidence {
  const { operation, result, partial, mayBeDone, answer, source, extraData, externalEntityId, externalReference, flags } = evidence;
  return compact({ operation, result, partial, mayBeDone, answer, source, extraData, externalEntityId, externalReference, flags });
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
  next.order.external = [
    ...next.order.external,
    compact({ operation, result, transactionId, execCode, amount, offset: next.order.lastOffset }),
  ];
  const body = { operation, amount, origin: originOf(evidence), flags: evidence.flags, ...answered(saidBy(evidence)) };
  next.publish('payment.operation.external', undefined, body);
}

function apply(next: Draft, operation: OperationState, evidence: UnboundEvidence, attempt: number): void {
  const key = keyOf(attempt, evidence);
  if (operation.evidence.includes(key)) return;
  const counted: OperationState = { ...operation, evidence: [...operation.evidence, key] };
  next.put(counted);
  if (attempt !== operation.attempt) {
    if (evidence.result === 'succeeded') executedAfterAll(next, counted, 'succeeded', saidBy(evidence));
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

const keyOf = (attempt: number, { answer, result }: UnboundEvidence): string =>
  `${attempt} ${answer.transactionId ?? '-'} ${answer.execCode ?? result}`;

/** After a doubt, a refusal that may mean "already done" proves nothing: the doubt stays (R8). */
function applyToUnknown(next: Draft, operation: OperationState, evidence: UnboundEvidence): void {
  const mayBeDone = operation.wasInDoubt && evidence.source !== 'operator' && evidence.mayBeDone;
  if (mayBeDone || evidence.result === 'unclear' || !isPossible(operation, evidence)) return;
  if (evidence.result === 'not_executed') {
    closeNotExecuted(next, operation, originOf(evidence), { reason: 'evidence', execCode: evidence.answer.execCode });
    return;
  }
  if (evidence.result === 'redirect' && evidence.source !== 'operator') return;
  settle(next, operation, evidence.result, saidBy(evidence));
}

/** Only payments wait: for a cardholder or for an approval (docs/decisions/0005). */
const isPossible = (operation: OperationState, { result }: UnboundEvidence): boolean =>
  isPayment(operation) || (result !== 'pending' && result !== 'redirect');

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
      evidence.answer.transactionId === undefined ? operation : bind(operation, operation.attempt, evidence.answer.transactionId),
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
  const { transactionId, amount } = evidence.answer;
  let told = operation;
  if (operation.transactionId === undefined && transactionId !== undefined) told = bind(told, operation.attempt, transactionId);
  // The amount of a success that the answer did not tell.
  if (operation.end === 'succeeded' && result === 'succeeded' && operation.amount === undefined && amount !== undefined)
    told = { ...told, amount };
  if (told !== operation) next.put(told);
  const isFinal = result === 'succeeded' || result === 'refused';
  const contradicts = isFinal && result !== operation.end && !(operation.end === 'expired' && result === 'refused');
  if (contradicts) conflict(next, told, evidence.answer, originOf(evidence));
}

function saidBy(evidence: UnboundEvidence): Said {
  const { partial, answer, extraData, externalEntityId, externalReference } = evidence;
  return compact({ origin: originOf(evidence), partial, answer, extraData, externalEntityId, externalReference });
}

const originOf = (evidence: UnboundEvidence): Said['origin'] => evidence.source;
