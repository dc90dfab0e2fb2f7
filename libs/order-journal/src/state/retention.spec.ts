import {
  answered,
  asked,
  authorized,
  captured,
  expired,
  folded,
  later,
  lost,
  notified,
  notifiedElsewhere,
} from '../../test/order-story.js';
import { SNAPSHOT_EVERY_MS, timerRecord, timersOf } from '../timers/timer-watch.js';
import { fold } from './fold.js';
import { historyOf } from './history.js';
import { isEmptyOrder, type OrderState, verdictOf } from './order-state.js';
import type { Intent, JournalRecord, Tombstone } from './records.js';

const DAY_MS = 86_400_000;

const stateOf = (records: readonly JournalRecord[]): OrderState => folded(records).order;
const tombstoneOf = (order: OrderState, days: number, change: Partial<Tombstone> = {}): Tombstone => ({
  ...(timerRecord(order, { timer: 'tombstone', atMs: 0 }, Date.parse(later(days * DAY_MS))) as Tombstone),
  ...change,
});
const isForgotten = (order: OrderState, record: Tombstone) =>
  isEmptyOrder(fold(order, record, BigInt(order.lastOffset) + 1n).order);

const refunded = [...captured, asked('refund', { amount: 30_000 }), answered('refund', '0000')];
const partly = [...captured, asked('refund', { amount: 29_999 }), answered('refund', '0000')];

describe('an order leaves the index, by the journal’s times and the record’s own days', () => {
  it.each([
    ['authorized, never captured', authorized, 35],
    ['refused', [asked('authorize'), answered('authorize', '4001')], 35],
    ['captured', captured, 400],
    ['captured elsewhere', [...authorized, notifiedElsewhere('capture', '0000', { transactionId: 'T-o' })], 400],
    [
      'a capture elsewhere that was refused',
      [...authorized, notifiedElsewhere('capture', '4001', { transactionId: 'T-o' })],
      35,
    ],
    ['paid by card', [asked('pay'), answered('pay', '0000')], 400],
    ['refunded but for a cent', partly, 400],
    ['refunded as a whole', refunded, 35],
    ['an approval that expired', [asked('authorize'), answered('authorize', '0003'), expired('authorize')], 41],
  ] as [string, JournalRecord[], number][])('%s', (_what, records, days) => {
    const order = stateOf(records);
    expect([days - 1, days].map((at) => isForgotten(order, tombstoneOf(order, at)))).toEqual([false, true]);
    const due = timersOf(order).find(({ timer }) => timer === 'tombstone');
    expect(due?.atMs).toBe(Date.parse(later(days * DAY_MS)));
  });

  it.each([
    ['open', [asked('authorize')]],
    ['in doubt', [asked('authorize'), lost('authorize')]],
    ['pending', [asked('authorize'), answered('authorize', '0003')]],
    ['at a form', [asked('authorize'), answered('authorize', '0002')]],
  ] as [string, JournalRecord[]][])('never while %s', (_what, records) => {
    const order = stateOf(records);
    expect(isForgotten(order, tombstoneOf(order, 5_000))).toBe(false);
    expect(timersOf(order).map(({ timer }) => timer)).not.toContain('tombstone');
  });

  it('never while its snapshots contradict each other, and it gets further ones', () => {
    const order = { ...stateOf(refunded), isFrozen: true };
    expect(isForgotten(order, tombstoneOf(order, 5_000))).toBe(false);
    expect(timersOf(order).map(({ timer }) => timer)).toContain('snapshot');
  });

  it.each([
    ['capture', '0000', true],
    ['capture', '0003', true],
    ['capture', '4001', false],
    ['authorize', '0000', false],
  ] as const)(
    'a %s that was never granted and was answered with %s is kept for its refund: %s',
    (name, code, isKept) => {
      const stray = { ...answered(name, code, { transactionId: 'T-stray' }), token: 'stray' };
      const order = stateOf([
        ...authorized,
        ...(name === 'capture' ? [asked(name), answered(name, '4001')] : []),
        stray,
      ]);
      expect(order.unauthorizedOutcomes).toHaveLength(1);
      expect(isForgotten(order, tombstoneOf(order, 399))).toBe(!isKept);
    },
  );

  it('by the days that the record names, and by none where it names none', () => {
    const order = stateOf(captured);
    expect(isForgotten(order, tombstoneOf(order, 200, { refundableDays: 200 }))).toBe(true);
    for (const refundableDays of [undefined, NaN, 1 / 0, '35' as unknown as number])
      expect(isForgotten(order, tombstoneOf(order, 5_000, { refundableDays }))).toBe(false);
    // An order that may not be refunded is kept for 35 days, whatever a record names.
    const refused = stateOf(authorized);
    expect(isForgotten(refused, tombstoneOf(refused, 34, { refundableDays: 1 }))).toBe(false);
  });

  it('not where the order moved on', () => {
    const order = stateOf(refunded);
    const old = stateOf(partly.slice(0, 4));
    expect(isForgotten(order, tombstoneOf(order, 500, { seen: historyOf(old) }))).toBe(false);
  });

  it('and what is void does not put it off', () => {
    const order = stateOf(captured);
    const { movedAt } = fold(order, tombstoneOf(order, 100), BigInt(order.lastOffset) + 1n).order;
    expect(movedAt).toBe(order.movedAt);
  });
});

/** Ended by our timer alone, on the sixth or seventh day. */
const leftBehind: [string, JournalRecord[], number][] = [
  ['a redirect', [asked('authorize'), answered('authorize', '0002')], 7],
  ['a card payment on hold', [asked('pay'), answered('pay', '0003')], 6],
].map(([what, records, days]) => {
  const name = (records as Intent[])[0]!.commandId;
  const end = { ...expired(name), at: later((days as number) * DAY_MS) };
  return [what as string, [...(records as JournalRecord[]), end], days as number];
});

describe('a payment that only our timer ended may yet succeed', () => {
  const second = (order: OrderState) => {
    const intent = asked('authorize-2');
    return verdictOf(fold(order, intent, BigInt(order.lastOffset) + 1n).order, intent.token);
  };

  it.each(leftBehind)('%s gets snapshots and is kept for REFUNDABLE_DAYS', (_what, records, days) => {
    const order = stateOf(records);
    const at = [days + 399, days + 400].map((day) => tombstoneOf(order, day));
    expect(at.map((record) => isForgotten(order, record))).toEqual([false, true]);
    const timers = timersOf(order).filter(({ timer }) => timer === 'snapshot' || timer === 'tombstone');
    expect(timers).toEqual([
      { timer: 'snapshot', atMs: Date.parse(later(60 * DAY_MS)) },
      { timer: 'tombstone', atMs: Date.parse(later((days + 400) * DAY_MS)) },
    ]);
    const snapshot = timerRecord(order, { timer: 'snapshot', atMs: 0 }, Date.parse(later(60 * DAY_MS)));
    const after = fold(order, snapshot, 99n).order;
    expect([second(order), second(after)]).toEqual(['rejected', 'rejected']);
  });

  it('not any more once it was denied, nor where the interface ended it', () => {
    const [, records] = leftBehind[0]!;
    const denied = stateOf([...records, { ...notified('authorize', '4017'), at: later(8 * DAY_MS) }]);
    expect(isForgotten(denied, tombstoneOf(denied, 43))).toBe(true);
    const approval = stateOf([asked('authorize'), answered('authorize', '0003'), expired('authorize')]);
    expect(isForgotten(approval, tombstoneOf(approval, 41))).toBe(true);
  });
});

describe('an order that began with evidence', () => {
  const external = notifiedElsewhere('capture', '0000', { transactionId: 'T-elsewhere', amount: 30_000 });
  const refund = { ...asked('refund', { transactionId: 'T-elsewhere', amount: 100 }), at: later(95 * DAY_MS) };
  const records = [external, refund, { ...answered('refund', '0000'), at: later(95 * DAY_MS) }];
  const snapshotMs = (order: OrderState) => timersOf(order).find(({ timer }) => timer === 'snapshot')?.atMs;

  it('gets its snapshot by the time of its first record, not of its first INTENT', () => {
    const [atOnce, late] = [stateOf([external]), stateOf(records)];
    expect(snapshotMs(atOnce)).toBe(Date.parse(later(60 * DAY_MS)));
    expect(snapshotMs(late)).toBe(Date.parse(later(95 * DAY_MS)) + 3_600_000);
  });

  it('and from then on by the time of its SNAPSHOT record', () => {
    const order = stateOf(records);
    const record = timerRecord(order, { timer: 'snapshot', atMs: 0 }, Date.parse(later(96 * DAY_MS)));
    expect(snapshotMs(fold(order, record, 99n).order)).toBe(Date.parse(later(156 * DAY_MS)));
  });
});

describe('the snapshot of an order is due', () => {
  const snapshotMsOf = (order: OrderState) => timersOf(order).find(({ timer }) => timer === 'snapshot')?.atMs;

  it.each([
    ['captured', captured],
    ['in doubt', [asked('authorize'), lost('authorize')]],
    ['at a form', [asked('authorize'), answered('authorize', '0002')]],
    ['pending', [asked('pay'), answered('pay', '0003')]],
  ] as [string, JournalRecord[]][])('every 60 days while %s', (_what, records) => {
    const order = stateOf(records);
    expect(snapshotMsOf(order)).toBe(Date.parse(later(SNAPSHOT_EVERY_MS)));
    const record = timerRecord(order, { timer: 'snapshot', atMs: 0 }, Date.parse(later(61 * DAY_MS)));
    const after = fold(order, record, 99n).order;
    expect(snapshotMsOf(after)).toBe(Date.parse(later(61 * DAY_MS)) + SNAPSHOT_EVERY_MS);
  });

  it.each([
    ['a call may be under way', [...captured, asked('refund', { amount: 1 })]],
    ['nothing is to be given back', refunded],
    ['nothing was taken', authorized],
  ] as [string, JournalRecord[]][])('not where %s', (_what, records) => {
    expect(snapshotMsOf(stateOf(records))).toBeUndefined();
  });

  it('not any more once its tombstone is due', () => {
    const last = { ...stateOf(captured), snapshotAt: later(350 * DAY_MS) };
    expect(timersOf(last).map(({ timer }) => timer)).toEqual(['tombstone']);
  });

  it('when it has come to rest for an hour', () => {
    const order = { ...stateOf(captured), movedAt: later(60 * DAY_MS) };
    expect(snapshotMsOf(order)).toBe(Date.parse(later(60 * DAY_MS)) + 3_600_000);
  });
});
