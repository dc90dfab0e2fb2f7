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
  START,
} from '../../test/order-story.js';
import { fold } from './fold.js';
import { historyOf } from './history.js';
import { isEmptyOrder, LOOK_UP_REMINDERS, type OperationState, type OrderState } from './order-state.js';
import type { JournalRecord, Tombstone } from './records.js';
import {
  isEndedByInterface,
  isUndecided,
  isWithinSendDeadline,
  lifetimeMs,
  lookUpsUntil,
  operatorFromMs,
  retentionOf,
  waitsFrom,
  windowFrom,
} from './time.js';

const DAY_MS = 86_400_000;
const started = { wallMs: 1_000_000, monotonicMs: 500 };
const clocks = (wallMs: number, monotonicMs: number) => ({
  wallMs: started.wallMs + wallMs,
  monotonicMs: started.monotonicMs + monotonicMs,
});
const after = (...records: JournalRecord[]): OrderState => folded(records).order;
const operationOf = (change: Partial<OperationState>) => change as OperationState;

describe('a call may leave', () => {
  it.each([
    ['at once', clocks(0, 0), true],
    ['at the deadline', clocks(2_000, 2_000), true],
    ['past it on the monotonic clock', clocks(1_000, 2_001), false],
    ['past it on the wall clock: the machine slept', clocks(2_001, 10), false],
    ['the wall clock went back', clocks(-1, 10), false],
  ])('%s', (_what, now, isAllowed) => {
    expect(isWithinSendDeadline(started, now)).toBe(isAllowed);
  });
});

describe('what waits', () => {
  it('is ended by our timer after six days of an approval, and seven of a form', () => {
    const lifetimes = (['pending', 'redirect_required', 'in_doubt'] as const).map((phase) => lifetimeMs({ phase }));
    expect(lifetimes).toEqual([6 * DAY_MS, 7 * DAY_MS, undefined]);
  });

  it('is ended by the interface itself only as a pending authorization of method B', () => {
    const ended = { phase: 'pending', operation: 'authorize', method: 'B' } as const;
    const others = [{ method: 'A' }, { operation: 'pay' }, { phase: 'redirect_required' }] as const;
    const isEnded = (change: object) => isEndedByInterface(operationOf({ ...ended, ...change }));
    expect([isEnded({}), ...others.map(isEnded)]).toEqual([true, false, false, false]);
  });

  it('may be ended by a person after a day, or from when the platform said "not executed" of it', () => {
    expect(operatorFromMs(operationOf({ since: START }))).toBe(Date.parse(START) + DAY_MS);
    expect(operatorFromMs(operationOf({ since: START, saidNotExecutedAt: later(5) }))).toBe(Date.parse(later(5)));
    expect(operatorFromMs(operationOf({}))).toBeNaN();
  });

  it('waits from its notification on, or else from when it came into its phase', () => {
    const times = [{ pendingAt: later(1), since: later(2) }, { since: later(2) }, {}];
    expect(times.map((one) => waitsFrom(operationOf(one)))).toEqual([later(1), later(2), '']);
  });

  it('is not looked up for a reminder that was due before', () => {
    const [first, second] = LOOK_UP_REMINDERS;
    expect(lookUpsUntil('look_up_1_hour')).toEqual([first, second]);
    expect(lookUpsUntil('look_up_24_hours')).toEqual(LOOK_UP_REMINDERS.slice(0, 4));
    expect(lookUpsUntil('look_up_not_executed')).toEqual(['look_up_not_executed']);
  });

  it('is undecided where a report that waits names its TRANSACTIONID', () => {
    const unmatchedEvidence = [
      { source: 'notification', result: 'succeeded', answer: { transactionId: 'T-1' } },
    ] as const;
    const order = { ...after(...authorized), unmatchedEvidence: [...unmatchedEvidence] };
    const isOf = (transactionId?: string) =>
      isUndecided(order, operationOf({ ...(transactionId && { transactionId }) }));
    expect([isOf('T-1'), isOf('T-2'), isOf()]).toEqual([true, false, false]);
    const nameless = { ...order, unmatchedEvidence: [{ ...unmatchedEvidence[0], answer: {} }] };
    expect(isUndecided(nameless, operationOf({}))).toBe(false);
  });
});

it('the capture window counts from when the platform executed the authorization', () => {
  expect(windowFrom(operationOf({ executedAt: later(1), endedAt: later(2) }))).toBe(later(1));
  expect(windowFrom(operationOf({ endedAt: later(2) }))).toBe(later(2));
});

describe('an order is kept', () => {
  const refunded = [...captured, asked('refund', { amount: 30_000 }), answered('refund', '0000')];
  const until = (days: number, needsSnapshot: boolean) => ({
    endMs: Date.parse(later(days * DAY_MS)),
    needsSnapshot,
  });
  const never = (needsSnapshot: boolean) => ({ endMs: undefined, needsSnapshot });

  it.each<[string, JournalRecord[], object]>([
    ['without a snapshot while a call may be under way', [...captured, asked('refund')], never(false)],
    ['without a snapshot where nothing is left', refunded, until(35, false)],
    ['without a snapshot where nothing was taken', authorized, until(35, false)],
    ['while money may be given back', captured, until(400, true)],
    ['while a follow-up is in doubt', [...authorized, asked('capture'), lost('capture')], never(true)],
    ['while a later payment waits', [...authorizedTwice(), answered('authorize-2', '0003')], never(true)],
    [
      'while one of its payments may yet succeed',
      [...expiredForm(), asked('void'), answered('void', '4001')],
      until(407, true),
    ],
  ])('%s', (_what, records, retention) => {
    expect(retentionOf(after(...records), 400)).toStrictEqual(retention);
  });

  function authorizedTwice(): JournalRecord[] {
    return [asked('authorize'), answered('authorize', '4001'), asked('authorize-2')];
  }
  function expiredForm(): JournalRecord[] {
    const end = { ...expired('authorize'), at: later(7 * DAY_MS) };
    return [asked('authorize', { method: 'A' }), answered('authorize', '0002'), end];
  }

  it('at least as long as any other, however few days a refund may take', () => {
    expect(retentionOf(after(...captured), 3)).toStrictEqual(until(35, true));
  });

  it('where it is not known what is left to be given back', () => {
    const shares = [...captured, notified('capture', '0004', { answer: { amount: 9_000 } })];
    const twice = [...shares, notified('capture', '0004', { answer: { amount: 8_000 } })];
    expect(
      retentionOf(after(...twice, asked('refund', { amount: 9_000 }), answered('refund', '0000')), 400),
    ).toStrictEqual(until(400, true));
    const office = notifiedElsewhere('refund', '0000', { transactionId: 'T-office', amount: 30_000 });
    const other = notifiedElsewhere('capture', '0000', { transactionId: 'T-other', amount: 30_000 });
    expect(retentionOf(after(...captured, other, office), 400)).toStrictEqual(until(400, true));
  });

  it('for ever where it is frozen, or its time is not known', () => {
    expect(retentionOf({ ...after(...refunded), isFrozen: true }, 400)).toStrictEqual(never(true));
    const { movedAt: _movedAt, ...timeless } = after(...refunded);
    expect(retentionOf(timeless, 400)).toStrictEqual(never(false));
  });
});

describe('a tombstone', () => {
  const order = after(...authorized);
  const tombstone = (change: Partial<Tombstone> = {}): Tombstone => ({
    ...{ record: 'TOMBSTONE', rulesVersion: 1, merchant: order.merchant, orderId: order.orderId, refundableDays: 400 },
    ...{ at: later(35 * DAY_MS), seen: historyOf(order) },
    ...change,
  });
  const isForgotten = (before: OrderState, record: Tombstone) => isEmptyOrder(fold(before, record, 99n).order);

  it('counts where the reader knows the order whole, or its last records alone', () => {
    expect(isForgotten(order, tombstone())).toBe(true);
    expect(isForgotten(after(...authorized.slice(1)), tombstone())).toBe(true);
    expect(isForgotten(after(...captured), tombstone())).toBe(false);
  });

  it('is nothing where the order is forgotten already', () => {
    const gone = fold(order, tombstone(), 99n).order;
    expect(fold(gone, tombstone(), 100n).order).toEqual(gone);
  });

  it('is void before its time, and where it names no days', () => {
    expect(isForgotten(order, tombstone({ at: later(35 * DAY_MS - 1) }))).toBe(false);
    for (const refundableDays of [NaN, Infinity, undefined, '400'])
      expect(isForgotten(order, tombstone({ refundableDays: refundableDays as number }))).toBe(false);
    expect(isForgotten({ ...order, isFrozen: true }, tombstone())).toBe(false);
  });
});
