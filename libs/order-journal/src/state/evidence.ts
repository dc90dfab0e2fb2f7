import { compact } from '@tranche/runtime';
import {
  execCode as execCodeOf,
  execCodeClass,
  type ListedTransaction,
  type Merchant,
  type NotifiedResult,
  type PaymentNotification,
} from '@tranche/contracts';
import { operationTag, untagExtraData, type ExtraDataTag } from './extradata-tag.js';
import { isWaiting, type Evidence, type OperationState, type OrderState, type ReportedResult } from './order-state.js';
import type { EvidenceRecord, NotExecuted, Outcome } from './records.js';
import { CLOCKS_APART_MS } from './time.js';
import { inOrder } from './versions.js';

/** The report in a journal record: the form in which the fold judges it. */
export function evidenceOf(record: EvidenceRecord | Outcome | NotExecuted): Evidence {
  switch (record.record) {
    case 'EVIDENCE':
      return reported(record);
    case 'OUTCOME': {
      const { commandId, attempt, token, result, partial, answer, flags } = record;
      return { source: 'answer', commandId, attempt, token, result, partial, answer, flags };
    }
    case 'NOT_EXECUTED': {
      const { commandId, attempt, token, reason, execCode, message } = record;
      const answer = execCode === undefined ? { message } : { execCode, message };
      return { source: 'answer', commandId, attempt, token, result: 'not_executed', reason, answer };
    }
  }
}

/** All fields in this order, so that every process writes the same snapshot; `keepUnmatched` leaves out those that are undefined. */
function reported(record: EvidenceRecord): Evidence {
  const { source, operation, operationType, result, partial, mayBeDone, answer, tag, commandId, attempt } = record;
  const { extraData, externalEntityId, externalReference, flags, currency, language, languageOf } = record;
  const {
    maskedCard,
    cardBrand,
    selectedBrand,
    cardCountry,
    executedAt,
    actor = '',
    reason = '',
    at,
    notBefore,
  } = record;
  return {
    // The platform's own word counts only where no operation of ours has it.
    source,
    operation,
    operationType: operation === undefined ? operationType : undefined,
    result,
    partial,
    mayBeDone,
    answer,
    tag,
    commandId,
    attempt,
    extraData,
    externalEntityId,
    externalReference,
    flags,
    currency,
    language,
    languageOf,
    maskedCard,
    cardBrand,
    selectedBrand,
    cardCountry,
    executedAt,
    resolution: source === 'operator' ? { actor, reason, at, notBefore } : undefined,
    at,
  };
}

/** A notification as a journal record. `reported`: its operation's part. `at`: RFC 3339. */
export function notificationEvidence(
  notification: PaymentNotification,
  reported: NotifiedResult,
  at: string,
): EvidenceRecord {
  const { merchant, orderId, execCode } = notification;
  const { extraData: returned, ...rest } = reported;
  const { tag, extraData } = untagExtraData(returned);
  return {
    record: 'EVIDENCE',
    ...inOrder({ merchant, orderId }, at),
    source: 'notification',
    result: evidenceResult(execCode),
    ...rest,
    ...compact({ tag, extraData }),
    ...execCodeNotes(execCode),
  };
}

/** The result that an EXECCODE proves of its operation where it does not come with the answer itself. */
export function evidenceResult(execCode: string): ReportedResult {
  const codeClass = execCodeClass(execCode);
  return codeClass === 'succeeded_partly' ? 'succeeded' : codeClass;
}

/** An EXECCODE may add to a result that it was accepted in part, or that a refusal may mean "already done". */
export function execCodeNotes(execCode: string): { partial?: true; mayBeDone?: true } {
  const { class: codeClass, maybeAlreadyDone } = execCodeOf(execCode);
  return {
    ...(codeClass === 'succeeded_partly' ? { partial: true } : {}),
    ...(maybeAlreadyDone ? { mayBeDone: true } : {}),
  };
}

/** The operation that the platform was asked about. */
export interface LookedUpOperation {
  merchant: Merchant;
  order: OrderState;
  /** In doubt, or a payment that waits. */
  operation: OperationState;
  /** Time of the records, RFC 3339. */
  at: string;
}

/**
 * The platform's list of the operation as journal records; the fold judges them (R8). None for transactions of other orders, accounts and
 * operations, for those that were counted before or report that a payment waits as it does, and for an empty list: absent proves nothing.
 */
export function lookUpEvidence(listed: readonly ListedTransaction[], asked: LookedUpOperation): EvidenceRecord[] {
  return listed.flatMap((transaction) => evidenceIn(transaction, asked) ?? []);
}

function evidenceIn(
  listed: ListedTransaction,
  { merchant, order, operation, at }: LookedUpOperation,
): EvidenceRecord | undefined {
  const isAbout =
    listed.orderId === order.orderId &&
    (listed.identifier ?? merchant.identifier) === merchant.identifier &&
    listed.operation === operation.operation;
  if (!isAbout) return undefined;
  const { execCode, answer } = listed;
  const { tag, extraData } = untagExtraData(listed.extraData);
  if (isCounted(order, operation, listed, tag) || isUnchanged(operation, execCode)) return undefined;
  if (
    tag === undefined
      ? !(isBound(operation)
          ? operation.transactionId === listed.transactionId
          : mayBeUntagged(order, operation, listed))
      : tag.operation !== operationTag(operation.commandId)
  )
    return undefined;
  return {
    record: 'EVIDENCE',
    ...inOrder(order, at),
    source: 'look-up',
    operation: operation.operation,
    result: evidenceResult(execCode),
    answer,
    ...compact({ tag, extraData, executedAt: executedAt(listed), flags: listed.flags }),
    ...execCodeNotes(execCode),
  };
}

const executedAt = ({ dateMs }: ListedTransaction): string | undefined =>
  Number.isFinite(dateMs) ? new Date(dateMs).toISOString() : undefined;

const isUnchanged = (operation: OperationState, execCode: string): boolean =>
  isWaiting(operation) && ['redirect_required', operation.phase].includes(evidenceResult(execCode));

/** A payment that waits has a TRANSACTIONID as a rule: the platform gave it with the form. */
const isBound = (operation: OperationState): boolean => isWaiting(operation) && operation.transactionId !== undefined;

/** It was journaled before: every look-up shows the same list. A notification that waits does not decide the payment that waits; the row does. */
function isCounted(
  order: OrderState,
  operation: OperationState,
  { execCode, transactionId }: ListedTransaction,
  tag: ExtraDataTag | undefined,
): boolean {
  const attempt = tag?.attempt ?? operation.attempt;
  return (
    operation.evidence.some(
      (one) => one.attempt === attempt && one.transactionId === transactionId && one.code === execCode,
    ) ||
    (!isBound(operation) &&
      order.unmatchedEvidence.some(
        ({ answer }) => answer.transactionId === transactionId && answer.execCode === execCode,
      ))
  );
}

/**
 * A row without our tag settles a payment at most: of a capture, refund or void it is a candidate, for the fold takes none without a name for
 * ours. It may be about an attempt that was sent without one, never about a tagged one: the list may leave EXTRADATA out, and
 * then a refund of the back office looks like ours. Nor if it is older than the attempt, or does not say how old it is: the list holds
 * what the journal has forgotten. Nor if the transaction is known to be another's, may be, or is about another amount.
 */
function mayBeUntagged(
  order: OrderState,
  operation: OperationState,
  { execCode, transactionId, amount, dateMs }: ListedTransaction,
): boolean {
  const sent = operation.attempts.find(({ token }) => token === operation.token);
  if (sent === undefined || sent.isTagged || !(dateMs >= Date.parse(sent.intentAt) - CLOCKS_APART_MS)) return false;
  const attempts = order.operations.flatMap((other) =>
    other.attempts.map((attempt) => ({ ...attempt, operation: other.operation })),
  );
  const isAnothers =
    order.external.some((other) => other.transactionId === transactionId) ||
    attempts.some((attempt) => attempt.transactionId === transactionId);
  const mayBeAnothers = attempts.some(
    (attempt) =>
      attempt.isTagged &&
      attempt.operation === operation.operation &&
      attempt.transactionId === undefined &&
      attempt.closed !== 'unsent',
  );
  const isOfAmount =
    amount === undefined ||
    operation.amount === undefined ||
    operation.isAmountAssumed === true ||
    amount === operation.amount ||
    execCodeClass(execCode) === 'succeeded_partly';
  return !isAnothers && !mayBeAnothers && isOfAmount;
}
