import { codePoints } from './validation/code-points.js';

export const MERCHANT_PATTERN = /^[a-z0-9-]{1,32}$/;
/** No control characters: the order's name travels in headers of events, where they are not taken. */
export const ORDER_ID_PATTERN = /^[^\u0000-\u001f\u007f]+$/u;
const ORDER_ID_MAX = 40;

/** Key of every record that belongs to an order: `merchant/orderId`. */
export function orderKey(merchant: string, orderId: string): string {
  return `${merchant}/${orderId}`;
}

/** An orderId may hold slashes, a merchant's name can't: the first one separates them. */
export function parseOrderKey(key: string): { merchant: string; orderId: string } | undefined {
  const slash = key.indexOf('/');
  if (slash < 0) return undefined;
  const merchant = key.slice(0, slash);
  const orderId = key.slice(slash + 1);
  const length = codePoints(orderId);
  if (!MERCHANT_PATTERN.test(merchant) || length > ORDER_ID_MAX || !ORDER_ID_PATTERN.test(orderId)) return undefined;
  return { merchant, orderId };
}
