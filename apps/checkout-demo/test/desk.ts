import { DESK_PASSWORD } from '@tranche/testing';
import { anOrder, decide, placed, untilStatus, type PlacedView, type ShopStack } from './shop-stack.js';

export const CREDENTIALS = { username: 'desk', password: DESK_PASSWORD };
export const AUTHORIZATION = `Basic ${Buffer.from(`desk:${DESK_PASSWORD}`).toString('base64')}`;

/** An order whose instalments of method A are authorized, and not captured. */
export async function authorized({ shop }: ShopStack): Promise<PlacedView> {
  const order = await placed(shop, anOrder());
  await untilStatus(shop, order.pageId, 'redirect');
  await decide(shop, order, 'validate');
  await untilStatus(shop, order.pageId, 'succeeded');
  return order;
}
