import { isMadeElsewhereToo } from '@tranche/contracts';
import { operationTag } from './extradata-tag.js';
import {
  findOperation,
  verdictOf,
  VERDICTS_KEPT,
  type Attempt,
  type Evidence,
  type ExternalOperation,
  type OperationState,
  type OrderState,
} from './order-state.js';
import { hasRule } from './versions.js';

export interface Source {
  operation: OperationState;
  attempt: Attempt;
}

export interface Matched {
  is: 'matched';
  operation: OperationState;
  attempt: number;
  /** By counting alone: it may be another operation, which the back office made. */
  isAssumed?: true;
}

/** An answer is `current` for the open or doubtful attempt with its token, `closed` for one that was closed as not executed, else `late`. */
export interface Answered {
  is: 'current' | 'late' | 'closed';
  operation: OperationState;
}

/** Attempts whose answers say that they were not executed; a success that may be theirs was reported. */
interface Denied {
  is: 'denied';
  sources: Source[];
}

/** No operation of ours. `mayBeOf`: commands in doubt that it may yet turn out to be. */
export interface Elsewhere {
  is: 'elsewhere';
  mayBeOurs: boolean;
  mayBeOf?: string[] | undefined;
}

/**
 * The attempt of ours that evidence is about, else why it is about none.
 *
 * `undecided`: more records may show its source · `elsewhere`: no operation of ours · `unauthorized`: an answer to a call that nobody was granted ·
 * `known`: it says nothing new, or names nothing that is known.
 */
export type Match = Matched | Answered | Denied | Elsewhere | { is: 'undecided' | 'unauthorized' | 'known' };

const KNOWN: Match = { is: 'known' };
const UNDECIDED: Match = { is: 'undecided' };
const UNAUTHORIZED: Match = { is: 'unauthorized' };

/** Finds the operation of new evidence: by its name, by the tag or by TRANSACTIONID, else by being the only attempt that can be the source (R8). */
export function matchEvidence(order: OrderState, evidence: Evidence): Match {
  if (evidence.source === 'answer') return matchAnswer(order, evidence);
  if (isTagOfVoid(order, evidence)) return KNOWN;
  if (waitsForMore(order, evidence)) return isRepeated(order, evidence) ? KNOWN : UNDECIDED;
  const named = matchNamed(order, evidence);
  if (named) return named;
  if (evidence.source === 'operator' || isRepeated(order, evidence)) return KNOWN;
  return matchUnnamed(order, evidence);
}

/** Finds the operation of evidence that waits in the order. */
export function matchAgain(order: OrderState, evidence: Evidence): Match {
  if (evidence.source === 'answer') return isOfLostIntent(order, evidence) ? UNDECIDED : matchAnswer(order, evidence);
  const named = waitsForMore(order, evidence) ? UNDECIDED : matchNamed(order, evidence);
  const match = named ?? matchUnnamed(order, evidence);
  if (match.is === 'undecided' || match.is === 'denied') return match;
  const unmatchedEvidence = order.unmatchedEvidence.filter((other) => other !== evidence);
  return isRepeated(order, evidence, unmatchedEvidence) ? KNOWN : match;
}

/** An answer closes the open or doubtful attempt whose token it has; any other one is late, or of a call that nobody was granted (R4). */
function matchAnswer(order: OrderState, evidence: Evidence): Match {
  const { result, token, attempt } = evidence;
  const waiting = matchLostIntent(order, evidence);
  if (waiting) return waiting;
  const operation = findOperation(order, evidence.commandId ?? '');
  const isCurrent = operation?.token === token && operation?.attempt === attempt;
  if (operation && isCurrent && (operation.phase === 'open' || operation.phase === 'in_doubt'))
    return { is: 'current', operation };
  if (result === 'not_executed') return operation && isCurrent ? { is: 'late', operation } : KNOWN;
  const answered = operation && answeredAttempt(order, operation, evidence);
  if (!operation || !answered) return UNAUTHORIZED;
  const hasSettled = operation.settledBy === attempt;
  if (answered.closed !== undefined && !hasSettled) return { is: 'closed', operation };
  return operation.token === token || hasSettled ? { is: 'late', operation } : KNOWN;
}

function matchUnnamed(order: OrderState, evidence: Evidence): Match {
  // A tag that no operation of ours has is of another publisher: there is no source to look for.
  if (evidence.tag !== undefined) return { is: 'elsewhere', mayBeOurs: false };
  const sources = possibleSources(order, evidence);
  const match = evidence.operation === undefined ? undefined : matchSources(order, sources, evidence);
  if (match && match !== 'elsewhere' && match !== 'undecided') return match;
  const deniedSources = match ? denied(sources, evidence) : [];
  if (deniedSources.length > 0) return { is: 'denied', sources: newestOfEach(deniedSources) };
  if (match === 'undecided') return UNDECIDED;
  // A failure with the EXECCODE of ours needs no event. People should look where an attempt of ours that failed could be the source.
  if (isKnownFailure(sources, evidence)) return KNOWN;
  if (!hasRule(order, 'reportsAreTold')) return { is: 'elsewhere', mayBeOurs: sources.length > 0 };
  const isAssumedElse = order.operations.some(
    (one) => one.isTransactionAssumed && one.operation === evidence.operation,
  );
  const doubts = sources.filter((source) => mayBeExecuted(source) && isUnderWay(source));
  const mayBeOf = [...new Set(doubts.map(({ operation }) => operation.commandId))];
  return {
    is: 'elsewhere',
    mayBeOurs: sources.length > 0 || isAssumedElse,
    mayBeOf: mayBeOf.length > 0 ? mayBeOf : undefined,
  };
}

/** The operation that a report which was told as somebody else's is of: the one that it names, else the one whose doubt has ended without a TRANSACTIONID. */
export function matchTold(order: OrderState, evidence: Evidence, mayBeOf: readonly string[] = []): Matched | undefined {
  const named = matchNamed(order, evidence);
  if (named || mayBeOf.length === 0) return named;
  const sources = possibleSources(order, evidence).filter(({ operation }) => mayBeOf.includes(operation.commandId));
  const match = matchSources(order, sources, evidence);
  return typeof match === 'object' ? match : undefined;
}

function matchNamed(order: OrderState, evidence: Evidence): Matched | undefined {
  const operation = named(order, evidence);
  return operation && { is: 'matched', operation, attempt: attemptOf(operation, evidence) };
}

/** The operation that evidence names: by command id, by the tag in EXTRADATA, or by TRANSACTIONID (R8). */
function named(order: OrderState, evidence: Evidence): OperationState | undefined {
  const { commandId, tag, operation, answer } = evidence;
  if (commandId !== undefined) return findOperation(order, commandId);
  const ofKind = order.operations.filter((other) => other.operation === operation);
  const tagged = tag && ofKind.find((other) => operationTag(other.commandId) === tag.operation);
  if (tagged) return isOfAnother(tagged, evidence) ? undefined : tagged;
  const { transactionId } = answer;
  const bound = transactionId === undefined ? undefined : ofKind.find((other) => hasTransaction(other, transactionId));
  return bound ?? namedVoid(order, evidence);
}

/**
 * The tag of a void with the TRANSACTIONID of an authorization is of that void, whatever its OPERATIONTYPE, which is not shown. It says nothing of the
 * authorization, and it proves nothing of the void either (docs/decisions/0006).
 */
function isTagOfVoid({ operations }: OrderState, { tag, operation, answer: { transactionId } }: Evidence): boolean {
  if (tag === undefined || transactionId === undefined || operation === 'void') return false;
  return (
    operations.some((one) => one.operation === 'void' && operationTag(one.commandId) === tag.operation) &&
    operations.some((one) => one.operation === 'authorize' && hasTransaction(one, transactionId))
  );
}

/** An end without a tag, where a void was sent without one: it may be of either. A person decides, unless the authorization ended so, or the void otherwise. */
function mayBeOfVoid({ operations }: OrderState, { source, tag, operation, result, answer }: Evidence): boolean {
  const { transactionId } = answer;
  if (source !== 'notification' || tag !== undefined || operation !== 'authorize' || transactionId === undefined)
    return false;
  if (result === 'redirect_required' || result === 'pending' || result === 'in_doubt') return false;
  const isUntaggedVoid = (one: OperationState) =>
    one.operation === 'void' &&
    one.reference === transactionId &&
    (one.phase !== 'ended' || one.end === result) &&
    one.attempts.some(({ isTagged, closed }) => !isTagged && closed !== 'unsent');
  return (
    operations.some(isUntaggedVoid) &&
    operations.some((one) => hasTransaction(one, transactionId) && one.end !== result)
  );
}

const hasTransaction = ({ transactionId: own, attempts }: OperationState, transactionId: string | undefined): boolean =>
  own === transactionId || attempts.some((attempt) => attempt.transactionId === transactionId);

/** Its name alone does not say which operation it is of, until further records do. */
const waitsForMore = (order: OrderState, evidence: Evidence): boolean =>
  mayBeOfVoid(order, evidence) || isOfLostAttempt(order, evidence);

/**
 * A report of an attempt that has no INTENT yet: the journal has lost it. `tranche journal resume` writes one, and what was reported counts from then on.
 */
function isOfLostAttempt(order: OrderState, { tag }: Evidence): boolean {
  if (tag === undefined || !hasRule(order, 'reportsOfLostAttemptsWait')) return false;
  return order.operations.some(
    ({ phase, attempt, commandId }) =>
      phase === 'idle' && attempt === tag.attempt && operationTag(commandId) === tag.operation,
  );
}

/**
 * The answer to a call, or its doubt, whose INTENT no reader of this log has seen: the journal has lost it. The call was made, so what is known of it
 * waits for the command, which comes again, and which is not sent once more.
 */
function isOfLostIntent(order: OrderState, { commandId = '', token = '', result }: Evidence): boolean {
  if (result === 'not_executed' || !hasRule(order, 'callsOfLostIntentsCount')) return false;
  return findOperation(order, commandId) === undefined && verdictOf(order, token) === undefined;
}

/** Says whether a doubt without an operation waits: that of a call whose INTENT is lost does, any other one says nothing. */
export const matchDoubt = (order: OrderState, evidence: Evidence): Match => matchLostIntent(order, evidence) ?? KNOWN;

/** Evidence of a call whose INTENT is lost waits once: a repeated record of it says nothing new. Undefined for a call whose INTENT is there. */
function matchLostIntent(order: OrderState, evidence: Evidence): Match | undefined {
  if (!isOfLostIntent(order, evidence)) return undefined;
  return isKept(order, evidence) ? KNOWN : UNDECIDED;
}

const isKept = ({ unmatchedEvidence }: OrderState, { token, result }: Evidence): boolean =>
  unmatchedEvidence.some((one) => one.token === token && one.result === result);

/** Finds what is known of a call of this command whose INTENT is lost. */
export const callWithoutIntent = ({ unmatchedEvidence }: OrderState, commandId: string): Evidence | undefined =>
  unmatchedEvidence.find((one) => one.source === 'answer' && one.commandId === commandId);

/** The attempt that evidence of this operation is about: the one it names, the one with its TRANSACTIONID, else the current one. */
function attemptOf(operation: OperationState, { attempt, tag, answer: { transactionId } }: Evidence): number {
  const bound = operation.attempts.find((one) => transactionId !== undefined && one.transactionId === transactionId);
  return attempt ?? tag?.attempt ?? bound?.attempt ?? operation.settledBy ?? operation.attempt;
}

/** An answer is final about the TRANSACTIONID of an operation that no cardholder has a part in: with another one it is another operation. */
function isOfAnother(operation: OperationState, evidence: Evidence): boolean {
  const { phase, end, attempts } = operation;
  const { transactionId } = evidence.answer;
  const isFinal = operation.operation !== 'authorize' && operation.operation !== 'pay' && end === 'succeeded';
  if (!isFinal || phase !== 'ended' || transactionId === undefined) return false;
  const number = evidence.attempt ?? evidence.tag?.attempt;
  const own = attempts.find(({ attempt }) => attempt === number)?.transactionId;
  return own !== undefined && own !== transactionId && attempts.every((one) => one.transactionId !== transactionId);
}

/**
 * "Void notifications carry the same parameters as capture" (interface, Events); their OPERATIONTYPE is not shown. Whatever it is, a
 * void's own TRANSACTIONID or tag names it; never the TRANSACTIONID of another operation of ours (docs/decisions/0006).
 */
function namedVoid(order: OrderState, { operation, tag, answer }: Evidence): OperationState | undefined {
  const { transactionId } = answer;
  const mayBeVoid = operation === undefined || operation === 'capture' || operation === 'authorize';
  if (!mayBeVoid || transactionId === undefined) return undefined;
  const isOfOther = order.operations.some(
    (other) =>
      other.operation !== 'void' && (other.reference === transactionId || hasTransaction(other, transactionId)),
  );
  if (isOfOther) return undefined;
  const voids = order.operations.filter((other) => other.operation === 'void');
  const bound = voids.find((other) => other.transactionId === transactionId);
  const tagged =
    tag && voids.find((other) => other.transactionId === undefined && operationTag(other.commandId) === tag.operation);
  return bound ?? tagged;
}

/** The back office may have made one as well, so evidence without a tag settles nothing of ours (docs/decisions/0006). */
function matchSources(
  order: OrderState,
  sources: readonly Source[],
  evidence: Evidence,
): Matched | 'undecided' | 'elsewhere' {
  if (isMadeElsewhereToo(evidence.operation!)) {
    const executed = sources.filter(mayBeExecuted);
    if (hasRule(order, 'reportsAreTold')) return matchByCount(executed, evidence);
    return executed.length > 0 ? 'undecided' : 'elsewhere';
  }
  const [first] = sources;
  const isOpen = first?.operation.phase === 'open' && isCurrent(first);
  if (sources.length !== 1 || first === undefined || isOpen) return matchAmong(sources, evidence);
  return { is: 'matched', operation: first.operation, attempt: first.attempt.attempt };
}

/**
 * Each success of ours without a TRANSACTIONID takes one report, so of k of them the report k+1 is of the back office. Which one is whose may be
 * swapped; each TRANSACTIONID is told once with its amount, so their sum is right. A call under way is waited for; a doubt is not.
 */
function matchByCount(
  executed: readonly Source[],
  { result, partial = false, answer }: Evidence,
): ReturnType<typeof matchSources> {
  if (executed.some(({ operation }) => operation.phase === 'open')) return 'undecided';
  const isReportOf = ({ operation: { end, partial: isPart = false, amount } }: Source) =>
    result === 'succeeded' &&
    end === 'succeeded' &&
    isPart === partial &&
    !(isPart && amount !== undefined && amount !== answer.amount);
  const succeeded = executed.filter(isReportOf);
  const source = succeeded.find(({ operation }) => !operation.isAmountAssumed) ?? succeeded[0];
  if (source === undefined) return 'elsewhere';
  return { is: 'matched', operation: source.operation, attempt: source.attempt.attempt, isAssumed: true };
}

/** Sources that are attempts of one operation name that operation; "not executed" is known of one of them already. */
function matchAmong(sources: readonly Source[], { result }: Evidence): Matched | 'undecided' | 'elsewhere' {
  if (sources.some((source) => isCurrent(source) && isUnderWay(source))) return 'undecided';
  const last = sources.at(-1);
  const isOfOne = last !== undefined && sources.every(({ operation }) => operation === last.operation);
  return isOfOne && result !== 'not_executed'
    ? { is: 'matched', operation: last.operation, attempt: last.attempt.attempt }
    : 'elsewhere';
}

/**
 * Attempts that an answer denies and whose operation waits for the next one, while a success that may be theirs was reported. An attempt under way or
 * in doubt is waited for: it may be the source, and until then no other operation of the order is granted.
 */
function denied(sources: readonly Source[], { result }: Evidence): Source[] {
  if (result !== 'succeeded' || sources.some(isUnderWay)) return [];
  return sources.filter(({ operation }) => operation.phase === 'idle');
}

/** The newest denied attempt of each operation that may have been executed after all. */
const newestOfEach = (sources: readonly Source[]): Source[] => [
  ...new Map(sources.map((source) => [source.operation.commandId, source])).values(),
];

const isCurrent = ({ operation, attempt }: Source): boolean => operation.token === attempt.token;

const isUnderWay = ({ operation: { phase } }: Source): boolean => phase === 'open' || phase === 'in_doubt';

/** The attempt by which its operation succeeded, or may have. */
export function mayBeExecuted(source: Source): boolean {
  const { end, settledBy, attempt } = source.operation;
  return source.attempt.attempt === (settledBy ?? attempt) && (isUnderWay(source) || end === 'succeeded');
}

/**
 * Attempts that evidence without a name could be about: of its kind, sent without a tag, and with no TRANSACTIONID yet. Ended and
 * earlier ones count too: a late notification of theirs must not settle a younger doubt.
 */
export function possibleSources(order: OrderState, evidence: Evidence): Source[] {
  const { transactionId } = evidence.answer;
  const isBound =
    transactionId !== undefined &&
    order.operations.some((other) => other.attempts.some((attempt) => attempt.transactionId === transactionId));
  if (isBound) return [];
  const ofKind = order.operations.filter(
    (operation) => operation.operation === evidence.operation && mayBeOfAmount(operation, evidence),
  );
  const isUnnamed = ({ settledBy, transactionId: own }: OperationState, attempt: Attempt) =>
    attempt.transactionId === undefined && (own === undefined || attempt.attempt !== settledBy);
  return ofKind.flatMap((operation) =>
    operation.attempts
      .filter((attempt) => !attempt.isTagged && attempt.closed !== 'unsent' && isUnnamed(operation, attempt))
      .map((attempt) => ({ operation, attempt })),
  );
}

/** A report of more or less than was asked for is somebody else's; unless the platform accepted a share of it. */
function mayBeOfAmount(operation: OperationState, { partial, answer: { amount } }: Evidence): boolean {
  const { isAmountAssumed, askedAmount, amount: own } = operation;
  const asked = isAmountAssumed ? undefined : operation.partial ? askedAmount : own;
  return partial === true || asked === undefined || amount === undefined || asked === amount;
}

/** The same evidence was counted as no operation of ours, or waits, and said as much. */
const isRepeated = (order: OrderState, evidence: Evidence, waiting = order.unmatchedEvidence): boolean =>
  [...order.external, ...waiting.map(reportOf)].some(
    (other) => isSameReport(other, reportOf(evidence)) && !reportsMore(reportOf(evidence), other),
  );

type Report = Partial<ExternalOperation>;

const reportOf = ({ operation, operationType, externalEntityId, externalReference, answer }: Evidence): Report => ({
  operation,
  operationType,
  externalEntityId,
  externalReference,
  transactionId: answer.transactionId,
  execCode: answer.execCode,
  amount: answer.amount,
});

/** Without a TRANSACTIONID only a report that is alike in all is the same. */
export const isSameReport = (one: Report, other: Report): boolean =>
  one.operation === other.operation &&
  one.operationType === other.operationType &&
  one.transactionId === other.transactionId &&
  one.execCode === other.execCode &&
  (one.transactionId !== undefined || one.amount === other.amount);

/** The platform may report the same again, and more of it: the references of a refund, the amount. */
const reportsMore = (now: Report, before: Report): boolean =>
  (['amount', 'externalEntityId', 'externalReference'] as const).some(
    (name) => now[name] !== undefined && before[name] === undefined,
  );

/** A failure with the EXECCODE that ours failed with reports nothing new: most likely it is ours, and no money moved anywhere. */
function isKnownFailure(sources: readonly Source[], evidence: Evidence): boolean {
  const { result, answer } = evidence;
  if (answer.execCode === undefined) return false;
  return sources.some(({ operation: { end, latest, lastNotExecuted }, attempt }) => {
    if (result === 'refused') return end === 'refused' && latest?.body.execCode === answer.execCode;
    const isDenied = attempt.closed === 'not_executed' && lastNotExecuted?.execCode === answer.execCode;
    return result === 'not_executed' && isDenied;
  });
}

/** The attempt that an OUTCOME answers. One that is not kept, or was put back by its number, was granted: the verdict on its token says so. */
function answeredAttempt(order: OrderState, operation: OperationState, evidence: Evidence): Attempt | undefined {
  const { token = '', attempt = operation.attempt } = evidence;
  const verdict = verdictOf(order, token);
  const isGranted = verdict === 'granted' || (verdict === undefined && forgetsVerdicts(order));
  // A snapshot of an order at rest keeps neither tokens nor the verdicts on them.
  const isByNumber = order.snapshotAt !== undefined || isGranted;
  const isMeant = (one: Attempt) => one.token === token || (isByNumber && one.token === '' && one.attempt === attempt);
  const known = operation.attempts.find(isMeant);
  return known ?? (isGranted && isLeftOut(operation, attempt) ? leftOut(attempt) : undefined);
}

export const isLeftOut = (operation: OperationState, attempt: number): boolean =>
  attempt >= 1 && attempt < operation.attempt && operation.attempts.every((one) => one.attempt !== attempt);

/** The verdict on a token may be forgotten. Where its attempt is not kept either, it counts as granted: what it brought about must count. */
const forgetsVerdicts = (order: OrderState): boolean =>
  hasRule(order, 'listsAreBounded') && order.verdicts.length >= VERDICTS_KEPT;

/** An attempt that is not kept any more was never sent as far as the journal knew. */
export const leftOut = (attempt: number): Attempt => ({
  attempt,
  token: '',
  intentAt: '',
  isTagged: true,
  closed: 'unsent',
});
