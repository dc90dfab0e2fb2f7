const HINTS = ['success', 'pending', 'refused', 'unknown'];

/** Where the browser goes that the platform sent back. The hint is a hint: the page shows what the order's events say. */
export function orderAddress(query: unknown): string {
  const { orderId, hint } = (query ?? {}) as { orderId?: unknown; hint?: unknown };
  if (typeof orderId !== 'string' || !/^[0-9a-f]{32}$/.test(orderId)) return '/orders/unknown';
  return `/orders/${orderId}${typeof hint === 'string' && HINTS.includes(hint) ? `?hint=${hint}` : ''}`;
}
