import type { OperationKind } from '@tranche/contracts';
import { hasContent } from './command-content.js';
import { findOperation, isOpen, isPayment, type OrderState } from './order-state.js';
import type { OperationTerms } from './records.js';

/** What a command that has just arrived, or was woken, has to do next. */
export type Step =
  /** The id was used for another content: not an operation at all. */
  | { step: 'reused' }
  /** Ended, or waiting for somebody else than us: its latest event is published again. */
  | { step: 'repeat' }
  /** Somebody's call of this operation, or of another one of the order, is under way. */
  | { step: 'wait' }
  | { step: 'attempt'; attempt: number }
  /** The order has as many operations as it may have: a further one is rejected, and written nowhere. */
  | { step: 'full' };

/** Of one order, rejected ones included: its state is read and written as a whole. */
export const OPERATIONS_AT_MOST = 200;

export function nextStep(
  order: OrderState,
  command: Pick<OperationTerms, 'contentHash'> & { commandId: string },
): Step {
  const operation = findOperation(order, command.commandId);
  if (operation && !hasContent(operation, command.contentHash)) return { step: 'reused' };
  if (operation && operation.phase !== 'idle')
    return operation.phase === 'open' ? { step: 'wait' } : { step: 'repeat' };
  if (!operation && order.operations.length >= OPERATIONS_AT_MOST) return { step: 'full' };
  const isBusy = order.operations.some((other) => other.commandId !== command.commandId && isOpen(other));
  return isBusy ? { step: 'wait' } : { step: 'attempt', attempt: operation?.attempt ?? 1 };
}

/**
 * TRANSACTIONID that a follow-up names when its command leaves it out: of the order's newest payment for a capture or void, of its newest capture
 * or card payment for a refund; one made elsewhere where none of ours succeeded. Undefined where the order shows none.
 */
export function referenceFor(order: OrderState, kind: 'capture' | 'refund' | 'void'): string | undefined {
  const isSource = (operation: { operation?: OperationKind; transactionId?: string }) =>
    operation.transactionId !== undefined &&
    (kind === 'refund' ? operation.operation === 'capture' || operation.operation === 'pay' : isPayment(operation));
  const sources = order.operations.filter(isSource);
  const succeeded = sources.findLast((operation) => operation.end === 'succeeded');
  const elsewhere = order.external.findLast((operation) => isSource(operation) && operation.result === 'succeeded');
  return (succeeded ?? elsewhere ?? sources.at(-1))?.transactionId;
}
