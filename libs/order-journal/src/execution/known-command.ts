import type { Fault } from '@tranche/contracts';
import { lostAttempt } from '../recovery/after-loss.js';
import type { OperationState, OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';
import { inOrder } from '../state/versions.js';

/**
 * Answer to a command that may not be attempted: its merchant was removed, a release became stricter, its sender is not proved, or records were
 * lost. Where its order has its result, that result counts. The policies differ in what they append for an operation between two attempts.
 */
export interface KnownCommandPolicy {
  /** One of the records is an INTENT, which is refused as busy beside another call of the order. */
  readonly appendsIntent: boolean;
  /**
   * The sender is told that the order does not have the command. The view may lag and the INTENT may be in the log, so the log is read to its end
   * first (docs/decisions/0001).
   */
  readonly isNotTakenPublished: boolean;
  /** The records for an operation between two attempts. None: it is left as it is. */
  between(
    order: OrderState,
    operation: OperationState,
    written: { at: string; newToken: () => string },
  ): JournalRecord[];
}

/** The operation is given up with the fault. */
export const giveUpWith = ({ code, message }: Fault): KnownCommandPolicy => ({
  appendsIntent: false,
  isNotTakenPublished: true,
  between: (order, { commandId, attempt }, { at }) => [
    { record: 'GIVEN_UP', ...inOrder(order, at), commandId, attempt, code, message },
  ],
});

/** The operation is left as it is, because the sender of this copy is not proved. */
export const LEAVE_ALONE: KnownCommandPolicy = {
  appendsIntent: false,
  isNotTakenPublished: false,
  between: () => [],
};

/** The next attempt may be among lost records (R11), so an attempt without an answer is appended, and it is never sent. */
export const PUT_IN_DOUBT: KnownCommandPolicy = {
  appendsIntent: true,
  isNotTakenPublished: false,
  between: (order, operation, written) => lostAttempt(order, operation, written) ?? [],
};
