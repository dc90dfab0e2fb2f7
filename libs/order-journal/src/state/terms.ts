import { compact, copyWith } from '@tranche/runtime';
import { methodOfRail, type EventFlag, type Method, type OperationKind, type Rail } from '@tranche/contracts';
import { successesOf } from './conflicts.js';
import { isLeftOut, leftOut } from './match.js';
import {
  isLookUpReminder,
  isPayment,
  operationNamedBy,
  type Attempt,
  type EventBody,
  type Evidence,
  type OperationState,
  type OrderState,
  type Result,
} from './order-state.js';
import type { Intent, OperationTerms, Rejected } from './records.js';
import { CAPTURE_WINDOW_MS, CLOCKS_APART_MS, waitsFrom, windowFrom } from './time.js';
import type { Change } from './history.js';
import { hasRule } from './versions.js';

/** The journal keeps these facts of a command. */
export interface CommandFacts {
  operation: OperationKind;
  rail: Rail;
  currency: string;
  contentHash: string;
  /** Minor units. */
  amount: number | undefined;
  supersedes: string | undefined;
  correlationId: string | undefined;
}

/** `methodOfOrder`: a follow-up's method is its authorization's; where that is unseen, the rail's. */
export function termsOf(
  facts: CommandFacts,
  methodOfOrder: Method | undefined,
  transactionId: string | undefined,
): OperationTerms {
  const { operation, rail, currency, contentHash, amount, supersedes, correlationId } = facts;
  const isFollowUp = operation === 'capture' || operation === 'refund' || operation === 'void';
  const method = (isFollowUp ? methodOfOrder : undefined) ?? methodOfRail(rail);
  const reference = isFollowUp ? transactionId : undefined;
  const optional = compact({ amount, supersedes, transactionId: reference, correlationId });
  return { operation, method, currency, contentHash, ...optional };
}

/** The terms that an operation was asked for with, as its order shows them. */
export function knownTermsOf(known: OperationState): OperationTerms {
  const { operation, method, currency, contentHash, amount, isAmountAssumed, reference } = known;
  const { supersedes, correlationId } = known;
  const asked = { amount: isAmountAssumed ? undefined : amount, transactionId: reference };
  return { operation, method, currency, contentHash, ...compact({ ...asked, supersedes, correlationId }) };
}

/** The operation of a command's first record: no attempt of it was granted yet. */
export function newOperation(record: Intent | Rejected): OperationState {
  const { commandId, attempt, operation: kind, method, currency, contentHash, at: firstIntentAt } = record;
  const { amount, transactionId, supersedes, correlationId } = record;
  // One literal, as in `describe`: each spread would cost a rebuild of the index microseconds a record (docs/decisions/0041).
  return compact<OperationState>({
    commandId,
    operation: kind,
    method,
    currency,
    contentHash,
    attempt,
    phase: 'idle',
    firstIntentAt,
    attempts: [],
    evidence: [],
    amount,
    reference: transactionId,
    supersedes,
    correlationId,
  });
}

/** The operation as it is once the intent is granted, with what the guards granted it: the platform's default amount as the order shows it. */
export function grantedOperation(
  order: OrderState,
  operation: OperationState,
  record: Intent,
  { amount, supersedesDoubt }: Pick<OperationState, 'amount' | 'supersedesDoubt'>,
): OperationState {
  const authorization = operationNamedBy(order, record.transactionId, isPayment);
  const openedMs = Date.parse((authorization && windowFrom(authorization)) ?? '');
  const isLate = record.operation === 'capture' && Date.parse(record.at) - openedMs > CAPTURE_WINDOW_MS;
  const granted = copyWith(operation, { phase: 'open', token: record.token });
  granted.attempts = withGranted(operation, record);
  // An amount that an earlier attempt assumed counts no more.
  granted.amount = amount;
  if (record.amount === undefined && record.operation !== 'void') granted.isAmountAssumed = true;
  if (record.transactionId !== undefined) granted.reference = record.transactionId;
  if (isLate) granted.flags = ['capture_window_passed'];
  if (record.mayLookUp !== operation.mayLookUp) granted.mayLookUp = record.mayLookUp;
  if (record.captureReminderHours !== undefined) granted.captureReminderHours = record.captureReminderHours;
  if (record.operation === 'void') {
    granted.isOfWaiting = isReportedSuccess(order, record.transactionId) ? undefined : true;
  }
  const tookPlaceOfDoubt = operation.supersedesDoubt ?? supersedesDoubt;
  if (tookPlaceOfDoubt !== undefined) granted.supersedesDoubt = tookPlaceOfDoubt;
  return granted;
}

/** Some report says that a payment of ours, or of the back office, succeeded under this TRANSACTIONID. */
const isReportedSuccess = ({ operations, external }: OrderState, transactionId: string | undefined): boolean =>
  operations.flatMap(successesOf).some((success) => success.transactionId === transactionId) ||
  external.some((one) => isPayment(one) && one.result === 'succeeded' && one.transactionId === transactionId);

/** So many attempts of an operation are kept whatever became of them, the newest ones. */
const ATTEMPTS_KEPT = 20;

/**
 * The attempts of an operation and the granted one. Where the platform can't be reached for hours there are thousands of them, all of which were never
 * sent: of those only the newest are kept. An attempt that reached the platform is kept however old it is, for evidence without a tag may be about it.
 * The number of an operation's attempt says how many there were.
 */
function withGranted(operation: OperationState, record: Intent): Attempt[] {
  const { attempt, token, at: intentAt, tag } = record;
  const all = [...operation.attempts, { attempt, token, intentAt, isTagged: tag !== undefined }];
  return [...all.slice(0, -ATTEMPTS_KEPT).filter(isNeeded), ...all.slice(-ATTEMPTS_KEPT)];
}

const isNeeded = ({ closed, transactionId }: Attempt): boolean => closed !== 'unsent' || transactionId !== undefined;

/** The operation as a report of it settles it, at the time of the report's record. */
export function settled({ at, order }: Change, operation: OperationState, evidence: Evidence): OperationState {
  const result = evidence.result as Result;
  const { transactionId, amount } = evidence.answer;
  const moved =
    transactionId === undefined ? copyWith(operation, {}) : bind(operation, operation.attempt, transactionId);
  if (result === 'succeeded' || result === 'refused') {
    moved.phase = 'ended';
    moved.end = result;
    moved.endedAt = at;
  } else moved.phase = result;
  if (moved.mayYetSucceed !== undefined) moved.mayYetSucceed = undefined;
  if (moved.saidNotExecutedAt !== undefined) moved.saidNotExecutedAt = undefined;
  // A row of a look-up says when the transaction was created, not when it began to wait (docs/decisions/0119).
  const isNotified = result === 'pending' && evidence.source === 'notification';
  const pendingAt = isNotified ? earlierTime(operation, evidence, at) : undefined;
  if (pendingAt !== moved.pendingAt) moved.pendingAt = pendingAt;
  if (moved.phase === 'pending') moved.reminded = operation.reminded?.filter((one) => !isLookUpReminder(one));
  if (result === 'succeeded') moved.amount = settledAmount(operation, evidence);
  if (result === 'succeeded' && amount !== undefined) moved.isAmountAssumed = undefined;
  if (result === 'succeeded') Object.assign(moved, reportedAmounts(moved, amount));
  if (evidence.partial) {
    moved.partial = true;
    moved.askedAmount = operation.isAmountAssumed ? undefined : operation.amount;
  }
  if (moved.operation === 'refund') Object.assign(moved, refundReferences(evidence));
  if (moved.phase === 'ended' && hasRule(order, 'returnedFieldsAdded')) {
    if (evidence.extraData === undefined) moved.isExtraDataMissing = true;
    if (evidence.language === undefined) moved.isLanguageMissing = true;
  }
  if (result !== 'succeeded') return moved;
  if (evidence.answer.descriptor === undefined) moved.isDescriptorMissing = true;
  return withDetails(moved, evidence);
}

/** A further notification may say that the approval is pending: the latest time counts, else we would end the wait before the platform does. */
export function pendingSince(operation: OperationState, { source, result, executedAt }: Evidence): OperationState {
  const isOfApproval = operation.phase === 'pending' && result === 'pending' && source === 'notification';
  const isLater = isOfApproval && Date.parse(executedAt ?? '') > Date.parse(waitsFrom(operation));
  return isLater ? copyWith(operation, { pendingAt: executedAt }) : operation;
}

/** A void has no AMOUNT (interface, void). Only the platform knows how much it accepted in part; else its amount counts where none was asked for. */
function settledAmount(operation: OperationState, { partial, answer }: Evidence): number | undefined {
  const { amount, isAmountAssumed } = operation;
  if (operation.operation === 'void') return undefined;
  if (partial) return answer.amount;
  return amount !== undefined && !isAmountAssumed ? amount : (answer.amount ?? amount);
}

/** Each reported amount is kept once, the new ones last, so copies change nothing. Until another one is reported, that `amount` was is all that is kept. */
function reportedAmounts(
  { operation, amount: own, isAmountReported, otherAmounts }: OperationState,
  amount?: number,
): Pick<OperationState, 'isAmountReported' | 'otherAmounts'> {
  if (amount === undefined || operation === 'void') return {};
  const known = otherAmounts ?? (isAmountReported && own !== undefined ? [own] : []);
  if (known.includes(amount)) return {};
  return amount === own && otherAmounts === undefined
    ? { isAmountReported: true }
    : { otherAmounts: [...known, amount] };
}

/** The platform itself, not an operator, says that it accepted another share of the operation than it reported before. */
function isOtherShare({ partial = false, amount }: OperationState, evidence: Evidence): boolean {
  const { partial: isPartial = false, answer } = evidence;
  const isOtherAmount = isPartial && amount !== undefined && answer.amount !== undefined && answer.amount !== amount;
  return answer.execCode !== undefined && (isPartial !== partial || isOtherAmount);
}

/** A success under a TRANSACTIONID that no attempt of the operation has. */
export function isOtherTransaction(operation: OperationState, evidence: Evidence): boolean {
  const { transactionId: own, attempts } = operation;
  const { transactionId } = evidence.answer;
  const isKnown = own === transactionId || attempts.some((attempt) => attempt.transactionId === transactionId);
  return own !== undefined && transactionId !== undefined && !isKnown;
}

/** TRANSACTIONID of the operation, and of the attempt that got it. */
export function bind(operation: OperationState, attempt: number, transactionId: string): OperationState {
  const attempts = operation.attempts.map((other) =>
    other.attempt === attempt ? copyWith(other, { transactionId }) : other,
  );
  return copyWith(operation, { transactionId, attempts });
}

/** An operation without TRANSACTIONID gets the one of the report. */
export function bindFirst(operation: OperationState, evidence: Evidence): OperationState {
  const { attempt = operation.attempt, answer } = evidence;
  if (answer.transactionId === undefined || operation.transactionId !== undefined) return operation;
  return bind(operation, attempt, answer.transactionId);
}

/** EXTERNALENTITYID is 1 to 10 digits, EXTERNALREFERENCE 9 (interface, Method B notification-only fields); anything else is none. */
function refundReferences(evidence: Evidence): Pick<Evidence, 'externalEntityId' | 'externalReference'> {
  const { externalEntityId = '', externalReference = '' } = evidence;
  return {
    ...(/^\d{1,10}$/.test(externalEntityId) && { externalEntityId }),
    ...(/^\d{9}$/.test(externalReference) && { externalReference }),
  };
}

/** The operation with the details of a success that are kept: when it was executed, and that an event showed its card. */
function withDetails(operation: OperationState, evidence: Evidence): OperationState {
  const { maskedCard, cardBrand, cardCountry } = evidence;
  const executedAt =
    operation.operation === 'authorize'
      ? (earlierTime(operation, evidence, operation.executedAt ?? operation.endedAt) ?? operation.executedAt)
      : undefined;
  const hasCard = isPayment(operation) && (maskedCard ?? cardBrand ?? cardCountry) !== undefined;
  const isCardPublished = operation.isCardPublished ?? (hasCard ? true : undefined);
  if (executedAt === operation.executedAt && isCardPublished === operation.isCardPublished) return operation;
  return { ...operation, executedAt, isCardPublished };
}

/**
 * The platform's time of the report, where it is before `known`, which is when we heard of it: the windows of capture and approval count from it.
 * Nothing was executed before its INTENT: an earlier time is of a clock that is wrong.
 */
function earlierTime({ firstIntentAt = '' }: OperationState, evidence: Evidence, known = ''): string | undefined {
  const ms = Date.parse(evidence.executedAt ?? '');
  const isEarlier = ms < Date.parse(known) && ms >= Date.parse(firstIntentAt) - CLOCKS_APART_MS;
  return isEarlier ? evidence.executedAt : undefined;
}

/** With this attempt among those that are kept: it was executed after all, and gets the TRANSACTIONID. */
export function withAttempt(operation: OperationState, attempt: number): OperationState {
  if (!isLeftOut(operation, attempt)) return operation;
  const attempts = [leftOut(attempt), ...operation.attempts].sort((one, other) => one.attempt - other.attempt);
  return { ...operation, attempts };
}

/** The report can't be true beside how the operation ended. */
export function contradictsEnd(operation: OperationState, evidence: Evidence): boolean {
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

/** EXTRADATA and LANGUAGE come by notification alone. */
function withReturned(operation: OperationState, { extraData, language }: Evidence): OperationState {
  const { isExtraDataMissing, isLanguageMissing } = operation;
  if (!(isExtraDataMissing && extraData !== undefined) && !(isLanguageMissing && language !== undefined))
    return operation;
  return {
    ...operation,
    isExtraDataMissing: extraData === undefined ? isExtraDataMissing : undefined,
    isLanguageMissing: language === undefined ? isLanguageMissing : undefined,
  };
}

/** An answer, a tag or a person says whose the TRANSACTIONID is. */
const namesItself = ({ source, tag, answer }: Evidence): boolean =>
  answer.transactionId !== undefined && (source === 'answer' || source === 'operator' || tag !== undefined);

/** The ended operation with what the report adds: its TRANSACTIONID, an amount that was unknown, details; or that its amount is disputed. */
export function withReport(operation: OperationState, evidence: Evidence, isContradiction: boolean): OperationState {
  const { result, source } = evidence;
  const { amount } = evidence.answer;
  // A code that says "not executed" can't be true beside the redirect or approval before it; an operator has looked.
  const isDenied =
    (result === 'refused' && !evidence.mayBeDone) || (result === 'not_executed' && source === 'operator');
  let completed = operation.mayYetSucceed && isDenied ? { ...operation, mayYetSucceed: undefined } : operation;
  completed = bindFirst(completed, evidence);
  if (completed.isTransactionAssumed && namesItself(evidence))
    completed = { ...completed, isTransactionAssumed: undefined };
  if (result === operation.end && !isContradiction) completed = withReturned(completed, evidence);
  if (operation.end !== 'succeeded' || result !== 'succeeded') return completed;
  if (completed.isDescriptorMissing && evidence.answer.descriptor !== undefined)
    completed = { ...completed, isDescriptorMissing: undefined };
  if (isContradiction)
    return isOtherShare(operation, evidence)
      ? { ...completed, isAmountDisputed: true, ...reportedAmounts(completed, amount) }
      : completed;
  // The amount of a success may be unknown, or our reading of the platform's default.
  const isNamed = amount !== undefined && operation.operation !== 'void';
  if (isNamed && (completed.amount === undefined || completed.isAmountAssumed))
    completed = { ...completed, amount, isAmountAssumed: undefined };
  if ((evidence.partial ?? false) === (operation.partial ?? false))
    completed = { ...completed, ...reportedAmounts(completed, amount) };
  return withDetails(completed, evidence);
}

/** Details that a further report adds to a success: references of a refund, and flags that say what its event adds. */
export interface Details {
  references: Pick<Evidence, 'externalEntityId' | 'externalReference'>;
  flags: EventFlag[];
}

/**
 * A refund's references, a payment's card, the TRANSACTIONID, the DESCRIPTOR and the amount where none was asked for may come by notification
 * alone, often behind the answer: the success is published once more, with them (docs/decisions/0119).
 */
export function addedDetails(before: OperationState, operation: OperationState, evidence: Evidence): Details {
  const reported = operation.operation === 'refund' ? refundReferences(evidence) : {};
  const { externalEntityId = reported.externalEntityId, externalReference = reported.externalReference } = operation;
  const flags: EventFlag[] = [];
  if (externalEntityId !== operation.externalEntityId || externalReference !== operation.externalReference)
    flags.push('references_added');
  if (before.amount === undefined && operation.amount !== undefined) flags.push('amount_added');
  else if (before.isAmountAssumed && !operation.isAmountAssumed) flags.push('amount_confirmed');
  flags.push(...amountFlags(before, operation));
  if (before.transactionId === undefined && operation.transactionId !== undefined) flags.push('transaction_added');
  if (before.isTransactionAssumed && !operation.isTransactionAssumed) flags.push('transaction_confirmed');
  if (before.isDescriptorMissing && !operation.isDescriptorMissing) flags.push('descriptor_added');
  if (operation.isCardPublished && !before.isCardPublished) flags.push('card_added');
  flags.push(...returnedFlags(before, operation));
  return { references: { externalEntityId, externalReference }, flags };
}

/** EXTRADATA and LANGUAGE that the events so far left out. */
export const returnedFlags = (before: OperationState, operation: OperationState): EventFlag[] => [
  ...(before.isExtraDataMissing && !operation.isExtraDataMissing ? ['extra_data_added' as const] : []),
  ...(before.isLanguageMissing && !operation.isLanguageMissing ? ['language_added' as const] : []),
];

/** The last new report named another amount than the events so far. */
export const amountFlags = (before: OperationState, operation: OperationState): EventFlag[] =>
  amountsOf(before).otherAmount === amountsOf(operation).otherAmount ? [] : ['other_amount_added'];

/** The fields that every event of an operation has. */
export function describe(operation: OperationState | undefined): EventBody {
  if (operation === undefined) return {};
  const { commandId, operation: kind, method, attempt, currency, reference, transactionId, partial, flags } = operation;
  const { isTransactionAssumed: transactionAssumed } = operation;
  const { amount, amountAssumed, otherAmount } = amountsOf(operation);
  return compact<EventBody>({
    commandId,
    operation: kind,
    method,
    attempt,
    amount,
    amountAssumed,
    otherAmount,
    currency,
    reference,
    transactionId,
    transactionAssumed,
    partial,
    flags,
  });
}

/** An amount that is our reading of the platform's default is said to be assumed; one that the platform contradicts, too. */
export function amountsOf({ amount, isAmountAssumed, otherAmounts }: OperationState): EventBody {
  const otherAmount = otherAmounts?.at(-1);
  return {
    amount,
    amountAssumed: amount !== undefined && isAmountAssumed ? true : undefined,
    otherAmount: otherAmount === amount ? undefined : otherAmount,
  };
}
