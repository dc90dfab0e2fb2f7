import type { FollowUpKind, Order, Phase } from '../order/order.js';
import { viewOf, type OrderView } from '../order/order-view.js';
import type { StoredOrder } from '../order/order.store.js';
import { captureBy, possibleFollowUps, takenOf, type Possible } from './possible-follow-ups.js';

/** An order as the desk shows it. */
export interface DeskView extends Pick<
  OrderView,
  'orderId' | 'amount' | 'items' | 'placedAt' | 'status' | 'method' | 'card'
> {
  captured: number;
  refunded: number;
  /** RFC 3339. */
  captureBy?: string;
  /** True once `payment.capture_window.closing` has come: a day is left. */
  isWindowClosing: boolean;
  followUps: { operation: FollowUpKind; amount: number; phase: Phase; execCode?: string; at: string }[];
  /** Number that the next operation must carry. */
  next: number;
  possible: Possible[];
}

export function deskViewOf(stored: StoredOrder, nowMs: number): DeskView {
  const { order } = stored;
  const { orderId, amount, items, placedAt, status, method, card } = viewOf(stored, nowMs);
  const until = captureBy(order);
  const { captured, refunded } = takenOf(order);
  return {
    ...{ orderId, amount, items, placedAt, status, captured, refunded },
    ...(method && { method }),
    ...(card && { card }),
    ...(until !== undefined && { captureBy: until }),
    isWindowClosing: order.isWindowClosing === true && until !== undefined,
    followUps: (order.followUps ?? []).map(({ operation, amount: of, phase, execCode, startedAt: at }) => ({
      ...{ operation, amount: of, phase, at },
      ...(execCode !== undefined && { execCode }),
    })),
    next: numberOfNext(order),
    possible: possibleFollowUps(order),
  };
}

export const numberOfNext = ({ followUps = [] }: Order): number => followUps.length + 1;
