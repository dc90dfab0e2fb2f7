import { orderNumber, readOrderNumber } from '../../page/order-number.js';
import { SALE_STATES, type DeskView, type OrderItem, type SaleState } from '../../page/views.js';
import { viewOf } from '../order/order-view.js';
import type { Order } from '../order/order.js';
import type { StoredOrder } from '../order/order.store.js';
import { captureBy, possibleFollowUps, takenOf } from '../order/possible-follow-ups.js';

export function deskViewOf(stored: StoredOrder, nowMs: number): DeskView {
  const { order } = stored;
  const { orderId, amount, placedAt, status, method, card } = viewOf(stored, nowMs);
  const until = captureBy(order);
  const { captured, refunded } = takenOf(order);
  return {
    orderId,
    amount,
    customer: order.customer,
    items: itemsLeft(order),
    placedAt,
    status,
    method,
    card,
    state: stateOf(order, status),
    captured,
    refunded,
    captureBy: until,
    isWindowClosing: order.isWindowClosing === true && until !== undefined,
    followUps: (order.followUps ?? []).map(
      ({ operation, amount: of, phase, execCode, startedAt: at, reason, items }) => ({
        operation,
        amount: of,
        phase,
        execCode,
        at,
        reason,
        items,
      }),
    ),
    next: numberOfNext(order),
    possible: possibleFollowUps(order),
  };
}

export const numberOfNext = ({ followUps = [] }: Order): number => followUps.length + 1;

const UNDER_WAY = { capture: 'capturing', refund: 'refunding', void: 'voiding' } as const;

/** An operation without a result comes before what was done: an order whose refund is under way is not simply paid. */
function stateOf(order: Order, status: DeskView['status']): SaleState {
  const open = order.followUps?.find(({ phase }) => ['sending', 'waiting', 'in_doubt'].includes(phase));
  const { captured, refunded } = takenOf(order);
  if (['conflict', 'in_doubt'].includes(status) || open?.phase === 'in_doubt') return 'doubt';
  if (status === 'cancelled') return 'cancelled';
  if (open !== undefined) return UNDER_WAY[open.operation];
  if (['refused', 'rejected', 'expired'].includes(status)) return 'failed';
  if (status !== 'succeeded') return 'open';
  if (captured === 0) return 'due';
  if (refunded === 0) return 'paid';
  return refunded < captured ? 'partly' : 'refunded';
}

/** A refund that was refused, or has failed, gives its pieces free again. */
export function itemsLeft({ items, followUps = [] }: Order): (OrderItem & { left: number })[] {
  const returned = followUps
    .filter(({ phase }) => !['refused', 'rejected'].includes(phase))
    .flatMap((one) => one.items ?? []);
  return items.map((item) => ({
    ...item,
    left: returned.reduce((left, { sku, quantity }) => (sku === item.sku ? left - quantity : left), item.quantity),
  }));
}

/** Some of the order's number, of ORDERID, of the customer's name or of the e-mail address; without regard to case and accents. */
export function isFound({ orderId, customer, state }: DeskView, { search, state: wanted }: Search): boolean {
  if (wanted !== undefined && state !== wanted) return false;
  const words = plain(search);
  const number = readOrderNumber(search);
  return (
    words === '' ||
    orderId.startsWith(words) ||
    (number !== '' && readOrderNumber(orderNumber(orderId)).startsWith(number)) ||
    [customer?.name, customer?.email].some((text) => plain(text ?? '').includes(words))
  );
}

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase();

export interface Search {
  search: string;
  state?: SaleState;
}

/** An unreadable search finds everything. */
export function readSearch(body: unknown): Search {
  const { search, state } = (body ?? {}) as { search?: unknown; state?: unknown };
  return {
    search: typeof search === 'string' ? search.slice(0, 100) : '',
    state: SALE_STATES.find((one) => one === state),
  };
}
