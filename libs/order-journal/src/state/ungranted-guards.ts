import type { OperationKind } from '@tranche/contracts';
import { findOperation, isPayment, type OrderState, type UngrantedOutcome } from './order-state.js';

/** What guards make of calls that were never granted (R9): each may have succeeded. Only orders of rules version 2 on have any. */
const ungranted = ({ ungranted: outcomes = [] }: OrderState): UngrantedOutcome[] =>
  outcomes.filter(({ result }) => result !== 'refused');

/** This very command: another attempt could be a second execution. */
export const mayHaveRun = (order: OrderState, commandId: string): boolean =>
  ungranted(order).some((one) => one.commandId === commandId);

/** A payment, or what may have been one, took money or may yet. */
export function mayHavePaid(order: OrderState, isOut: (payment: UngrantedOutcome) => boolean): boolean {
  return ungranted(order).some((one) => (one.operation === undefined || isPayment(one)) && !isOut(one));
}

/** A capture or void of this TRANSACTIONID. */
export function mayHaveDone(order: OrderState, kind: OperationKind, transactionId: string | undefined): boolean {
  return ungranted(order).some(
    (one) => one.operation === kind && transactionId !== undefined && one.reference === transactionId,
  );
}

/** Amounts that such refunds of these sources gave back, beside those that are the operation's own. */
export function refundedUngranted(
  order: OrderState,
  sources: readonly { transactionId?: string }[],
): (number | undefined)[] {
  const isOwn = ({ commandId, transactionId }: UngrantedOutcome) => {
    const operation = findOperation(order, commandId);
    return operation?.end === 'succeeded' && operation.transactionId === transactionId;
  };
  return ungranted(order)
    .filter(
      (one) =>
        one.operation === 'refund' &&
        sources.some(({ transactionId }) => transactionId === one.reference) &&
        !isOwn(one),
    )
    .map(({ amount }) => amount);
}
