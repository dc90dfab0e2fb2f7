import type { OperationKind } from '@tranche/contracts';
import { refundableAmount } from './guards.js';
import { isPayment, knownAmount, type OperationState } from './order-state.js';
import type { Intent, OperationTerms } from './records.js';
import { compact, type Draft } from './draft.js';
import { windowFrom } from './transaction-details.js';

/** "A successful authorization can be captured for up to 7 days" (interface, Limits). */
export const CAPTURE_WINDOW_MS = 7 * 86_400_000;

/** The terms that hold from the grant on: defaults of the platform are filled in from what the order shows. */
export function grantedTerms({ order }: Draft, intent: Intent): Partial<OperationState> {
  const authorization = order.operations.find(
    (other) => isPayment(other) && other.transactionId !== undefined && other.transactionId === intent.transactionId,
  );
  const defaults: Partial<Record<OperationKind, number | undefined>> = {
    capture: authorization && knownAmount(authorization),
    refund: refundableAmount(order, intent.transactionId),
    void: authorization && knownAmount(authorization),
  };
  const amount = intent.amount ?? defaults[intent.operation];
  const isLate =
    intent.operation === 'capture' &&
    authorization !== undefined &&
    Date.parse(intent.at) - Date.parse(windowFrom(authorization) ?? '') > CAPTURE_WINDOW_MS;
  const isAmountAssumed = intent.amount === undefined || undefined;
  return compact({
    amount,
    isAmountAssumed,
    reference: intent.transactionId,
    flags: isLate ? ['capture_window_passed'] : undefined,
  });
}

export function newOperation(
  terms: OperationTerms & { commandId: string; attempt: number },
  at: string,
): OperationState {
  const {
    commandId,
    attempt,
    operation,
    method,
    currency,
    amount,
    transactionId,
    supersedes,
    contentHash,
    correlationId,
  } = terms;
  const optional = compact({ amount, reference: transactionId, supersedes, correlationId });
  return {
    commandId,
    operation,
    method,
    currency,
    contentHash,
    attempt,
    phase: 'idle',
    firstIntentAt: at,
    attempts: [],
    evidence: [],
    ...optional,
  };
}
