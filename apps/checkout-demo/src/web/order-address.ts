import { pageIdFrom } from './order-cookie.js';

const HINTS = ['success', 'pending', 'refused', 'unknown'] as const;
export type Hint = (typeof HINTS)[number];

export interface Return {
  orderId: string;
  pageId: string;
  hint?: Hint;
}

/** The order that the browser returns to; undefined without its cookie, which only the buyer's browser has. */
export function returnOf(query: unknown, cookies: string | undefined): Return | undefined {
  const { orderId, hint } = (query ?? {}) as { orderId?: unknown; hint?: unknown };
  const pageId = typeof orderId === 'string' ? pageIdFrom(cookies, orderId) : undefined;
  if (pageId === undefined) return undefined;
  return { orderId: orderId as string, pageId, hint: HINTS.find((one) => one === hint) };
}

/** Address to which the returning browser is redirected. The hint decides nothing: the page shows the state of the order's events. */
export function orderAddress(back: Return | undefined): string {
  if (back === undefined) return '/orders/unknown';
  return `/orders/${back.pageId}${back.hint === undefined ? '' : `?hint=${back.hint}`}`;
}
