import { isInDoubt, isOpen, isPayment, isStillWaiting, type OrderState } from '@tranche/order-journal';
import type { OrderAmounts } from './order-amounts.js';

/**
 * The most urgent status applies. in_doubt: a person may have to decide · in_progress: a call is in flight or will be retried · then by the money ·
 * then by what it waits for · then by its end.
 */
export type OrderStatus =
  | 'in_doubt'
  | 'in_progress'
  | 'refunded'
  | 'partly_refunded'
  | 'captured'
  | 'authorized'
  | 'redirect_required'
  | 'pending'
  | 'voided'
  | 'succeeded'
  | 'refused'
  | 'rejected'
  | 'not_executed'
  | 'given_up'
  | 'expired'
  | 'external';

export function statusOf(order: OrderState, amounts: OrderAmounts): OrderStatus {
  const { operations } = order;
  if (operations.some(isInDoubt)) return 'in_doubt';
  if (operations.some((operation) => isOpen(operation) || operation.phase === 'idle')) return 'in_progress';
  if (amounts.captured !== 0) {
    if (amounts.refunded === 0) return 'captured';
    return amounts.remaining === 0 ? 'refunded' : 'partly_refunded';
  }
  if (amounts.authorized !== 0) return 'authorized';
  const waiting = operations.findLast((operation) => isStillWaiting(order, operation));
  if (waiting) return waiting.phase as 'redirect_required' | 'pending';
  if (operations.some(({ operation, end }) => operation === 'void' && end === 'succeeded')) return 'voided';
  return (operations.findLast(isPayment) ?? operations.at(-1))?.end ?? 'external';
}
