import { asked, captured, later } from '../../test/order-story.js';
import { fold } from './fold.js';
import { historyOf } from './history.js';
import { emptyOrder, findOperation, type OrderState, verdictOf } from './order-state.js';
import type { JournalRecord } from './records.js';
import { snapshotOf } from './snapshot.js';
import { RULES_VERSION } from './versions.js';

const DAY_MS = 86_400_000;

/** A record that a producer sent again lands once more, long after the order was carried over and moved on. */
function story() {
  const land = (before: OrderState, ...records: JournalRecord[]): OrderState =>
    records.reduce((order, record) => fold(order, record, BigInt(order.lastOffset) + 1n).order, before);
  const carried = (order: OrderState, at = later(60 * DAY_MS)): JournalRecord => ({
    ...{ record: 'SNAPSHOT', rulesVersion: RULES_VERSION, merchant: order.merchant, orderId: order.orderId, at },
    ...{ seen: historyOf(order), state: snapshotOf(order, at) },
  });
  const [authorize, authorized, capture, isCaptured] = captured as [
    JournalRecord,
    JournalRecord,
    JournalRecord,
    JournalRecord,
  ];
  const early = land(emptyOrder('shop-fr', 'order-1'), authorize, authorized);
  const moved = land(early, carried(early), capture, isCaptured);
  return { land, carried, early, moved, copy: authorized };
}

it('a late copy of a record lets nobody carry over what was known when it came first', () => {
  const { land, carried, early, moved, copy } = story();
  const after = land(moved, copy, carried(early));
  expect(findOperation(after, 'capture')?.end).toBe('succeeded');
  expect(verdictOf(land(after, asked('capture-2')), 'capture-2#1')).toBe('rejected');
});

it('nor forget the order', () => {
  const { land, early, moved, copy } = story();
  const { merchant, orderId } = early;
  const seen = { seen: historyOf(early), refundableDays: 35 };
  const forgotten = { record: 'TOMBSTONE', rulesVersion: 1, merchant, orderId, at: later(900 * DAY_MS), ...seen } as const; // prettier-ignore
  expect(land(moved, copy, forgotten).operations).toHaveLength(2);
  const whoKnowsAll = { ...forgotten, seen: historyOf(land(moved, copy)) };
  expect(land(moved, copy, whoKnowsAll).operations).toHaveLength(0);
});

it('whoever knows all of it carries it over, for readers alike that begin behind the copy', () => {
  const { land, carried, moved, copy } = story();
  const whole = land(moved, copy);
  const cut = land({ ...emptyOrder('shop-fr', 'order-1'), lastOffset: String(BigInt(whole.lastOffset) - 1n) }, copy);
  const next = carried(whole, later(120 * DAY_MS));
  const orders = [land(whole, next), land(cut, next)];
  expect(orders.map(({ snapshotAt }) => snapshotAt)).toEqual([later(120 * DAY_MS), later(120 * DAY_MS)]);
  expect(orders[0]!.history).toBe(orders[1]!.history);
  expect(Number(orders[0]!.history!.split('.')[3])).toBeGreaterThan(Number(moved.history!.split('.')[3]));
});
