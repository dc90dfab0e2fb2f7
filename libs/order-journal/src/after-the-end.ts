import { findOperation, type OperationState } from './order-state.js';
import { answered, bind, conflict, referencesOf, settle, type Draft, type LateWord, type Said } from './transitions.js';

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
  if (operation.end === 'succeeded' && result === 'succeeded' && !isOtherShare(operation, said)) told = withAmount(told, said);
  if (told !== operation) next.put(told);
  if (contradicts(operation, word)) conflict(next, told, word);
  else if (told.end === 'succeeded' && result === 'succeeded') tellReferences(next, told, said);
}

/** The amount of a success that nobody told, or that was our reading of the platform's default. */
function withAmount(operation: OperationState, { answer: { amount } }: Said): OperationState {
  if (amount === undefined || (operation.amount !== undefined && !operation.isAmountAssumed)) return operation;
  return { ...operation, amount, isAmountAssumed: undefined };
}

function contradicts(operation: OperationState, { result, said, mayBeDone }: LateWord): boolean {
  const { end } = operation;
  if (end === 'succeeded') {
    if (result === 'succeeded') return isOtherShare(operation, said);
    // An operator's "not executed" was about the doubt, and came too late for it (R5).
    return (result === 'not_executed' && said.origin !== 'operator') || (result === 'refused' && !mayBeDone);
  }
  return (result === 'succeeded' || result === 'refused') && result !== end && !(end === 'expired' && result === 'refused');
}

/** The platform's own word, not an operator's, says that it accepted another share of the operation than it said before. */
const isOtherShare = ({ partial = false }: OperationState, said: Said): boolean =>
  said.answer.execCode !== undefined && (said.partial ?? false) !== partial;

/** A refund's references come by notification alone, often behind the answer: its success is published once more, with them (docs/decisions/0023). */
function tellReferences(next: Draft, operation: OperationState, said: Said): void {
  if (operation.operation !== 'refund') return;
  const heard = referencesOf(said);
  const externalEntityId = operation.externalEntityId ?? heard.externalEntityId;
  const externalReference = operation.externalReference ?? heard.externalReference;
  if (externalEntityId === operation.externalEntityId && externalReference === operation.externalReference) return;
  const flags = [...(operation.flags ?? []), 'references_added'];
  const body = { origin: said.origin, ...answered(said), externalEntityId, externalReference, flags };
  next.putAndPublish({ ...operation, externalEntityId, externalReference }, 'succeeded', body);
}
