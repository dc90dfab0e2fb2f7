import { execCodeClass, type ListedTransaction, type Merchant } from '@tranche/contracts';
import { evidenceResult, execCodeNotes } from './evidence.js';
import { operationTag, untagExtraData, type ExtraDataTag } from './extradata-tag.js';
import type { OperationState, OrderState } from './order-state.js';
import { type Evidence } from './records.js';
import { RULES_VERSION } from './rules-version.js';
import { CLOCKS_APART_MS } from './send-deadline.js';
import { compact } from './draft.js';
import { isWaiting } from './waiting.js';

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
 * What the platform's list says of the operation, as journal records; the fold judges them (R8). Nothing for transactions of other orders,
 * accounts and operations, for what was counted before or says that a payment waits as it does, and for an empty list: absent proves nothing.
 */
export function lookUpEvidence(listed: readonly ListedTransaction[], asked: LookedUpOperation): Evidence[] {
  return listed.flatMap((transaction) => evidenceIn(transaction, asked) ?? []);
}

function evidenceIn(
  listed: ListedTransaction,
  { merchant, order, operation, at }: LookedUpOperation,
): Evidence | undefined {
  const isAbout =
    listed.orderId === order.orderId &&
    (listed.identifier ?? merchant.identifier) === merchant.identifier &&
    listed.operation === operation.operation;
  if (!isAbout) return undefined;
  const { execCode, answer } = listed;
  const { tag, extraData } = untagExtraData(listed.extraData);
  if (isKnown(order, operation, listed, tag) || isNoNews(operation, execCode)) return undefined;
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
    rulesVersion: RULES_VERSION,
    merchant: order.merchant,
    orderId: order.orderId,
    at,
    source: 'look-up',
    operation: operation.operation,
    result: evidenceResult(execCode),
    answer,
    ...compact({ tag, extraData, executedAt: executedAt(listed) }),
    ...execCodeNotes(execCode),
  };
}

/** DATE of the row. */
const executedAt = ({ dateMs }: ListedTransaction): string | undefined =>
  Number.isFinite(dateMs) ? new Date(dateMs).toISOString() : undefined;

const isNoNews = (operation: OperationState, execCode: string): boolean =>
  isWaiting(operation) && ['redirect', operation.phase].includes(evidenceResult(execCode));

/** A payment that waits has a TRANSACTIONID as a rule: the platform gave it with the form. */
const isBound = (operation: OperationState): boolean => isWaiting(operation) && operation.transactionId !== undefined;

/** It was journaled before: the same list comes again with every look-up. */
function isKnown(
  order: OrderState,
  operation: OperationState,
  { execCode, transactionId }: ListedTransaction,
  tag: ExtraDataTag | undefined,
): boolean {
  const attempt = tag?.attempt ?? operation.attempt;
  return (
    operation.evidence.includes(`${attempt} ${transactionId} ${execCode}`) ||
    order.unbound.some(({ answer }) => answer.transactionId === transactionId && answer.execCode === execCode)
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
