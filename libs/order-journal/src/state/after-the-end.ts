import { findOperation, type OperationState } from './order-state.js';
import { compact, type Draft } from './draft.js';
import {
  answered,
  bind,
  conflict,
  isOtherTransaction,
  referencesOf,
  settle,
  tellOtherAmount,
  type LateResult,
  type ReportedResult,
} from './transitions.js';
import { flagsWith, tellOtherCurrency, withDetails } from './transaction-details.js';

/**
 * What comes after an end is compared with it: equal says nothing, but it may fill in what was unknown before; what contradicts it is kept
 * and published once; a success after an expiry counts all the same (R4).
 */
export function compareWithEnd(next: Draft, operation: OperationState, late: LateResult): void {
  const { attempt, result, reported } = late;
  const { transactionId } = reported.answer;
  if (operation.end === 'expired' && result === 'succeeded') {
    settle(next, operation, result, reported);
    conflict(next, findOperation(next.order, operation.commandId) ?? operation, late, 'expired');
    return;
  }
  // A code that says "not executed" can't be true beside the redirect or approval before it; an operator has looked.
  const isDenied =
    (result === 'refused' && !late.mayBeDone) || (result === 'not_executed' && reported.origin === 'operator');
  let completed = operation.mayYetSucceed && isDenied ? { ...operation, mayYetSucceed: undefined } : operation;
  if (transactionId !== undefined && operation.transactionId === undefined)
    completed = bind(completed, attempt, transactionId);
  const isContradiction = contradicts(operation, late);
  if (operation.end === 'succeeded' && result === 'succeeded') {
    if (!isContradiction) completed = withAmount(completed, reported);
    else if (isOtherShare(operation, reported)) completed = { ...completed, isAmountDisputed: true };
  }
  if (operation.end === 'succeeded' && result === 'succeeded' && !isContradiction)
    completed = withDetails(completed, reported);
  if (completed !== operation) next.put(completed);
  if (isContradiction) conflict(next, completed, late);
  else if (completed.end === 'succeeded' && result === 'succeeded') {
    const told = tellOtherCurrency(next, tellOtherAmount(next, completed, reported), reported);
    publishMore(next, operation, told, reported);
  }
}

/** The amount of a success that was unknown, or that was our reading of the platform's default. */
function withAmount(operation: OperationState, { answer: { amount } }: ReportedResult): OperationState {
  if (amount === undefined || (operation.amount !== undefined && !operation.isAmountAssumed)) return operation;
  return { ...operation, amount, isAmountAssumed: undefined };
}

function contradicts(operation: OperationState, { result, reported, mayBeDone }: LateResult): boolean {
  const { end } = operation;
  if (end === 'succeeded') {
    if (result === 'succeeded') return isOtherShare(operation, reported) || isOtherTransaction(operation, reported);
    // An operator's "not executed" was about the doubt, and came too late for it (R5).
    return (result === 'not_executed' && reported.origin !== 'operator') || (result === 'refused' && !mayBeDone);
  }
  return (
    (result === 'succeeded' || result === 'refused') && result !== end && !(end === 'expired' && result === 'refused')
  );
}

/** The platform itself, not an operator, says that it accepted another share of the operation than it reported before. */
function isOtherShare(
  { partial = false, amount }: OperationState,
  { partial: isPartial = false, answer }: ReportedResult,
): boolean {
  const isOtherAmount = isPartial && amount !== undefined && answer.amount !== undefined && answer.amount !== amount;
  return answer.execCode !== undefined && (isPartial !== partial || isOtherAmount);
}

/**
 * A refund's references, a payment's card, and how much was accepted of what was accepted in part, may come by notification alone, often
 * behind the answer: the success is published once more, with them (docs/decisions/0023, 0050).
 */
function publishMore(next: Draft, before: OperationState, operation: OperationState, reported: ReportedResult): void {
  const heard = operation.operation === 'refund' ? referencesOf(reported) : {};
  const externalEntityId = operation.externalEntityId ?? heard.externalEntityId;
  const externalReference = operation.externalReference ?? heard.externalReference;
  const isReferenceNew =
    externalEntityId !== operation.externalEntityId || externalReference !== operation.externalReference;
  const isAmountNew = operation.partial && before.amount === undefined && operation.amount !== undefined;
  const isCardNew = operation.isCardTold && !before.isCardTold;
  if (!isReferenceNew && !isAmountNew && !isCardNew) return;
  const added = [
    ...(isReferenceNew ? ['references_added'] : []),
    ...(isAmountNew ? ['amount_added'] : []),
    ...(isCardNew ? ['card_added'] : []),
  ];
  const body = {
    origin: reported.origin,
    ...answered(reported),
    externalEntityId,
    externalReference,
    flags: [...(flagsWith(operation, reported) ?? []), ...added],
  };
  next.putAndPublish(compact({ ...operation, externalEntityId, externalReference }), 'succeeded', body);
}
