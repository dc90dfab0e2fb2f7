import { orderIdOf } from './order.js';

/** As long as the form is stored. A later visitor needs the address of the order's page. */
const LIFETIME_SECONDS = 86_400;
const HINTS = ['success', 'pending', 'refused', 'unknown'] as const;

interface Return {
  orderId: string;
  pageId: string;
  hint?: (typeof HINTS)[number];
}

/** The platform sends the browser back with ORDERID only. This cookie maps it to the secret page address, in the buyer's browser alone. */
export function orderCookie(pageId: string, isSecure: boolean): string {
  const value = `${nameOf(orderIdOf(pageId))}=${pageId}; Max-Age=${LIFETIME_SECONDS}; Path=/; HttpOnly; SameSite=Lax`;
  return isSecure ? `${value}; Secure` : value;
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

function pageIdFrom(cookies: string | undefined, orderId: string): string | undefined {
  const start = `${nameOf(orderId)}=`;
  const found = cookies?.split(/;\s*/).find((one) => one.startsWith(start));
  const pageId = found?.slice(start.length);
  return pageId !== undefined && orderIdOf(pageId) === orderId ? pageId : undefined;
}

const nameOf = (orderId: string): string => `order-${orderId}`;
