import { hasSucceeded, isCancelled, isPayment, type OrderState } from '@tranche/order-journal';

/** Minor units; null where only the platform knows an amount that counts. */
export interface OrderAmounts {
  currency: string | null;
  /** Sum of the authorizations and card payments that succeeded and were not voided. */
  authorized: number | null;
  /** Sum of captures and card payments. */
  captured: number | null;
  /** Sum of refunds, those of the back office included. */
  refunded: number | null;
  /** Amount that may still be refunded. */
  remaining: number | null;
  /** Sums that include an amount which no message named: we assume the platform's default. */
  assumed: ('authorized' | 'captured' | 'refunded')[];
}

interface Counted {
  amount?: number;
  isAmountAssumed?: boolean;
}

export function amountsOf(order: OrderState): OrderAmounts {
  const succeeded = order.operations.filter(hasSucceeded);
  const elsewhere = order.external.filter(({ result }) => result === 'succeeded');
  const all = [...succeeded, ...elsewhere];
  const counted: Record<OrderAmounts['assumed'][number], Counted[]> = {
    authorized: all.filter((operation) => isPayment(operation) && !isCancelled(order, operation)),
    captured: all.filter(({ operation }) => operation === 'capture' || operation === 'pay'),
    refunded: all.filter(({ operation }) => operation === 'refund'),
  };
  const [captured, refunded] = [sum(counted.captured), sum(counted.refunded)];
  return {
    currency: order.operations[0]?.currency ?? null,
    authorized: sum(counted.authorized),
    captured,
    refunded,
    remaining: captured === null || refunded === null ? null : Math.max(captured - refunded, 0),
    assumed: (['authorized', 'captured', 'refunded'] as const).filter((name) =>
      counted[name].some(({ isAmountAssumed }) => isAmountAssumed),
    ),
  };
}

function sum(operations: Counted[]): number | null {
  if (operations.some(({ amount }) => amount === undefined)) return null;
  return operations.reduce((total, { amount = 0 }) => total + amount, 0);
}
