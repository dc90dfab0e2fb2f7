import { compact, type OperationState, type OrderState } from '@tranche/order-journal';
import { notExecutedFromMs } from './manual-resolution.js';
import { operationIdOf } from './operation-id.js';
import { candidatesOf } from './order-view.js';

/** An operation in doubt, as an operator needs it to decide. `nowMs`: wall clock; `notExecutedAfterMs`: see `notExecutedFromMs`. */
export function doubtView(
  order: OrderState,
  operation: OperationState,
  { nowMs, notExecutedAfterMs }: { nowMs: number; notExecutedAfterMs: number },
) {
  const { merchant, orderId } = order;
  const {
    commandId,
    operation: kind,
    method,
    attempt,
    amount,
    currency,
    isAmountAssumed,
    reference,
    since = '',
    latest,
  } = operation;
  const fromMs = notExecutedFromMs(operation, notExecutedAfterMs);
  return compact({
    id: operationIdOf({ merchant, orderId, commandId }),
    ...{ merchant, orderId, commandId, operation: kind, method, attempt },
    ...compact({ amount, currency, isAmountAssumed, reference }),
    since,
    ageSeconds: Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000)),
    reason: latest?.body.flags?.[0],
    message: latest?.body.message,
    execCode: latest?.body.execCode,
    transactionIds: operation.attempts.flatMap(({ transactionId }) => transactionId ?? []),
    candidates: candidatesOf(order, kind),
    notExecuted: { maySay: nowMs >= fromMs, from: new Date(fromMs).toISOString() },
  });
}
