import type { OperationKind } from '@tranche/contracts';
import { hasFollowUp } from './guards.js';
import { mayHaveSucceeded, type ExternalOperation, type OrderState, type UnboundEvidence } from './order-state.js';
import type { Evidence } from './records.js';
import { compact, type Draft } from './draft.js';
import { answered, type ReportedResult } from './transitions.js';

/** Evidence of an operation that is not ours; the platform's own OPERATIONTYPE where none of ours has it. */
export type ExternalEvidence = Omit<UnboundEvidence, 'operation'> & Pick<Evidence, 'operation' | 'operationType'>;

/** Notified, but not ours: what was done in the back office, or what we have no name for. Told once, whatever it is (docs/decisions/0020). */
export function external(next: Draft, evidence: ExternalEvidence, reported: ReportedResult): void {
  const { operation, operationType, result, partial, mayBeDone, source, externalEntityId, externalReference, answer } =
    evidence;
  const { currency } = evidence;
  const { transactionId, execCode, amount } = answer;
  const contradicted = next.order.external.find(
    (other) => isSame(other, evidence) && isContradiction(other.result, result),
  );
  const of = authorizationOf(next.order, operation);
  const body = {
    operation,
    operationType,
    amount,
    currency,
    origin: source,
    flags: evidence.flags,
    ...answered(reported),
  };
  const { offset, record, nth } = next.publish('payment.operation.external', undefined, body);
  const isNotified = source === 'notification';
  const details = { partial, mayBeDone, source: isNotified ? undefined : source, externalEntityId, externalReference };
  next.order.external = [
    ...next.order.external,
    compact({
      operation,
      operationType,
      result,
      transactionId,
      execCode,
      amount,
      currency,
      ...details,
      of,
      offset,
      record,
      nth,
    }),
  ];
  if (contradicted)
    next.publish('payment.conflict.detected', undefined, { ...body, flags: [`was_${contradicted.result}`] });
}

/** What was reported of an operation that was taken for somebody else's, as evidence of the one of ours that it turned out to be. */
export function asEvidence(external: ExternalOperation, operation: OperationKind): UnboundEvidence {
  const {
    result,
    partial,
    mayBeDone,
    source = 'notification',
    transactionId,
    execCode,
    amount,
    currency,
    externalEntityId,
    externalReference,
  } = external;
  const answer = compact({ transactionId, execCode, amount });
  const told = { currency, externalEntityId, externalReference };
  return compact({ operation, result, partial, mayBeDone, answer, source, ...told });
}

/** The same evidence came before. Without a TRANSACTIONID only what is alike in all is the same. */
export function isKnown({ external: known, unbound }: OrderState, evidence: ExternalEvidence): boolean {
  const { operation, operationType, answer } = evidence;
  const isWord = (other: Partial<ExternalOperation>) =>
    other.operation === operation &&
    other.operationType === operationType &&
    other.transactionId === answer.transactionId &&
    other.execCode === answer.execCode &&
    (answer.transactionId !== undefined || other.amount === answer.amount);
  const isHeld = (other: UnboundEvidence) =>
    isWord({ ...other.answer, operation: other.operation }) && !tellsMore(evidence, other);
  return known.some(isWord) || unbound.some(isHeld);
}

/** The platform may say the same again, and more of it: the references of a refund, the amount. */
function tellsMore(now: ExternalEvidence, before: UnboundEvidence): boolean {
  const isNew = (reported: unknown, known: unknown) => reported !== undefined && known === undefined;
  return (
    isNew(now.answer.amount, before.answer.amount) ||
    isNew(now.externalEntityId, before.externalEntityId) ||
    isNew(now.externalReference, before.externalReference)
  );
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
    const hasFailed = operation.phase === 'ended' && !mayHaveSucceeded(operation) && !operation.mayYetSucceed;
    if (operation.operation !== 'authorize' || hasFailed) return false;
    return !hasFollowUp(order, 'capture', operation) && !hasFollowUp(order, 'void', operation);
  });
  return possible.length === 1 ? possible[0]?.commandId : undefined;
}
