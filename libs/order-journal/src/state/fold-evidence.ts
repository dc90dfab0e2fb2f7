import { isMadeElsewhereToo } from '@tranche/contracts';
import { compareWithEnd } from './after-the-end.js';
import { attemptNamedBy, isCurrent, isUnderWay, mayBeExecuted, namedBy, possibleSources } from './evidence-source.js';
import type { Source } from './evidence-source.js';
import { asEvidence, external, isKnown } from './external-operations.js';
import { isPayment, type OperationState, type OrderState, type UnboundEvidence } from './order-state.js';
import type { Evidence } from './records.js';
import { detailsOf } from './transaction-details.js';
import { isWaiting, operatorFromMs } from './waiting.js';
import { compact, type Draft } from './draft.js';
import {
  closeNotExecuted,
  conflict,
  doubtAgain,
  endNotExecuted,
  executedAfterAll,
  settle,
  type LateResult,
  type ReportedResult,
} from './transitions.js';

/** An operator's "not executed" counts from then on after the INTENT: whatever was sent has ended by then (R5). */
export const NOT_EXECUTED_AFTER_MS = 15 * 60_000;

/** EVIDENCE finds its operation by name, by tag or by TRANSACTIONID; else it waits, or is of an operation not ours (R8). */
export function foldEvidence(next: Draft, evidence: Evidence): void {
  const operation = namedBy(next.order, evidence);
  if (evidence.source === 'operator') {
    if (operation) applyManualResolution(next, operation, evidence);
    return;
  }
  if (operation)
    apply(next, operation, withoutIdentity(evidence, operation.operation), attemptNamedBy(operation, evidence));
  else if (evidence.operation === undefined) {
    if (!isKnown(next.order, evidence)) external(next, evidence, reportedBy(evidence));
  } else foldUnnamed(next, withoutIdentity(evidence, evidence.operation), evidence.tag !== undefined);
}

interface Place {
  operation: OperationState;
  attempt: number;
}

/** An attempt of ours, no operation of ours, or no more than a candidate; `denied`: an answer has said that nothing was executed. */
type Judged = Place | 'undecided' | 'denied' | 'elsewhere';

/** Where evidence without a tag belongs as things stand: to an attempt, to no operation of ours, or undecided until more records come (R8). */
function placeOf(order: OrderState, evidence: UnboundEvidence): Judged {
  const named = namedBy(order, evidence);
  if (named) return { operation: named, attempt: attemptNamedBy(named, evidence) };
  const sources = possibleSources(order, evidence);
  const place = placeWith(sources, evidence);
  return typeof place === 'string' && deniedSources(sources, evidence).length > 0 ? 'denied' : place;
}

/** The back office may have made one as well, so evidence without a tag settles nothing of ours (docs/decisions/0006). */
function placeWith(sources: readonly Source[], evidence: UnboundEvidence): Exclude<Judged, 'denied'> {
  if (isMadeElsewhereToo(evidence.operation)) return sources.some(mayBeExecuted) ? 'undecided' : 'elsewhere';
  const [first] = sources;
  const isOpen = first?.operation.phase === 'open' && isCurrent(first.operation, first.attempt);
  if (sources.length !== 1 || first === undefined || isOpen) return placeAmong(sources, evidence);
  return { operation: first.operation, attempt: first.attempt.attempt };
}

/**
 * Attempts that an answer denies and whose operation waits for the next one, while a success that may be theirs was reported. What is under way or
 * in doubt is waited for: it may be the source, and until then no other operation of the order is granted.
 */
function deniedSources(sources: readonly Source[], { result }: UnboundEvidence): Source[] {
  if (result !== 'succeeded' || sources.some(isUnderWay)) return [];
  return sources.filter(({ operation }) => operation.phase === 'idle');
}

/** Whichever attempt of one operation it was, it is about that operation; "not executed" is known of one of them already. */
function placeAmong(sources: readonly Source[], { result }: UnboundEvidence): Place | 'undecided' | 'elsewhere' {
  if (sources.some((source) => isCurrent(source.operation, source.attempt) && isUnderWay(source))) return 'undecided';
  const last = sources.at(-1);
  const isOfOne = last !== undefined && sources.every(({ operation }) => operation === last.operation);
  return isOfOne && result !== 'not_executed'
    ? { operation: last.operation, attempt: last.attempt.attempt }
    : 'elsewhere';
}

/** `isTagged`: with a tag that no operation of ours has. It is somebody else's, and there is no source to look for. */
function foldUnnamed(next: Draft, evidence: UnboundEvidence, isTagged: boolean): void {
  if (isKnown(next.order, evidence)) return;
  const place = isTagged ? 'elsewhere' : placeOf(next.order, evidence);
  if (place === 'undecided' || place === 'denied') next.order.unbound = [...next.order.unbound, evidence];
  else if (place !== 'elsewhere') apply(next, place.operation, evidence, place.attempt);
  else if (isTagged) external(next, evidence, reportedBy(evidence));
  else if (!saysAsAnswered(next.order, evidence)) external(next, flagged(next.order, evidence), reportedBy(evidence));
}

/** A failure with the EXECCODE that ours failed with says nothing new: most likely it is ours, and no money moved anywhere. */
function saysAsAnswered(order: OrderState, evidence: UnboundEvidence): boolean {
  const { result, answer } = evidence;
  if (answer.execCode === undefined) return false;
  return possibleSources(order, evidence).some(({ operation: { end, latest, lastNotExecuted }, attempt }) => {
    if (result === 'refused') return end === 'refused' && latest?.body.execCode === answer.execCode;
    const isDenied = attempt.closed === 'not_executed' && lastNotExecuted?.execCode === answer.execCode;
    return result === 'not_executed' && isDenied;
  });
}

/** People should look where an attempt of ours that failed could be its source: then two reports contradict each other. */
function flagged(order: OrderState, evidence: UnboundEvidence): UnboundEvidence {
  if (possibleSources(order, evidence).length === 0) return evidence;
  return { ...evidence, flags: [...(evidence.flags ?? []), 'may_be_ours'] };
}

/**
 * A record may have closed an attempt, put it in doubt or named its TRANSACTIONID: what was heard before is judged again, in the order it
 * came, until nothing of it moves. So no result depends on what came first (R8).
 */
export function rejudgeHeld(next: Draft): void {
  takeBackExternal(next);
  for (const evidence of next.order.unbound) {
    const place = placeOf(next.order, evidence);
    if (place === 'undecided') continue;
    if (place === 'denied') doubtDenied(next, evidence);
    else {
      next.order.unbound = next.order.unbound.filter((other) => other !== evidence);
      foldUnnamed(next, evidence, false);
    }
    rejudgeHeld(next);
    return;
  }
}

/** A further attempt could be a second execution: none is made, and a person decides whose the success was (docs/decisions/0006). */
function doubtDenied(next: Draft, evidence: UnboundEvidence): void {
  const sources = deniedSources(possibleSources(next.order, evidence), evidence);
  // The newest attempt of each operation that may have been executed.
  const newest = new Map(sources.map((source) => [source.operation.commandId, source]));
  for (const { operation, attempt } of newest.values()) doubtAgain(next, operation, attempt, evidence.source);
}

/** What was taken for somebody else's operation turns out to be ours: it must not count twice, and what was reported of it counts here. */
function takeBackExternal(next: Draft): void {
  for (const known of next.order.external) {
    const { operation, transactionId } = known;
    const named =
      transactionId === undefined ? undefined : namedBy(next.order, { operation, answer: { transactionId } });
    if (!named) continue;
    next.order.external = next.order.external.filter((other) => other !== known);
    apply(
      next,
      named,
      asEvidence(known, named.operation),
      attemptNamedBy(named, { operation, answer: { transactionId } }),
    );
  }
}

/** Counts only while the attempt that it names is in doubt; after an end it is compared with it, like any evidence (R4, R5). */
function applyManualResolution(next: Draft, operation: OperationState, evidence: Evidence): void {
  const attempt = evidence.attempt ?? evidence.tag?.attempt ?? operation.attempt;
  if (attempt !== operation.attempt) return;
  if (operation.phase === 'ended') compareWithEnd(next, operation, lateResult(attempt, evidence));
  const isOpen = operation.phase === 'in_doubt' || isOpenToOperator(operation, evidence);
  if (!isOpen || isTooEarly(operation, evidence)) return;
  const resolvedBy = { actor: evidence.actor ?? '', reason: evidence.reason ?? '', at: evidence.at };
  const heard = withoutIdentity(evidence, operation.operation);
  const counted = { ...operation, resolvedBy, evidence: [...operation.evidence, keyOf(attempt, heard)] };
  if (operation.phase === 'in_doubt') applyToUnknown(next, counted, heard);
  else if (heard.result === 'not_executed') endNotExecuted(next, counted, 'operator', heard.answer);
  else if (heard.result === 'succeeded' || heard.result === 'refused')
    settle(next, counted, heard.result, reportedBy(heard));
}

/** What waits is the cardholder's or the provider's to decide; an operator may from a day on, or once "not executed" was said of it (R15). */
function isOpenToOperator(operation: OperationState, { at }: Evidence): boolean {
  return isWaiting(operation) && Date.parse(at) >= operatorFromMs(operation);
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
  const { result, partial, mayBeDone, answer, source, extraData, externalEntityId, externalReference, flags } =
    evidence;
  const isTagged = evidence.tag === undefined ? undefined : (true as const);
  const told = { extraData, externalEntityId, externalReference, flags, isTagged, ...detailsOf(evidence) };
  return compact({ operation, result, partial, mayBeDone, answer, source, ...told });
}

function apply(next: Draft, operation: OperationState, evidence: UnboundEvidence, attempt: number): void {
  const key = keyOf(attempt, evidence);
  const isNew = !operation.evidence.includes(key);
  const counted: OperationState = isNew ? { ...operation, evidence: [...operation.evidence, key] } : operation;
  if (isNew) next.put(counted);
  if (attempt !== operation.attempt && attempt !== operation.settledBy) {
    if (isNew && evidence.result === 'succeeded') executedAfterAll(next, counted, lateResult(attempt, evidence));
    return;
  }
  switch (counted.phase) {
    case 'open':
    case 'in_doubt':
      if (isNew) applyToUnknown(next, counted, evidence);
      break;
    case 'redirect':
    case 'pending':
      if (isNew) applyToWaiting(next, counted, lateResult(attempt, evidence));
      break;
    case 'ended':
      // The same evidence may fill in now what it left out before.
      compareWithEnd(next, counted, lateResult(attempt, evidence));
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
  if (evidence.result === 'redirect' && !tellsOfForm(operation, evidence)) return;
  settle(next, operation, evidence.result, reportedBy(evidence));
}

/** An operator has looked; a look-up names the doubtful authorization by its tag. A notification of a form may be older than the doubt. */
const tellsOfForm = ({ phase, operation }: OperationState, { source, isTagged }: UnboundEvidence) =>
  source === 'operator' || (phase === 'in_doubt' && operation === 'authorize' && source === 'look-up' && isTagged);

/** Only payments wait: for a cardholder or for an approval (docs/decisions/0005). */
const isPossible = (operation: OperationState, { result }: UnboundEvidence): boolean =>
  isPayment(operation) || (result !== 'pending' && result !== 'redirect');

/**
 * The cardholder's or the provider's decision on a redirect or a pending approval (interface, States and transitions). "Not executed" can't be
 * true beside what the platform said before: it waits on, the conflict is published, and an operator may end it (R15).
 */
export function applyToWaiting(next: Draft, operation: OperationState, late: LateResult): void {
  const { result, reported } = late;
  if (result === 'succeeded' || result === 'refused' || (result === 'pending' && operation.phase === 'redirect'))
    settle(next, operation, result, reported);
  else if (result === 'not_executed')
    conflict(next, { ...operation, saidNotExecutedAt: operation.saidNotExecutedAt ?? next.at }, late);
}

function lateResult(attempt: number, evidence: Evidence | UnboundEvidence): LateResult {
  return compact({ attempt, result: evidence.result, reported: reportedBy(evidence), mayBeDone: evidence.mayBeDone });
}

function reportedBy(evidence: Evidence | UnboundEvidence): ReportedResult {
  const { source, partial, answer, extraData, externalEntityId, externalReference } = evidence;
  const told = { extraData, externalEntityId, externalReference, ...detailsOf(evidence) };
  return compact({ origin: source, partial, answer, ...told });
}
