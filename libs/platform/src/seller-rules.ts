import { MARKETPLACE_OPERATOR, type CommandType, type Fault, type Merchant } from '@tranche/contracts';

/** Bound for a journal record, which lists every seller of an order. */
const SELLERS_AT_MOST = 50;

interface Item {
  totalAmount?: unknown;
  subMerchantExternalId?: unknown;
}

/**
 * Amounts in minor units by seller, for merchants with `checkSellerTotals`: of a cart with sellers, where items without one belong to the
 * marketplace, or of a refund that names its seller.
 */
export function sellersOf(data: object, { checkSellerTotals }: Merchant): Record<string, number> | undefined {
  if (checkSellerTotals !== true) return undefined;
  const { amount, subMerchantExternalId: seller } = data as { amount?: unknown; subMerchantExternalId?: unknown };
  if (typeof seller === 'string') return typeof amount === 'number' ? { [seller]: amount } : undefined;
  const items = itemsOf(data);
  if (!items.some(({ subMerchantExternalId }) => typeof subMerchantExternalId === 'string')) return undefined;
  const totals = new Map<string, number>();
  for (const item of items) {
    const { totalAmount } = item;
    totals.set(sellerOf(item), (totals.get(sellerOf(item)) ?? 0) + (typeof totalAmount === 'number' ? totalAmount : 0));
  }
  return Object.fromEntries(totals);
}

/** Fields that a command needs for totals by seller. */
export function faultsOfSellers(type: CommandType, data: unknown, { checkSellerTotals }: Merchant): Fault[] {
  if (checkSellerTotals !== true || typeof data !== 'object' || data === null) return [];
  const needed = (path: string): Fault => ({ path, code: 'required', message: 'is required where a seller is named' });
  if (type === 'payment.refund') {
    const { amount, subMerchantExternalId } = data as { amount?: unknown; subMerchantExternalId?: unknown };
    return subMerchantExternalId !== undefined && amount === undefined ? [needed('amount')] : [];
  }
  const items = itemsOf(data);
  if (!items.some(({ subMerchantExternalId }) => subMerchantExternalId !== undefined)) return [];
  const faults = items.flatMap(({ totalAmount }, at) =>
    totalAmount === undefined ? [needed(`cart[${at}].totalAmount`)] : [],
  );
  if (new Set(items.map(sellerOf)).size <= SELLERS_AT_MOST) return faults;
  return [...faults, { path: 'cart', code: 'length', message: `must have at most ${SELLERS_AT_MOST} sellers` }];
}

const sellerOf = ({ subMerchantExternalId: seller }: Item): string =>
  typeof seller === 'string' ? seller : MARKETPLACE_OPERATOR;

function itemsOf(data: object): Item[] {
  const { cart } = data as { cart?: unknown };
  return Array.isArray(cart) ? cart.filter((item): item is Item => typeof item === 'object' && item !== null) : [];
}
