import { countedAs, evidenceOf, isCountedIn } from './evidence.js';
import { hasFollowUp } from './guards.js';
import {
  answeredAttempt,
  deniedSources,
  externalEvidence,
  isKnownFailure,
  isRepeated,
  matchNamed,
  matchOperation,
  possibleSources,
  type Match,
} from './match.js';
import {
  compact,
  copyWith,
  findOperation,
  isPayment,
  isWaiting,
  mayHaveSucceeded,
  verdictOf,
  type Evidence,
  type OperationState,
  type OrderState,
  type UnauthorizedOutcome,
} from './order-state.js';
import type { EvidenceRecord, NotExecuted, Outcome } from './records.js';
import { NOT_EXECUTED_AFTER_MS, operatorFromMs } from './time.js';
import {
  bind,
  closeNotExecuted,
  CONFLICT,
  contradict,
  doubtAgain,
  endNotExecuted,
  eventOf,
  executedAfterAll,
  flagsWith,
  isOtherTransaction,
  publish,
  put,
  putAndPublish,
  refundReferences,
  reportAmount,
  reportCurrency,
  reportedBody,
  settle,
  withDetails,
  withOrder,
  type Change,
} from './transitions.js';

/** EVIDENCE finds its operation by name, by tag or by TRANSACTIONID; else it waits, or is of an operation not ours (R8). */
export function foldEvidence(change: Change, record: EvidenceRecord): Change {
  const evidence = evidenceOf(record);
  const named = matchNamed(change.order, evidence);
  if (evidence.source === 'operator') return named ? resolve(change, named.operation, record) : change;
  if (named) return apply(change, named, evidence);
  if (isRepeated(change.order, evidence)) return change;
  const match = matchOperation(change.order, evidence);
  if (match === 'undecided' || match === 'denied')
    return withOrder(change, { unmatchedEvidence: [...change.order.unmatchedEvidence, evidence] });
  return match === 'elsewhere' ? applyElsewhere(change, evidence) : apply(change, match, evidence);
}

/**
 * A record may have closed an attempt, put it in doubt or named its TRANSACTIONID: evidence that waits is matched again, in the order it
 * came, until none of it moves. So no result depends on the order of arrival (R8).
 */
export function rematch(change: Change): Change {
  const { external, unmatchedEvidence } = change.order;
  if (external.length === 0 && unmatchedEvidence.length === 0) return change;
  const taken = takeBackExternal(change);
  for (const evidence of taken.order.unmatchedEvidence) {
    const match = matchOperation(taken.order, evidence);
    if (match !== 'undecided') return rematch(applyMatch(taken, match, evidence));
  }
  return taken;
}

function applyMatch(change: Change, match: Exclude<Match, 'undecided'>, evidence: Evidence): Change {
  if (match === 'denied') return doubtDenied(change, evidence);
  const left = change.order.unmatchedEvidence.filter((other) => other !== evidence);
  const next = withOrder(change, { unmatchedEvidence: left });
  if (isRepeated(next.order, evidence)) return next;
  return match === 'elsewhere' ? applyElsewhere(next, evidence) : apply(next, match, evidence);
}

/** A further attempt could be a second execution: none is made, and a person decides whose the success was (docs/decisions/0006). */
function doubtDenied(change: Change, evidence: Evidence): Change {
  return deniedSources(change.order, evidence).reduce(
    (next, { operation, attempt }) => doubtAgain(next, operation, attempt, evidence.source),
    change,
  );
}

/** An operation that was taken for somebody else's turns out to be ours: it must not count twice, and what was reported of it counts here. */
function takeBackExternal(change: Change): Change {
  return change.order.external.reduce((next, known) => {
    if (known.transactionId === undefined) return next;
    const evidence = externalEvidence(known);
    const named = matchNamed(next.order, evidence);
    if (!named) return next;
    return apply(
      withOrder(next, { external: next.order.external.filter((other) => other !== known) }),
      named,
      evidence,
    );
  }, change);
}

function apply(change: Change, { operation, attempt }: Exclude<Match, string>, matched: Evidence): Change {
  const evidence = matched.attempt === attempt ? matched : copyWith(matched, { attempt });
  const key = countedAs(evidence);
  const isNew = !isCountedIn(operation, key);
  const counted = isNew ? copyWith(operation, { evidence: [...operation.evidence, key] }) : operation;
  const next = isNew ? put(change, counted) : change;
  if (attempt !== operation.attempt && attempt !== operation.settledBy)
    return isNew && evidence.result === 'succeeded' ? executedAfterAll(next, counted, evidence) : next;
  // The same evidence may fill in now what it left out before.
  if (counted.phase === 'ended') return compareWithEnd(next, counted, evidence);
  if (!isNew || counted.phase === 'idle') return next;
  return isWaiting(counted) ? applyToWaiting(next, counted, evidence) : applyToUnknown(next, counted, evidence);
}

/** After a doubt, a refusal that may mean "already done" proves nothing: the doubt stays (R8). */
function applyToUnknown(change: Change, operation: OperationState, evidence: Evidence): Change {
  const { source, result, answer } = evidence;
  const mayBeDone = operation.wasInDoubt && source !== 'operator' && evidence.mayBeDone;
  // Only payments wait: for a cardholder or for an approval (docs/decisions/0005).
  const isPossible = isPayment(operation) || (result !== 'pending' && result !== 'redirect');
  if (mayBeDone || result === 'unclear' || !isPossible) return change;
  if (result === 'not_executed')
    return closeNotExecuted(change, operation, source, { reason: 'evidence', execCode: answer.execCode });
  return result === 'redirect' && !provesForm(operation, evidence) ? change : settle(change, operation, evidence);
}

/** An operator has looked; a look-up names the doubtful authorization by its tag. A notification of a form may be older than the doubt. */
const provesForm = ({ phase, operation }: OperationState, { source, tag }: Evidence): boolean =>
  source === 'operator' ||
  (phase === 'in_doubt' && operation === 'authorize' && source === 'look-up' && tag !== undefined);

/**
 * The cardholder's or the provider's decision on a redirect or a pending approval (interface, States and transitions). "Not executed" can't be
 * true beside what the platform said before: it waits on, the conflict is published, and an operator may end it (R15).
 */
function applyToWaiting(change: Change, operation: OperationState, evidence: Evidence): Change {
  const { result } = evidence;
  if (result === 'succeeded' || result === 'refused' || (result === 'pending' && operation.phase === 'redirect'))
    return settle(change, operation, evidence);
  if (result !== 'not_executed') return change;
  const { saidNotExecutedAt = change.at } = operation;
  return contradict(change, copyWith(operation, { saidNotExecutedAt }), evidence);
}

/** Counts only while the attempt that it names is in doubt; after an end it is compared with it, like any evidence (R4, R5). */
function resolve(change: Change, operation: OperationState, record: EvidenceRecord): Change {
  const { attempt = record.tag?.attempt ?? operation.attempt } = record;
  if (attempt !== operation.attempt) return change;
  const evidence = copyWith(evidenceOf(record), { attempt });
  if (operation.phase === 'ended') return compareWithEnd(change, operation, evidence);
  // A payment that waits is the cardholder's or the provider's to decide; an operator may from a day on, or once "not executed" was reported of it (R15).
  const isOpenToOperator =
    operation.phase === 'in_doubt' || (isWaiting(operation) && Date.parse(record.at) >= operatorFromMs(operation));
  if (!isOpenToOperator || isTooEarly(operation, record)) return change;
  const resolvedBy = { actor: record.actor ?? '', reason: record.reason ?? '', at: record.at };
  const counted = copyWith(operation, { resolvedBy, evidence: [...operation.evidence, countedAs(evidence)] });
  if (operation.phase === 'in_doubt') return applyToUnknown(change, counted, evidence);
  if (evidence.result === 'not_executed') return endNotExecuted(change, counted, 'operator', evidence.answer);
  const isFinal = evidence.result === 'succeeded' || evidence.result === 'refused';
  return isFinal ? settle(change, counted, evidence) : change;
}

/** The writers' clocks are compared, never a reader's: every process judges alike. A time that can't be read is too early. */
function isTooEarly(operation: OperationState, record: EvidenceRecord): boolean {
  if (record.result !== 'not_executed') return false;
  const intentAt = operation.attempts.find(({ token }) => token === operation.token)?.intentAt ?? '';
  const reportedMs = Date.parse(record.at);
  const isLateEnough = reportedMs - Date.parse(intentAt) >= NOT_EXECUTED_AFTER_MS;
  return !(isLateEnough && (record.notBefore === undefined || reportedMs >= Date.parse(record.notBefore)));
}

/** After evidence was first: the answer moves on what waits, binds its TRANSACTIONID, and is compared with the end (R4). */
export function foldLateOutcome(change: Change, record: Outcome): Change {
  const operation = findOperation(change.order, record.commandId);
  const attempt = operation && answeredAttempt(change.order, operation, record);
  if (!operation || !attempt) return foldUnauthorized(change, record);
  const evidence = evidenceOf(record);
  const hasSettled = operation.settledBy === record.attempt;
  if (attempt.closed !== undefined && !hasSettled) return executedAfterAll(change, operation, evidence);
  if (operation.token !== record.token && !hasSettled) return change;
  if (operation.phase === 'ended') return compareWithEnd(change, operation, evidence);
  if (!isWaiting(operation)) return change;
  const { transactionId } = record.answer;
  if (transactionId === undefined || operation.transactionId !== undefined)
    return applyToWaiting(change, operation, evidence);
  const bound = bind(operation, record.attempt, transactionId);
  return applyToWaiting(put(change, bound), bound, evidence);
}

/** Evidence was first and ended the attempt: an answer that nothing was executed is compared with it, like any other (R4). */
export function foldLateNotExecuted(change: Change, record: NotExecuted): Change {
  const operation = findOperation(change.order, record.commandId);
  if (operation?.token !== record.token || operation.attempt !== record.attempt) return change;
  const evidence = evidenceOf(record);
  if (operation.phase === 'ended') return compareWithEnd(change, operation, evidence);
  return isWaiting(operation) ? applyToWaiting(change, operation, evidence) : change;
}

/**
 * An OUTCOME whose token was never granted: the platform was asked by a process that the fold gave no right to. Published once as a conflict, and
 * guards count it as "may have succeeded". Where the order's history is not whole, its grant may be among what is missing.
 */
function foldUnauthorized(change: Change, record: Outcome): Change {
  const { commandId, attempt, token, result } = record;
  // No cardholder may see its form.
  const { redirectHtml: _form, ...answer } = record.answer;
  const evidence = copyWith(evidenceOf(record), { answer });
  const { unauthorizedOutcomes = [] } = change.order;
  const operation = findOperation(change.order, commandId);
  const { transactionId, amount = operation?.amount } = answer;
  const isKnown = unauthorizedOutcomes.some(
    (one) => one.token === token && one.result === result && one.transactionId === transactionId,
  );
  if (change.order.isPartial || isKnown) return change;
  const { operation: kind, reference } = operation ?? {};
  const outcome: UnauthorizedOutcome = compact({
    ...{ commandId, attempt, token, result, operation: kind, reference, transactionId, amount },
  });
  const was = operation ? (operation.end ?? operation.phase) : (verdictOf(change.order, token) ?? 'unknown');
  const noted = withOrder(change, { unauthorizedOutcomes: [...unauthorizedOutcomes, outcome] });
  const next = operation ? moveUnauthorized(noted, operation, evidence) : noted;
  const isPublished = next.events.length > noted.events.length;
  const flags = [...(isPublished ? [] : [`was_${was}`, `said_${result}`]), 'never_granted'];
  const known = findOperation(next.order, commandId);
  return publish(next, CONFLICT, known, { ...(known ? {} : { commandId, attempt }), ...reportedBody(evidence), flags });
}

/** An operation that waits for its next attempt gets none: it was executed. An ended one without TRANSACTIONID gets the one of the call, so that follow-ups and notifications of it find it. */
function moveUnauthorized(change: Change, operation: OperationState, evidence: Evidence): Change {
  if (operation.phase === 'idle') return executedAfterAll(change, operation, evidence);
  const { transactionId } = evidence.answer;
  if (evidence.result !== 'succeeded') return change;
  if (operation.phase !== 'ended' || operation.transactionId !== undefined || transactionId === undefined)
    return contradict(change, operation, evidence);
  const bound = bind(operation, evidence.attempt ?? operation.attempt, transactionId);
  return contradict(put(change, bound), bound, evidence);
}

/**
 * A report after an end is compared with it: equal changes nothing, but it may fill in what was unknown before; a contradiction is kept
 * and published once; a success after an expiry counts all the same (R4).
 */
function compareWithEnd(change: Change, operation: OperationState, evidence: Evidence): Change {
  const { result } = evidence;
  const isAgreed = operation.end === 'succeeded' && result === 'succeeded';
  if (operation.end === 'expired' && result === 'succeeded') {
    const next = settle(change, operation, evidence);
    return contradict(next, findOperation(next.order, operation.commandId) ?? operation, evidence, 'expired');
  }
  const isContradiction = contradictsEnd(operation, evidence);
  const completed = withReport(operation, evidence, isContradiction);
  const next = completed === operation ? change : put(change, completed);
  if (isContradiction) return contradict(next, completed, evidence);
  if (!isAgreed) return next;
  const told = reportCurrency(reportAmount(next, completed, evidence), completed, evidence);
  return publishMore(told, operation, evidence);
}

function contradictsEnd(operation: OperationState, evidence: Evidence): boolean {
  const { end } = operation;
  const { result, source, mayBeDone } = evidence;
  if (end === 'succeeded') {
    if (result === 'succeeded') return isOtherShare(operation, evidence) || isOtherTransaction(operation, evidence);
    // An operator's "not executed" was about the doubt, and came too late for it (R5).
    return (result === 'not_executed' && source !== 'operator') || (result === 'refused' && !mayBeDone);
  }
  return (
    (result === 'succeeded' || result === 'refused') && result !== end && !(end === 'expired' && result === 'refused')
  );
}

/** The platform itself, not an operator, says that it accepted another share of the operation than it reported before. */
function isOtherShare({ partial = false, amount }: OperationState, evidence: Evidence): boolean {
  const { partial: isPartial = false, answer } = evidence;
  const isOtherAmount = isPartial && amount !== undefined && answer.amount !== undefined && answer.amount !== amount;
  return answer.execCode !== undefined && (isPartial !== partial || isOtherAmount);
}

/** The ended operation with what the report adds: its TRANSACTIONID, an amount that was unknown, details; or that its amount is disputed. */
function withReport(operation: OperationState, evidence: Evidence, isContradiction: boolean): OperationState {
  const { result, source, attempt = operation.attempt } = evidence;
  const { transactionId, amount } = evidence.answer;
  // A code that says "not executed" can't be true beside the redirect or approval before it; an operator has looked.
  const isDenied =
    (result === 'refused' && !evidence.mayBeDone) || (result === 'not_executed' && source === 'operator');
  let completed = operation.mayYetSucceed && isDenied ? { ...operation, mayYetSucceed: undefined } : operation;
  if (transactionId !== undefined && operation.transactionId === undefined)
    completed = bind(completed, attempt, transactionId);
  if (operation.end !== 'succeeded' || result !== 'succeeded') return completed;
  if (isContradiction) return isOtherShare(operation, evidence) ? { ...completed, isAmountDisputed: true } : completed;
  // The amount of a success may be unknown, or our reading of the platform's default.
  if (amount !== undefined && (completed.amount === undefined || completed.isAmountAssumed))
    completed = { ...completed, amount, isAmountAssumed: undefined };
  return withDetails(completed, evidence);
}

/**
 * A refund's references, a payment's card, and how much was accepted of what was accepted in part, may come by notification alone, often
 * behind the answer: the success is published once more, with them (docs/decisions/0023, 0050).
 */
function publishMore(change: Change, before: OperationState, evidence: Evidence): Change {
  const operation = findOperation(change.order, before.commandId) ?? before;
  const { externalEntityId, externalReference } = {
    ...(operation.operation === 'refund' ? refundReferences(evidence) : {}),
    ...compact({ externalEntityId: operation.externalEntityId, externalReference: operation.externalReference }),
  };
  const added = [
    ...(externalEntityId !== operation.externalEntityId || externalReference !== operation.externalReference
      ? ['references_added']
      : []),
    ...(operation.partial && before.amount === undefined && operation.amount !== undefined ? ['amount_added'] : []),
    ...(operation.isCardTold && !before.isCardTold ? ['card_added'] : []),
  ];
  if (added.length === 0) return change;
  const flags = [...(flagsWith(operation, evidence) ?? []), ...added];
  const body = { ...reportedBody(evidence), externalEntityId, externalReference, flags };
  return putAndPublish(change, copyWith(operation, { externalEntityId, externalReference }), 'succeeded', body);
}

/** Of no operation of ours: made in the back office, or of a kind that we have no name for. Published once, whatever it is (docs/decisions/0020). */
function applyElsewhere(change: Change, evidence: Evidence): Change {
  // A failure that says what ours says needs no event. People should look where an attempt of ours that failed could be the source.
  if (evidence.tag === undefined && isKnownFailure(change.order, evidence)) return change;
  const mayBeOurs = evidence.tag === undefined && possibleSources(change.order, evidence).length > 0;
  const { operation, operationType, result, partial, mayBeDone, source, currency, answer } = evidence;
  const { transactionId, execCode, amount } = answer;
  const flags = mayBeOurs ? [...(evidence.flags ?? []), 'may_be_ours'] : evidence.flags;
  const body = { operation, operationType, amount, currency, flags, ...reportedBody(evidence) };
  const event = eventOf(change, 'payment.operation.external', undefined, body);
  const { offset, record, nth } = event;
  const external = compact({
    ...{ operation, operationType, result, transactionId, execCode, amount, currency, partial, mayBeDone },
    source: source === 'notification' || source === 'answer' ? undefined : source,
    ...{ externalEntityId: evidence.externalEntityId, externalReference: evidence.externalReference },
    ...{ of: authorizationOf(change.order, evidence), offset, record, nth },
  });
  const contradicted = change.order.external.find(
    (other) => isSameOperation(other, evidence) && isOpposite(other.result, result),
  );
  const published = publish(change, event.type, undefined, body);
  const next = withOrder(published, { external: [...change.order.external, external] });
  if (!contradicted) return next;
  return publish(next, CONFLICT, undefined, { ...body, flags: [`was_${contradicted.result}`] });
}

const isSameOperation = (other: OrderState['external'][number], evidence: Evidence): boolean =>
  evidence.answer.transactionId !== undefined &&
  other.transactionId === evidence.answer.transactionId &&
  other.operation === evidence.operation &&
  other.operationType === evidence.operationType;

const isOpposite = (before: string, now: string): boolean =>
  (before === 'succeeded' && now === 'refused') || (before === 'refused' && now === 'succeeded');

/** The only authorization that a capture or void made elsewhere can be of; undefined where there are others, or may be. */
function authorizationOf(order: OrderState, { operation: kind }: Evidence): string | undefined {
  if (kind !== 'capture' && kind !== 'void') return undefined;
  if (order.isPartial || order.external.some(({ operation }) => operation === 'authorize')) return undefined;
  const possible = order.operations.filter((operation) => {
    const hasFailed = operation.phase === 'ended' && !mayHaveSucceeded(operation) && !operation.mayYetSucceed;
    if (operation.operation !== 'authorize' || hasFailed) return false;
    return !hasFollowUp(order, 'capture', operation) && !hasFollowUp(order, 'void', operation);
  });
  return possible.length === 1 ? possible[0]?.commandId : undefined;
}
