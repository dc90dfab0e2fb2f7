import { applyDecorators } from '@nestjs/common';
import { execCodeClass, holdsHiddenCardData, isMadeElsewhereToo, REASON } from '@tranche/contracts';
import {
  compact,
  findOperation,
  isInDoubt,
  isPayment,
  isWaiting,
  NOT_EXECUTED_AFTER_MS,
  operatorFromMs,
  RULES_VERSION,
  SEND_DEADLINE_MS,
  standingOf,
  TRANSACTION_ID_PATTERN,
  type EvidenceRecord,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';
import { secondsToWait } from '@tranche/runtime';
import { Problem, type ProblemFault, type ProblemOptions } from '@tranche/service-kit';
import { IsIn, IsInt, IsString, Length, Matches, Max, Min, ValidateIf, ValidateBy } from 'class-validator';

export const OUTCOMES = ['succeeded', 'refused', 'not_executed', 'redirect_required'] as const;

export const given = (name: string) =>
  ValidateIf((said: object) => (said as Partial<Record<string, unknown>>)[name] !== undefined);
const NoCardData = () =>
  ValidateBy({
    name: 'noCardData',
    validator: {
      validate: (text: unknown) => typeof text !== 'string' || !holdsHiddenCardData(text),
      defaultMessage: () => 'must hold no card data',
    },
  });

/** The journal keeps it without a time limit, so it must hold no personal data. */
export const KeptText = (min: number, max: number) =>
  applyDecorators(
    IsString(),
    Length(min, max),
    Matches(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, { message: 'must hold no control characters' }),
    NoCardData(),
  );
/** Why a person decided so. */
export const Reason = () => KeptText(REASON.least, REASON.most);
export const TransactionId = () =>
  Matches(TRANSACTION_ID_PATTERN, {
    message: 'must be 1 to 32 visible ASCII characters, no quotation mark or backslash',
  });
export const PositiveAmount = () => applyDecorators(IsInt(), Min(1), Max(999_999_999_999));

/** The outcome that an operator found out for an operation in doubt or a payment that waits. */
export class ManualResolution {
  @IsIn(OUTCOMES)
  outcome: (typeof OUTCOMES)[number];

  /** Source of the operator's knowledge. */
  @Reason()
  reason: string;

  /** Optional: the key identifies the person. */
  @given('actor')
  @IsString()
  actor?: string;

  /**
   * TRANSACTIONID of the operation, for follow-ups. Required where a capture, refund or void without a tag succeeded: without it, a candidate may be
   * an operation of the back office.
   */
  @given('transactionId')
  @TransactionId()
  transactionId?: string;

  @given('execCode')
  @Matches(/^\d{4}$/, { message: 'must be 4 digits' })
  execCode?: string;

  /** Minor units. Given only where it differs from the requested amount, or none was requested. */
  @given('amount')
  @PositiveAmount()
  amount?: number;
}

/** Minimum time after the INTENT before an attempt in doubt may be resolved as "not executed" (R5). Milliseconds. */
export function notExecutedAfterMs({ platformTimeoutMs }: { platformTimeoutMs: number }): number {
  return Math.max(NOT_EXECUTED_AFTER_MS, 10 * (SEND_DEADLINE_MS + platformTimeoutMs));
}

/** The same as a point in time. Milliseconds since the epoch. */
export function notExecutedFromMs(operation: OperationState, afterMs: number): number {
  const intentAt = operation.attempts.find(({ token }) => token === operation.token)?.intentAt ?? '';
  return Date.parse(intentAt) + afterMs;
}

interface ResolutionContext {
  commandId: string;
  resolution: ManualResolution;
  operator: string;
  nowMs: number;
  notExecutedAfterMs: number;
}

/**
 * Builds the resolution's journal record.
 * @throws Problem where it can't count: 404, 409 by the order's state, 422 where it contradicts itself
 */
export function resolutionEvidence(
  order: OrderState,
  { commandId, resolution, operator, nowMs, notExecutedAfterMs: afterMs }: ResolutionContext,
): EvidenceRecord {
  const operation = findOperation(order, commandId);
  if (!operation)
    throw new Problem({ status: 404, code: 'operation_unknown', detail: 'The journal has no such operation.' });
  refuseContradictions(operation, resolution);
  const isAssumed = operation.isTransactionAssumed && resolution.outcome === 'succeeded';
  if (!isInDoubt(operation) && !isAssumed) refuseWhatIsNotOpen(operation, nowMs);
  refuseTransactionOfAnother(order, operation, resolution);
  const fromMs = notExecutedFromMs(operation, afterMs);
  if (resolution.outcome === 'not_executed' && !(nowMs >= fromMs))
    throw tooEarly(
      {
        status: 409,
        code: 'not_executed_too_early',
        detail: `"not_executed" counts from ${isoOf(fromMs)} on: until then the call may be under way still.`,
      },
      fromMs,
      nowMs,
    );
  const { merchant, orderId } = order;
  const { outcome: result, reason, transactionId, execCode, amount } = resolution;
  const isPart = resolution.execCode === '0004' || (amount !== undefined && isBelow(amount, operation));
  const notBefore = afterMs > NOT_EXECUTED_AFTER_MS ? new Date(fromMs).toISOString() : undefined;
  return compact({
    ...({
      record: 'EVIDENCE',
      rulesVersion: RULES_VERSION,
      merchant,
      orderId,
      at: new Date(nowMs).toISOString(),
      source: 'operator',
    } as const),
    operation: operation.operation,
    commandId,
    attempt: operation.attempt,
    actor: operator,
    reason,
    result,
    partial: (result === 'succeeded' && isPart) || undefined,
    notBefore: result === 'not_executed' ? notBefore : undefined,
    seen: standingOf(order),
    answer: compact({ transactionId, execCode, amount }),
  });
}

/** Returns the operation as the fold resolved it. @throws Problem 409 where another record ended it first */
export function resolved(order: OrderState, commandId: string, { outcome }: ManualResolution): OperationState {
  const operation = findOperation(order, commandId);
  if (operation && isResolvedAs(operation, outcome)) return operation;
  if (operation === undefined)
    throw new Problem({ status: 409, code: 'not_in_doubt', detail: 'The order was forgotten meanwhile.' });
  if (!isInDoubt(operation) && !isWaiting(operation)) throw notInDoubt(operation);
  throw new Problem({
    status: 409,
    code: 'resolution_not_counted',
    detail: 'The resolution was journaled and does not count; the operation stands as it did.',
  });
}

/** True where the resolution took effect. An expired operation stays expired; the resolution then only says that it can't succeed any more. */
function isResolvedAs(operation: OperationState, outcome: ManualResolution['outcome']): boolean {
  const { phase, end, mayYetSucceed } = operation;
  if (outcome === 'redirect_required') return phase === 'redirect_required';
  if (phase !== 'ended') return false;
  return end === outcome || (end === 'expired' && outcome !== 'succeeded' && !mayYetSucceed);
}

/** Refuses a waiting payment less than a day old, unless "not executed" was reported of it. One that our timer ended is open at once (R15). */
function refuseWhatIsNotOpen(operation: OperationState, nowMs: number): void {
  if (operation.mayYetSucceed) return;
  if (!isWaiting(operation)) throw notInDoubt(operation);
  const fromMs = operatorFromMs(operation);
  if (!(nowMs >= fromMs))
    throw tooEarly(
      {
        status: 409,
        code: 'still_waiting',
        detail: `Until ${isoOf(fromMs)} it is the cardholder's or the provider's to decide.`,
      },
      fromMs,
      nowMs,
    );
}

const CLASSES = {
  succeeded: ['succeeded', 'succeeded_partly'],
  refused: ['refused'],
  not_executed: ['not_executed'],
  redirect_required: ['redirect_required'],
};

function refuseContradictions(
  operation: OperationState,
  { outcome, execCode, amount, transactionId }: ManualResolution,
): void {
  const faults: ProblemFault[] = [];
  const add = (path: string, code: string, message: string) => void faults.push({ path, code, message });
  if (execCode !== undefined && !CLASSES[outcome].includes(execCodeClass(execCode)))
    add('execCode', 'enum', `is no code of ${outcome}`);
  if (outcome === 'redirect_required' && !(isInDoubt(operation) && isPayment(operation)))
    add('outcome', 'enum', 'can be true of a payment in doubt only');
  if (execCode === '0004' && amount === undefined)
    add('amount', 'required', 'must be given with 0004, accepted in part');
  if (amount !== undefined && outcome !== 'succeeded') add('amount', 'unknown_field', 'belongs to succeeded only');
  if (
    amount !== undefined &&
    operation.amount !== undefined &&
    !operation.isAmountAssumed &&
    amount > operation.amount
  ) {
    add('amount', 'range', 'is above what was asked for');
  }
  if (transactionId !== undefined && outcome === 'not_executed')
    add('transactionId', 'unknown_field', 'belongs to what was executed');
  if (outcome === 'succeeded' && transactionId === undefined && mayBeTakenForAnother(operation))
    add('transactionId', 'required', 'must be given: it tells the operation from one that was made in the back office');
  if (faults.length === 0) return;
  throw new Problem({
    status: 422,
    code: 'resolution_contradictory',
    detail: 'What is said can not be true of this operation, see faults.',
    faults,
  });
}

/** True where the attempt has no tag and the operation has no known TRANSACTIONID (docs/decisions/0006). */
function mayBeTakenForAnother({ operation, attempts, token, isTransactionAssumed }: OperationState): boolean {
  if (isTransactionAssumed) return true;
  const sent = attempts.find((attempt) => attempt.token === token);
  return isMadeElsewhereToo(operation) && sent?.isTagged === false && sent.transactionId === undefined;
}

function refuseTransactionOfAnother(
  order: OrderState,
  operation: OperationState,
  { transactionId }: ManualResolution,
): void {
  if (transactionId === undefined) return;
  const own = operation.attempts.find(({ token }) => token === operation.token)?.transactionId;
  const others = order.operations.flatMap((other) => (other.commandId === operation.commandId ? [] : other.attempts));
  const isOfAnother = others.some((attempt) => attempt.transactionId === transactionId);
  if (!isOfAnother && (own === undefined || own === transactionId)) return;
  const detail = isOfAnother
    ? 'The TRANSACTIONID is that of another operation of the order.'
    : 'The operation has another TRANSACTIONID already.';
  throw new Problem({ status: 409, code: 'transaction_of_another', detail });
}

function isBelow(amount: number, operation: OperationState): boolean {
  return operation.amount !== undefined && !operation.isAmountAssumed && amount < operation.amount;
}

function notInDoubt(operation: OperationState): Problem {
  const state = operation.phase === 'ended' ? `has ended: ${operation.end}` : `is ${operation.phase}`;
  return new Problem({
    status: 409,
    code: 'not_in_doubt',
    detail: `Only an operation in doubt, or a payment that waits, can be resolved; this one ${state}.`,
  });
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

function tooEarly(problem: ProblemOptions, fromMs: number, nowMs: number): Problem {
  return new Problem({ ...problem, headers: { 'retry-after': String(secondsToWait(fromMs - nowMs)) } });
}
