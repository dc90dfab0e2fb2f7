import { orderKey } from '@tranche/contracts';
import type { OrderState } from '../state/order-state.js';

/** Undefined where a value that was stored for an order is not a state of it. A rules version that this release does not know is for the fold to refuse. */
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

/** The same of what is stored as JSON. */
export function parseOrder(text: string, key: string): OrderState | undefined {
  try {
    return asOrderState(JSON.parse(text), key);
  } catch {
    return undefined;
  }
}
