import type { DeskView } from '../../page/views.js';
import type { Order } from '../order/order.js';
import { viewOf } from '../order/order-view.js';
import type { StoredOrder } from '../order/order.store.js';
import { captureBy, possibleFollowUps, takenOf } from './possible-follow-ups.js';

export type { DeskView };

export function deskViewOf(stored: StoredOrder, nowMs: number): DeskView {
  const { order } = stored;
  const { orderId, amount, items, placedAt, status, method, card } = viewOf(stored, nowMs);
  const until = captureBy(order);
  const { captured, refunded } = takenOf(order);
  return {
    ...{ orderId, amount, items, placedAt, status, method, card, captured, refunded, captureBy: until },
    isWindowClosing: order.isWindowClosing === true && until !== undefined,
    followUps: (order.followUps ?? []).map(({ operation, amount: of, phase, execCode, startedAt: at }) => ({
      ...{ operation, amount: of, phase, execCode, at },
    })),
    next: numberOfNext(order),
    possible: possibleFollowUps(order),
  };
}

export const numberOfNext = ({ followUps = [] }: Order): number => followUps.length + 1;
