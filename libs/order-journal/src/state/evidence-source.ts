import { operationTag } from './extradata-tag.js';
import {
  findOperation,
  type Attempt,
  type OperationState,
  type OrderState,
  type UnboundEvidence,
} from './order-state.js';
import type { Evidence } from './records.js';

/** An attempt that evidence without a name could be about. */
export interface Source {
  operation: OperationState;
  attempt: Attempt;
}

/** What of evidence may name an operation. */
export type Naming = Pick<Evidence, 'operation' | 'answer'> & Partial<Pick<Evidence, 'commandId' | 'attempt' | 'tag'>>;

/** The operation that evidence names: by command id, by the tag in EXTRADATA, or by TRANSACTIONID (R8). */
export function namedBy(order: OrderState, evidence: Naming): OperationState | undefined {
  const { commandId, tag, operation, answer } = evidence;
  if (commandId !== undefined) return findOperation(order, commandId);
  const ofKind = order.operations.filter((other) => other.operation === operation);
  const tagged = tag && ofKind.find((other) => operationTag(other.commandId) === tag.operation);
  if (tagged) return isOfAnother(tagged, evidence) ? undefined : tagged;
  const bound =
    answer.transactionId === undefined ? undefined : ofKind.find((other) => has(other, answer.transactionId));
  return bound ?? voidNamedBy(order, evidence);
}

const has = ({ transactionId: own, attempts }: OperationState, transactionId: string | undefined): boolean =>
  own === transactionId || attempts.some((attempt) => attempt.transactionId === transactionId);

/** The attempt that evidence of this operation is about: the one it names, the one with its TRANSACTIONID, else the current one. */
export function attemptNamedBy(operation: OperationState, { attempt, tag, answer: { transactionId } }: Naming): number {
  const bound = operation.attempts.find((one) => transactionId !== undefined && one.transactionId === transactionId);
  return attempt ?? tag?.attempt ?? bound?.attempt ?? operation.settledBy ?? operation.attempt;
}

/** An answer is final about the TRANSACTIONID of what no cardholder has a part in: with another one it is another operation. */
function isOfAnother(
  { operation, phase, end, attempts }: OperationState,
  { attempt, tag, answer: { transactionId } }: Naming,
): boolean {
  if (
    operation === 'authorize' ||
    operation === 'pay' ||
    phase !== 'ended' ||
    end !== 'succeeded' ||
    transactionId === undefined
  )
    return false;
  const own = attempts.find((one) => one.attempt === (attempt ?? tag?.attempt))?.transactionId;
  return own !== undefined && own !== transactionId && attempts.every((one) => one.transactionId !== transactionId);
}

/**
 * "Void notifications carry the same parameters as capture" (interface, Events); their OPERATIONTYPE is not shown. Whatever it is, a
 * void's own TRANSACTIONID or tag names it; never the TRANSACTIONID of another operation of ours (docs/decisions/0019).
 */
function voidNamedBy(
  order: OrderState,
  { operation, tag, answer: { transactionId } }: Naming,
): OperationState | undefined {
  if (!mayTellOfVoid(operation) || operation === 'void') return undefined;
  const voids = order.operations.filter((other) => other.operation === 'void');
  const isOfOther = order.operations.some((other) => other.operation !== 'void' && isNamed(other, transactionId));
  if (transactionId === undefined || isOfOther) return undefined;
  const bound = voids.find((other) => other.transactionId === transactionId);
  const tagged =
    tag && voids.find((other) => other.transactionId === undefined && operationTag(other.commandId) === tag.operation);
  return bound ?? tagged;
}

const isNamed = (operation: OperationState, transactionId: string | undefined): boolean =>
  operation.reference === transactionId || has(operation, transactionId);

/** Kinds that a void's notification may come under; undefined: an OPERATIONTYPE that no operation of ours has. */
const mayTellOfVoid = (operation: Evidence['operation']): boolean =>
  operation === undefined || operation === 'void' || operation === 'capture' || operation === 'authorize';

export const isCurrent = (operation: OperationState, attempt: Attempt): boolean => operation.token === attempt.token;

export const isUnderWay = ({ operation: { phase } }: Source): boolean => phase === 'open' || phase === 'in_doubt';

/** The attempt by which its operation succeeded, or may have. */
export function mayBeExecuted(source: Source): boolean {
  const { end, settledBy, attempt } = source.operation;
  return source.attempt.attempt === (settledBy ?? attempt) && (isUnderWay(source) || end === 'succeeded');
}

/**
 * Attempts that evidence without a name could be about: of its kind, sent without a tag, and with no TRANSACTIONID yet. Ended and
 * earlier ones count too: a late notification of theirs must not settle a younger doubt.
 */
export function possibleSources(order: OrderState, evidence: UnboundEvidence): Source[] {
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

/** What was asked for, and said of more or less than that, is somebody else's; unless the platform accepted a share of it. */
function mayBeOfAmount(operation: OperationState, { partial, answer: { amount } }: UnboundEvidence): boolean {
  const { isAmountAssumed, askedAmount, amount: own } = operation;
  const asked = isAmountAssumed ? undefined : operation.partial ? askedAmount : own;
  return partial === true || asked === undefined || amount === undefined || asked === amount;
}
