import { compact, copyWith } from '@tranche/runtime';
import { isSettledReport } from './conflicts.js';
import { authorizationOf } from './guards.js';
import { isSameReport, type Answered, type Elsewhere, type Match, type Matched, type Source } from './match.js';
import {
  findOperation,
  isPayment,
  isWaiting,
  mayHaveSucceeded,
  verdictOf,
  type CountedEvidence,
  type Evidence,
  type ExternalOperation,
  type OperationState,
  type OrderState,
  type Result,
  type UnauthorizedOutcome,
} from './order-state.js';
import {
  addedDetails,
  amountFlags,
  bindFirst,
  contradictsEnd,
  returnedFlags,
  pendingSince,
  withReport,
  type Details,
} from './terms.js';
import { NOT_EXECUTED_AFTER_MS, operatorFromMs } from './time.js';

/**
 * Evidence moves its operation in one of these ways.
 *
 * `count`: it is noted, and nothing else changes · `settle`: it moves an operation that has not ended · `close`: the attempt was not executed, another one
 * may follow · `end`: it was not executed, and none follows · `wait`: "not executed" of a payment that waits · `contradict`: both results are kept ·
 * `after_all`: a closed attempt was executed · `expired`: a success after our timer's end · `more`: a success with further details ·
 * `added`: a refusal with what the platform returns.
 */
export interface OperationMove {
  move: 'count' | 'settle' | 'close' | 'end' | 'wait' | 'contradict' | 'after_all' | 'expired' | 'more' | 'added';
  /** The operation as evidence makes it, before it moves; `before`, where it differs, as the order has it. */
  operation: OperationState;
  before: OperationState;
  evidence: Evidence;
  /** The success is published once more with these. */
  added?: Details | undefined;
}

/** A call that was never granted. `was`: how its operation stood, else the verdict on its token; `moved`: what its result does to the operation. */
export interface UnauthorizedMove {
  move: 'unauthorized';
  outcome: UnauthorizedOutcome;
  was: string;
  moved: Move;
  evidence: Evidence;
}

/** An operation that is not ours. `contradicted`: the opposite result was reported of it before. */
export interface ExternalMove {
  move: 'elsewhere';
  external: Omit<ExternalOperation, 'offset'>;
  /** It was reported before, with less. */
  known: ExternalOperation | undefined;
  contradicted: ExternalOperation | undefined;
  flags: string[] | undefined;
  evidence: Evidence;
}

export type Move =
  | OperationMove
  | UnauthorizedMove
  | ExternalMove
  | { move: 'none' }
  | { move: 'keep'; evidence: Evidence }
  | { move: 'doubt'; sources: Source[]; evidence: Evidence };

const NONE: Move = { move: 'none' };

/** Judges evidence by the operation that it was matched with. `isKept`: it waited in the order until now. */
export function judgeEvidence(order: OrderState, match: Match, evidence: Evidence, isKept = false): Move {
  if (order.settled !== undefined && 'operation' in match) {
    const { attempt } = match.is === 'matched' ? match : evidence;
    if (isSettledReport(order, match.operation, { ...evidence, attempt })) return NONE;
  }
  switch (match.is) {
    case 'known':
      return NONE;
    case 'unauthorized':
      return judgeUnauthorized(order, evidence);
    case 'current':
    case 'late':
    case 'closed':
      return judgeAnswer(match, evidence);
    case 'matched':
      return evidence.source === 'operator' ? judgeResolution(match, evidence) : judgeReport(match, evidence);
    case 'denied':
      // A further attempt could be a second execution: none is made, and a person decides whose the success was (docs/decisions/0006).
      return isKept ? { move: 'doubt', sources: match.sources, evidence } : { move: 'keep', evidence };
    case 'undecided':
      return { move: 'keep', evidence };
    case 'elsewhere':
      return judgeElsewhere(order, match, evidence);
  }
}

function judgeAnswer({ is, operation }: Answered, evidence: Evidence): Move {
  const before = operation;
  if (is === 'closed') return { move: 'after_all', operation, before, evidence };
  if (is === 'current')
    return { move: evidence.result === 'not_executed' ? 'close' : 'settle', operation, before, evidence };
  return judgeLate(operation, evidence);
}

/** After evidence was first: the answer moves on what waits, binds its TRANSACTIONID, and is compared with the end (R4). */
function judgeLate(operation: OperationState, evidence: Evidence): Move {
  if (operation.phase === 'ended') return compareWithEnd(operation, operation, evidence);
  if (!isWaiting(operation)) return NONE;
  const bound = bindFirst(operation, evidence);
  return judgeWaiting(operation, bound, evidence);
}

/** The key under which a report of an attempt counts: the same once more changes nothing. */
function countedAs({ attempt = 0, answer, result, at, source }: Evidence): CountedEvidence {
  const { transactionId, execCode: code = result } = answer;
  return { attempt, ...(transactionId === undefined ? {} : { transactionId }), code, ...(at && { at, source }) };
}

const isCountedIn = ({ evidence }: OperationState, key: CountedEvidence): boolean =>
  evidence.some(
    (one) => one.attempt === key.attempt && one.transactionId === key.transactionId && one.code === key.code,
  );

/** A report counts once for its attempt. The same one once more may fill in what it left out before. */
function judgeReport({ operation: before, attempt, isAssumed }: Matched, matched: Evidence): Move {
  const evidence = matched.attempt === attempt ? matched : { ...matched, attempt };
  const key = countedAs(evidence);
  const isNew = !isCountedIn(before, key);
  const isTransactionAssumed =
    isAssumed && evidence.answer.transactionId !== undefined ? true : before.isTransactionAssumed;
  const operation = isNew ? { ...before, evidence: before.evidence.concat(key), isTransactionAssumed } : before;
  if (attempt !== operation.attempt && attempt !== operation.settledBy)
    return { move: isNew && evidence.result === 'succeeded' ? 'after_all' : 'count', operation, before, evidence };
  if (operation.phase === 'ended') return compareWithEnd(before, operation, evidence);
  if (!isNew || operation.phase === 'idle') return { move: 'count', operation, before, evidence };
  return isWaiting(operation)
    ? judgeWaiting(before, operation, evidence)
    : (judgeUnknown(before, operation, evidence) ?? { move: 'count', operation, before, evidence });
}

/** After a doubt, a refusal that may mean "already done" proves nothing: the doubt stays (R8). */
function judgeUnknown(before: OperationState, operation: OperationState, evidence: Evidence): Move | undefined {
  const { source, result, answer } = evidence;
  const mayBeDone = operation.wasInDoubt && source !== 'operator' && evidence.mayBeDone;
  // Only payments wait: for a cardholder or for an approval (docs/decisions/0032).
  const isPossible = isPayment(operation) || (result !== 'pending' && result !== 'redirect_required');
  if (mayBeDone || result === 'in_doubt' || !isPossible) return undefined;
  if (result === 'not_executed') {
    const reason = { source, result, reason: 'evidence', answer: { execCode: answer.execCode } } as const;
    return { move: 'close', operation, before, evidence: reason };
  }
  if (result === 'redirect_required' && !provesForm(operation, evidence)) return undefined;
  return { move: 'settle', operation, before, evidence };
}

/** An operator has looked; a look-up names the doubtful authorization by its tag. A notification of a form may be older than the doubt. */
const provesForm = ({ phase, operation }: OperationState, { source, tag }: Evidence): boolean =>
  source === 'operator' ||
  (phase === 'in_doubt' && operation === 'authorize' && source === 'look-up' && tag !== undefined);

/**
 * The cardholder's or the provider's decision on a redirect or a pending approval (interface, States and transitions). "Not executed" can't be
 * true beside what the platform said before: it waits on, the conflict is published, and an operator may end it (R15).
 */
function judgeWaiting(before: OperationState, operation: OperationState, evidence: Evidence): Move {
  const { result } = evidence;
  if (
    result === 'succeeded' ||
    result === 'refused' ||
    (result === 'pending' && operation.phase === 'redirect_required')
  )
    return { move: 'settle', operation, before, evidence };
  if (result === 'not_executed') return { move: 'wait', operation, before, evidence };
  return { move: 'count', operation: pendingSince(operation, evidence), before, evidence };
}

/** Counts only while the attempt that it names is in doubt; after an end it is compared with it, like any evidence (R4, R5). */
function judgeResolution({ operation: before }: Matched, matched: Evidence): Move {
  const { attempt = matched.tag?.attempt ?? before.attempt, resolution } = matched;
  if (attempt !== before.attempt || resolution === undefined) return NONE;
  const evidence = copyWith(matched, { attempt });
  if (before.phase === 'ended') return compareWithEnd(before, before, evidence);
  // A payment that waits is the cardholder's or the provider's to decide; an operator may from a day on, or once "not executed" was reported of it (R15).
  const isOpenToOperator =
    before.phase === 'in_doubt' || (isWaiting(before) && Date.parse(resolution.at) >= operatorFromMs(before));
  if (!isOpenToOperator || isTooEarly(before, evidence)) return NONE;
  const { actor, reason, at } = resolution;
  const counted = [...before.evidence, countedAs(evidence)];
  const operation = copyWith(before, { resolvedBy: { actor, reason, at }, evidence: counted });
  if (before.phase === 'in_doubt') return judgeUnknown(before, operation, evidence) ?? NONE;
  if (evidence.result === 'not_executed') return { move: 'end', operation, before, evidence };
  const isFinal = evidence.result === 'succeeded' || evidence.result === 'refused';
  return isFinal ? { move: 'settle', operation, before, evidence } : NONE;
}

/** The writers' clocks are compared, never a reader's: every process judges alike. A time that can't be read is too early. */
function isTooEarly(operation: OperationState, { result, resolution }: Evidence): boolean {
  if (result !== 'not_executed') return false;
  const intentAt = operation.attempts.find(({ token }) => token === operation.token)?.intentAt ?? '';
  const { at = '', notBefore } = resolution ?? {};
  const isLateEnough = Date.parse(at) - Date.parse(intentAt) >= NOT_EXECUTED_AFTER_MS;
  return !(isLateEnough && (notBefore === undefined || Date.parse(at) >= Date.parse(notBefore)));
}

/**
 * A report after an end is compared with it: equal changes nothing, but it may fill in what was unknown before; a contradiction is kept
 * and published once; a success after an expiry counts all the same (R4).
 */
function compareWithEnd(before: OperationState, known: OperationState, evidence: Evidence): Move {
  if (known.end === 'expired' && evidence.result === 'succeeded')
    return { move: 'expired', operation: known, before, evidence };
  const isContradiction = contradictsEnd(known, evidence);
  const operation = withReport(known, evidence, isContradiction);
  const added = addedDetails(before, operation, evidence);
  if (isContradiction) {
    const flags = amountFlags(before, operation);
    return { move: 'contradict', operation, before, evidence, added: { ...added, flags } };
  }
  if (known.end !== 'succeeded' || evidence.result !== 'succeeded') {
    const flags = returnedFlags(before, operation);
    return flags.length > 0
      ? { move: 'added', operation, before, evidence, added: { ...added, flags } }
      : { move: 'count', operation, before, evidence };
  }
  return { move: 'more', operation, before, evidence, added };
}

/**
 * An OUTCOME whose token was never granted: the platform was asked by a process that the fold gave no right to. Published once as a conflict, and
 * guards count it as "may have succeeded". Where the order's history is not whole, its grant may be among what is missing.
 */
function judgeUnauthorized(order: OrderState, reported: Evidence): Move {
  const { commandId = '', attempt = 0, token = '' } = reported;
  const result = reported.result as Result;
  // No cardholder may see its form.
  const { redirectHtml: _form, ...answer } = reported.answer;
  const evidence = copyWith(reported, { answer });
  const operation = findOperation(order, commandId);
  const { transactionId, amount = operation?.amount } = answer;
  const isKnown = order.unauthorizedOutcomes?.some(
    (one) => one.token === token && one.result === result && one.transactionId === transactionId,
  );
  if (order.isPartial || isKnown) return NONE;
  const { operation: kind, reference } = operation ?? {};
  const outcome: UnauthorizedOutcome = compact({
    commandId,
    attempt,
    token,
    result,
    operation: kind,
    reference,
    transactionId,
    amount,
  });
  const was = operation ? (operation.end ?? operation.phase) : (verdictOf(order, token) ?? 'unknown');
  const moved = operation ? judgeUngranted(operation, evidence) : NONE;
  return { move: 'unauthorized', outcome, was, moved, evidence };
}

/** An operation that waits for its next attempt gets none: it was executed. An ended one without TRANSACTIONID gets the one of the call, so that follow-ups and notifications of it find it. */
function judgeUngranted(before: OperationState, evidence: Evidence): Move {
  if (before.phase === 'idle') return { move: 'after_all', operation: before, before, evidence };
  if (evidence.result !== 'succeeded') return NONE;
  const operation = before.phase === 'ended' ? bindFirst(before, evidence) : before;
  return { move: 'contradict', operation, before, evidence };
}

/** An operation that is not ours, made in the back office or of a kind that we have no name for, is published once (docs/decisions/0020). */
function judgeElsewhere(order: OrderState, { mayBeOurs, mayBeOf }: Elsewhere, evidence: Evidence): ExternalMove {
  const { operation, operationType, result, partial, mayBeDone, source, currency, answer } = evidence;
  const { transactionId, execCode, amount } = answer;
  const of = authorizationOf(order, evidence);
  const target = findOperation(order, of ?? '');
  const external: Omit<ExternalOperation, 'offset'> = compact({
    operation,
    operationType,
    result,
    transactionId,
    execCode,
    amount,
    currency,
    partial,
    mayBeDone,
    source: source === 'notification' || source === 'answer' ? undefined : source,
    externalEntityId: evidence.externalEntityId,
    externalReference: evidence.externalReference,
    of,
    isOfWaiting: target && operation === 'void' && !mayHaveSucceeded(target) ? true : undefined,
    ...(mayBeOf && { mayBeOf, extraData: evidence.extraData, language: evidence.language, flags: evidence.flags }),
  });
  const known = order.external.find((other) => isSameReport(other, external));
  const contradicted = order.external.find(
    (other) => isSameOperation(other, evidence) && isOpposite(other.result, result),
  );
  const flags = mayBeOurs ? [...(evidence.flags ?? []), 'may_be_ours'] : evidence.flags;
  return {
    move: 'elsewhere',
    // It stays of the authorization that it was first reported for.
    external: known
      ? compact({ ...external, ...known, of: known.of, isOfWaiting: known.isOfWaiting, mayBeOf: known.mayBeOf })
      : external,
    known,
    contradicted: known ? undefined : contradicted,
    flags,
    evidence,
  };
}

const isSameOperation = (other: OrderState['external'][number], evidence: Evidence): boolean =>
  evidence.answer.transactionId !== undefined &&
  other.transactionId === evidence.answer.transactionId &&
  other.operation === evidence.operation &&
  other.operationType === evidence.operationType;

const isOpposite = (before: string, now: string): boolean =>
  (before === 'succeeded' && now === 'refused') || (before === 'refused' && now === 'succeeded');

/** The report of an operation that was taken for somebody else's, as evidence of our own. */
export function externalEvidence(external: ExternalOperation): Evidence {
  const { operation, result, partial, mayBeDone, source = 'notification', currency } = external;
  const { transactionId, execCode, amount, externalEntityId, externalReference, extraData, language, flags } = external;
  const answer = compact({ transactionId, execCode, amount });
  const details = { currency, externalEntityId, externalReference, extraData, language, flags };
  return compact({ operation, result, partial, mayBeDone, answer, source, ...details });
}
