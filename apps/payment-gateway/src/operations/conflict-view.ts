import { compact, findOperation, type Conflict, type OrderState } from '@tranche/order-journal';
import { operationIdOf } from './operation-id.js';
import { eventView, reportView } from './order-view.js';

/** A conflict, as an operator needs it to act: whose money, how much, and the events that published it. `epoch`: the journal's epoch. */
export function conflictView(order: OrderState, conflict: Conflict, epoch = 0) {
  const { merchant, orderId } = order;
  const { reason, commandId, operation, amount, transactionId, payments } = conflict;
  const own = commandId === undefined ? undefined : findOperation(order, commandId);
  const published = own?.events?.filter(({ type }) => type === 'payment.conflict.detected');
  return compact({
    id: operationIdOf({ merchant, orderId, commandId: commandId ?? '-' }),
    ...{ merchant, orderId, reason },
    ...compact({ commandId, operation, amount, currency: own?.currency, transactionId }),
    payments: payments?.map((payment) => compact(payment)),
    otherAmounts: reason === 'other_amount' ? own?.otherAmounts : undefined,
    otherCurrencies: reason === 'other_currency' ? own?.otherCurrencies : undefined,
    contradictions: reason === 'other_result' ? own?.conflictingReports?.map(reportView) : undefined,
    events: (published ?? []).map((event) => eventView(order, event, epoch)),
  });
}
