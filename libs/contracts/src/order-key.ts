import { codePoints } from './validation/code-points.js';

export const MERCHANT_PATTERN = /^[a-z0-9-]{1,32}$/;
/** No control characters, because the order id is copied to event headers, which must not contain them. */
export const ORDER_ID_PATTERN = /^[^\u0000-\u001f\u007f]+$/u;
const ORDER_ID_MAX = 40;

/** Kafka key of all records of an order: `merchant/orderId`. */
export function orderKey(merchant: string, orderId: string): string {
  return `${merchant}/${orderId}`;
}

/** Splits at the first slash: an orderId may contain slashes, a merchant's name cannot. Returns undefined if the key is invalid. */
export function parseOrderKey(key: string): { merchant: string; orderId: string } | undefined {
  const slash = key.indexOf('/');
  if (slash < 0) return undefined;
  const merchant = key.slice(0, slash);
  const orderId = key.slice(slash + 1);
  const length = codePoints(orderId);
  if (!MERCHANT_PATTERN.test(merchant) || length > ORDER_ID_MAX || !ORDER_ID_PATTERN.test(orderId)) return undefined;
  return { merchant, orderId };
}
