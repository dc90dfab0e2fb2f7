import { pageIdFrom } from './order-cookie.js';

const HINTS = ['success', 'pending', 'refused', 'unknown'] as const;
export type Hint = (typeof HINTS)[number];

export interface Return {
  orderId: string;
  pageId: string;
  hint?: Hint;
}

/** Whose order the browser comes back to: only a browser that began it has its cookie. */
export function returnOf(query: unknown, cookies: string | undefined): Return | undefined {
  const { orderId, hint } = (query ?? {}) as { orderId?: unknown; hint?: unknown };
  const pageId = typeof orderId === 'string' ? pageIdFrom(cookies, orderId) : undefined;
  if (pageId === undefined) return undefined;
  return { orderId: orderId as string, pageId, hint: HINTS.find((one) => one === hint) };
}

/** Where the browser goes that the platform sent back. The hint is a hint: the page shows what the order's events say. */
export function orderAddress(back: Return | undefined): string {
  if (back === undefined) return '/orders/unknown';
  return `/orders/${back.pageId}${back.hint === undefined ? '' : `?hint=${back.hint}`}`;
}
