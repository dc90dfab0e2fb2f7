import type { Fault } from '@tranche/contracts';
import {
  hasSucceeded,
  isPayment,
  knownAmount,
  mayHaveSucceeded,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';

/** Minor units of one seller in a marketplace. */
export interface SellerTotals {
  /** Its part of the cart. */
  sold: number;
  /** By refunds that named it. */
  refunded: number;
  remaining: number;
}

/**
 * By SUBMERCHANTEXTERNALID, in the order of the cart; undefined where the order's payment names none. Refunds that name no seller, those of
 * the back office among them, are nobody's: the totals of the order hold them.
 */
export function sellerTotalsOf(order: OrderState): Record<string, SellerTotals> | undefined {
  const sold = order.operations.findLast((one) => isPayment(one) && hasSucceeded(one) && one.sellers)?.sellers;
  if (sold === undefined) return undefined;
  const totals = Object.entries(sold).map(([seller, amount]): [string, SellerTotals] => {
    const refunded = order.operations
      .filter((one) => one.operation === 'refund' && mayTakeMoney(one))
      .reduce((sum, refund) => sum + shareOf(refund, seller), 0);
    return [seller, { sold: amount, refunded, remaining: Math.max(amount - refunded, 0) }];
  });
  return Object.fromEntries(totals);
}

/** Why a refund would give back more of a seller than its part of the cart (docs/decisions/0089). */
export function faultsOfSellerTotals(
  { operation, data }: { operation: string; data: { amount?: number; subMerchantExternalId?: string } },
  order: OrderState,
): Fault[] {
  const totals = operation === 'refund' ? sellerTotalsOf(order) : undefined;
  if (totals === undefined) return [];
  const { amount = 0, subMerchantExternalId: seller } = data;
  const path = 'subMerchantExternalId';
  if (seller === undefined) return [{ path, code: 'required', message: 'is required: the order has sellers' }];
  const total = Object.hasOwn(totals, seller) ? totals[seller] : undefined;
  if (total === undefined) return [{ path, code: 'seller_unknown', message: 'has no article in the cart' }];
  if (amount <= total.remaining) return [];
  const message = `must be at most ${total.remaining}, what remains of the seller's part`;
  return [{ path: 'amount', code: 'refund_exceeds_seller_total', message }];
}

/** It took money, or may have, or may yet: a call that ends without it gives it back. */
const mayTakeMoney = (refund: OperationState): boolean =>
  mayHaveSucceeded(refund) || (refund.phase !== 'ended' && refund.phase !== 'idle');

/** A refund has one seller; what the platform says of its amount wins. */
function shareOf(refund: OperationState, seller: string): number {
  const { sellers = {} } = refund;
  return Object.hasOwn(sellers, seller) ? (knownAmount(refund) ?? sellers[seller] ?? 0) : 0;
}
