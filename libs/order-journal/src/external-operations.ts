import type { OperationKind } from '@tranche/contracts';
import { mayTellOfVoid } from './evidence-source.js';
import { hasFollowUp } from './guards.js';
import { findOperation, hasSucceeded, type ExternalOperation, type OrderState, type UnboundEvidence } from './order-state.js';
import type { Evidence } from './records.js';
import { answered, compact, type Draft, type Said } from './transitions.js';

/** Evidence of an operation that is not ours; the platform's word for it where none of ours has it. */
export type ExternalEvidence = Omit<UnboundEvidence, 'operation'> & Pick<Evidence, 'operation' | 'operationType'>;

/** Notified, but not ours: what was done in the back office, or what we have no name for. Told once, whatever it is (docs/decisions/0020). */
export function external(next: Draft, evidence: ExternalEvidence, said: Said): void {
  const { operation, operationType, result, answer } = evidence;
  const { transactionId, execCode, amount } = answer;
  const contradicted = next.order.external.find((other) => isSame(other, evidence) && isContradiction(other.result, result));
  const of = authorizationOf(next.order, operation);
  next.order.external = [
    ...next.order.external,
    compact({ operation, operationType, result, transactionId, execCode, amount, of, offset: next.order.lastOffset }),
  ];
  const body = { operation, operationType, amount, origin: evidence.source, flags: evidence.flags, ...answered(said) };
  next.publish('payment.operation.external', undefined, body);
  if (contradicted) next.publish('payment.conflict.detected', undefined, { ...body, flags: [`was_${contradicted.result}`] });
}

/** What was taken for somebody else's operation turns out to be this one: it must not count twice against what remains. */
export function takeBackExternal(next: Draft, commandId: string): void {
  const ours = findOperation(next.order, commandId);
  if (ours?.transactionId === undefined) return;
  const isOurs = ({ operation, transactionId }: ExternalOperation) =>
    transactionId === ours.transactionId && (operation === ours.operation || (ours.operation === 'void' && mayTellOfVoid(operation)));
  if (next.order.external.some(isOurs)) next.order.external = next.order.external.filter((other) => !isOurs(other));
}

/** The same word came before. Without a TRANSACTIONID only what is alike in all is the same. */
export function isKnown({ external: known, unbound }: OrderState, { operation, operationType, answer }: ExternalEvidence): boolean {
  const isWord = (other: Partial<ExternalOperation>) =>
    other.operation === operation &&
    other.operationType === operationType &&
    other.transactionId === answer.transactionId &&
    other.execCode === answer.execCode &&
    (answer.transactionId !== undefined || other.amount === answer.amount);
  return known.some(isWord) || unbound.some((other) => isWord({ ...other.answer, operation: other.operation }));
}

const isSame = (other: ExternalOperation, { operation, operationType, answer }: ExternalEvidence): boolean =>
  answer.transactionId !== undefined &&
  other.transactionId === answer.transactionId &&
  other.operation === operation &&
  other.operationType === operationType;

const isContradiction = (before: string, now: string): boolean =>
  (before === 'succeeded' && now === 'refused') || (before === 'refused' && now === 'succeeded');

/** The only authorization that a capture or void made elsewhere can be of; undefined where there are others, or may be. */
function authorizationOf(order: OrderState, kind: OperationKind | undefined): string | undefined {
  if (kind !== 'capture' && kind !== 'void') return undefined;
  if (order.isPartial || order.external.some(({ operation }) => operation === 'authorize')) return undefined;
  const possible = order.operations.filter((operation) => {
    if (operation.operation !== 'authorize' || (operation.phase === 'ended' && !hasSucceeded(operation))) return false;
    return !hasFollowUp(order, 'capture', operation) && !hasFollowUp(order, 'void', operation);
  });
  return possible.length === 1 ? possible[0]?.commandId : undefined;
}
