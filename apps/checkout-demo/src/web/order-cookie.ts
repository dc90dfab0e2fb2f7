import { orderIdOf } from '../order/order-ids.js';

/** As long as the form is stored. A later visitor needs the address of the order's page. */
const LIFETIME_SECONDS = 86_400;

/** The platform sends the browser back with ORDERID only. This cookie maps it to the secret page address, in the buyer's browser alone. */
export function orderCookie(pageId: string, isSecure: boolean): string {
  const value = `${nameOf(orderIdOf(pageId))}=${pageId}; Max-Age=${LIFETIME_SECONDS}; Path=/; HttpOnly; SameSite=Lax`;
  return isSecure ? `${value}; Secure` : value;
}

export function pageIdFrom(cookies: string | undefined, orderId: string): string | undefined {
  const start = `${nameOf(orderId)}=`;
  const found = cookies?.split(/;\s*/).find((one) => one.startsWith(start));
  const pageId = found?.slice(start.length);
  return pageId !== undefined && orderIdOf(pageId) === orderId ? pageId : undefined;
}

const nameOf = (orderId: string): string => `order-${orderId}`;
