import { findOperation, type OperationState } from './order-state.js';
import {
  answered,
  bind,
  compact,
  conflict,
  isOtherTransaction,
  referencesOf,
  settle,
  type Draft,
  type LateWord,
  type Said,
} from './transitions.js';

/**
 * What comes after an end is compared with it: equal says nothing, but it may fill in what nobody told before; what contradicts it is kept
 * and published once; a success after an expiry counts all the same (R4).
 */
export function compareWithEnd(next: Draft, operation: OperationState, word: LateWord): void {
  const { attempt, result, said } = word;
  const { transactionId } = said.answer;
  if (operation.end === 'expired' && result === 'succeeded') {
    settle(next, operation, result, said);
    conflict(next, findOperation(next.order, operation.commandId) ?? operation, word, 'expired');
    return;
  }
  let told = operation;
  if (transactionId !== undefined && operation.transactionId === undefined) told = bind(told, attempt, transactionId);
  const isContradiction = contradicts(operation, word);
  if (operation.end === 'succeeded' && result === 'succeeded') {
    if (!isContradiction) told = withAmount(told, said);
    else if (isOtherShare(operation, said)) told = { ...told, isAmountDisputed: true };
  }
  if (told !== operation) next.put(told);
  if (isContradiction) conflict(next, told, word);
  else if (told.end === 'succeeded' && result === 'succeeded') tellMore(next, operation, told, said);
}

/** The amount of a success that nobody told, or that was our reading of the platform's default. */
function withAmount(operation: OperationState, { answer: { amount } }: Said): OperationState {
  if (amount === undefined || (operation.amount !== undefined && !operation.isAmountAssumed)) return operation;
  return { ...operation, amount, isAmountAssumed: undefined };
}

function contradicts(operation: OperationState, { result, said, mayBeDone }: LateWord): boolean {
  const { end } = operation;
  if (end === 'succeeded') {
    if (result === 'succeeded') return isOtherShare(operation, said) || isOtherTransaction(operation, said);
    // An operator's "not executed" was about the doubt, and came too late for it (R5).
    return (result === 'not_executed' && said.origin !== 'operator') || (result === 'refused' && !mayBeDone);
  }
  return (result === 'succeeded' || result === 'refused') && result !== end && !(end === 'expired' && result === 'refused');
}

/** The platform's own word, not an operator's, says that it accepted another share of the operation than it said before. */
function isOtherShare({ partial = false, amount }: OperationState, { partial: isPartial = false, answer }: Said): boolean {
  const isOtherAmount = isPartial && amount !== undefined && answer.amount !== undefined && answer.amount !== amount;
  return answer.execCode !== undefined && (isPartial !== partial || isOtherAmount);
}

/**
 * A refund's references, and how much was accepted of what was accepted in part, may come by notification alone, often behind the answer:
 * the success is published once more, with them (docs/decisions/0023).
 */
function tellMore(next: Draft, before: OperationState, operation: OperationState, said: Said): void {
  const heard = operation.operation === 'refund' ? referencesOf(said) : {};
  const externalEntityId = operation.externalEntityId ?? heard.externalEntityId;
  const externalReference = operation.externalReference ?? heard.externalReference;
  const isReferenceNew = externalEntityId !== operation.externalEntityId || externalReference !== operation.externalReference;
  const isAmountNew = operation.partial && before.amount === undefined && operation.amount !== undefined;
  if (!isReferenceNew && !isAmountNew) return;
  const added = [...(isReferenceNew ? ['references_added'] : []), ...(isAmountNew ? ['amount_added'] : [])];
  const body = {
    origin: said.origin,
    ...answered(said),
    externalEntityId,
    externalReference,
    flags: [...(operation.flags ?? []), ...added],
  };
  next.putAndPublish(compact({ ...operation, externalEntityId, externalReference }), 'succeeded', body);
}
