import { orderKey } from '@tranche/contracts';
import type { OrderState } from '../state/order-state.js';

/** Returns undefined where a stored value is not a state of this order. The fold refuses a rules version that this release does not know. */
export function asOrderState(value: unknown, key: string): OrderState | undefined {
  const order = value as Partial<OrderState> | null;
  if (typeof order !== 'object' || order === null) return undefined;
  const { merchant, orderId, lastOffset, operations, rulesVersion } = order;
  const isOurs = typeof merchant === 'string' && typeof orderId === 'string' && orderKey(merchant, orderId) === key;
  const isPlaced = typeof lastOffset === 'string' && /^\d+$/.test(lastOffset);
  const isJudged = rulesVersion === undefined || Number.isInteger(rulesVersion);
  return isOurs && isPlaced && isJudged && Array.isArray(operations) && operations.every(isOperation)
    ? (order as OrderState)
    : undefined;
}

function isOperation(value: unknown): boolean {
  const { commandId, phase, attempt } = (value ?? {}) as Record<string, unknown>;
  return typeof commandId === 'string' && typeof phase === 'string' && typeof attempt === 'number';
}

/** The same for a value stored as JSON. */
export function parseOrder(text: string, key: string): OrderState | undefined {
  try {
    return asOrderState(JSON.parse(text), key);
  } catch {
    return undefined;
  }
}
