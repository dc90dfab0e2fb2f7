import { fold } from '../state/fold.js';
import { emptyOrder, findOperation, type OrderState } from '../state/order-state.js';
import type { JournalRecord, Outcome } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';
import { timerRecord, timersOf, type Timer } from './timer-watch.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-03-01T10:00:00.000Z');
const order = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'order-1' };
const terms = { operation: 'authorize', method: 'B', currency: 'EUR', amount: 15000 } as const;

/** A record at a time after the start. */
type Happening = [afterMs: number, record: (at: string) => JournalRecord];

const intent =
  (commandId: string, change: object = {}) =>
  (at: string): JournalRecord => ({
    record: 'INTENT',
    ...order,
    at,
    commandId,
    attempt: 1,
    token: commandId,
    contentHash: 'h',
    ...terms,
    ...change,
  });
const outcome =
  (commandId: string, result: Outcome['result']) =>
  (at: string): JournalRecord => ({
    ...{ record: 'OUTCOME', ...order, at, commandId, attempt: 1, token: commandId },
    ...{ result, answer: { transactionId: `T-${commandId}` } },
  });
const inDoubt = (at: string): JournalRecord => ({
  ...{ record: 'IN_DOUBT', ...order, at, commandId: 'a', attempt: 1, token: 'a' },
  ...{ reason: 'timeout', message: 'no answer' },
});
const heard =
  (result: 'succeeded' | 'refused' | 'pending') =>
  (at: string): JournalRecord => ({
    ...{ record: 'EVIDENCE', ...order, at, source: 'notification', operation: 'authorize', result },
    answer: { transactionId: 'T-a', execCode: { succeeded: '0000', refused: '4001', pending: '0003' }[result] },
  });
const repeated = (at: string): JournalRecord => ({ record: 'REPEATED', ...order, at, commandId: 'a' });

function after(...happenings: Happening[]): OrderState {
  return happenings.reduce(
    (state, [afterMs, record], offset) =>
      fold(state, record(new Date(START_MS + afterMs).toISOString()), BigInt(offset)).order,
    emptyOrder('shop-fr', 'order-1'),
  );
}
const named = (state: OrderState) =>
  timersOf(state).map(({ timer, atMs }): [string, number] => [timer, atMs - START_MS]);
/** The order and its events after the timers that are due at that time. */
function onTime(state: OrderState, afterMs: number, wanted?: Timer['timer']): { order: OrderState; events: string[] } {
  const nowMs = START_MS + afterMs;
  const events: string[] = [];
  let next = state;
  for (const timer of timersOf(state).filter(({ atMs, timer: name }) => atMs <= nowMs && (wanted ?? name) === name)) {
    const folded = fold(next, timerRecord(next, timer, nowMs), BigInt(next.lastOffset) + 1n);
    events.push(...folded.effects.map(({ event }) => event.type.replace('payment.', '')));
    next = folded.order;
  }
  return { order: next, events };
}

const pending: Happening[] = [
  [0, intent('a')],
  [1000, outcome('a', 'pending')],
];
const doubtful: Happening[] = [
  [0, intent('a')],
  [1000, inDoubt],
];
const authorized: Happening[] = [
  [0, intent('a')],
  [1000, outcome('a', 'succeeded')],
];
const capture: Happening[] = [
  [2000, intent('c', { operation: 'capture', transactionId: 'T-a' })],
  [3000, outcome('c', 'succeeded')],
];

describe('timers of an order', () => {
  const SNAPSHOT: [string, number] = ['snapshot', 60 * DAY_MS];
  const table: [what: string, happenings: Happening[], timers: [string, number][]][] = [
    ['one that nobody heard of', [], []],
    ['an open call', [[0, intent('a')]], []],
    [
      'a card payment that waits',
      [
        [0, intent('a', { operation: 'pay' })],
        [1000, outcome('a', 'pending')],
      ],
      [['expiry', 6 * DAY_MS + 1000], SNAPSHOT],
    ],
    ['a pending approval: 6 days', pending, [['expiry', 6 * DAY_MS + 1000], SNAPSHOT]],
    [
      'a doubt: a quarter of an hour, a day',
      doubtful,
      [['doubt_15_minutes', 15 * MINUTE_MS + 1000], ['doubt_24_hours', DAY_MS + 1000], SNAPSHOT],
    ],
    [
      'an authorization: a day before its capture window closes; 35 days',
      authorized,
      [
        ['capture_window', 6 * DAY_MS + 1000],
        ['tombstone', 35 * DAY_MS + 1000],
      ],
    ],
    ['a captured authorization', [...authorized, ...capture], [SNAPSHOT, ['tombstone', 400 * DAY_MS + 3000]]],
    [
      'a voided authorization',
      [
        ...authorized,
        [2000, intent('v', { operation: 'void', transactionId: 'T-a' })],
        [3000, outcome('v', 'succeeded')],
      ],
      [['tombstone', 35 * DAY_MS + 3000]],
    ],
    [
      'a refused authorization',
      [
        [0, intent('a')],
        [1000, outcome('a', 'refused')],
      ],
      [['tombstone', 35 * DAY_MS + 1000]],
    ],
    [
      'a redirect that nobody came back from',
      [
        [0, intent('a')],
        [1000, outcome('a', 'redirect_required')],
      ],
      [['expiry', 7 * DAY_MS + 1000], SNAPSHOT],
    ],
    [
      'a repetition counts for nothing',
      [
        [0, intent('a')],
        [1000, outcome('a', 'refused')],
        [9000, repeated],
      ],
      [['tombstone', 35 * DAY_MS + 1000]],
    ],
    [
      'a clock that goes back counts for nothing',
      [
        [0, intent('a')],
        [-1000, outcome('a', 'refused')],
      ],
      [['tombstone', 35 * DAY_MS]],
    ],
  ];
  it.each(table)('%s', (_what, happenings, timers) => {
    expect(named(after(...happenings))).toEqual(timers);
  });
});

describe('a pending approval', () => {
  it('expires after 6 days, not before [States.0003-expired] [Limits.pending-approval]', () => {
    const state = after(...pending);
    expect(onTime(state, 6 * DAY_MS + 999).events).toEqual([]);
    const { order: expired, events } = onTime(state, 6 * DAY_MS + 1000);
    expect([events, findOperation(expired, 'a')?.end]).toEqual([['authorize.expired'], 'expired']);
  });

  it('does not expire once it was approved', () => {
    expect(named(after(...pending, [DAY_MS, heard('succeeded')])).map(([timer]) => timer)).toEqual([
      'capture_window',
      'tombstone',
    ]);
  });

  it('does not expire where its success is journaled before the record of its end, though that was made from an older state', () => {
    const state = after(...pending);
    const [timer] = timersOf(state);
    const approved = after(...pending, [7 * DAY_MS, heard('succeeded')]);
    const { order, effects } = fold(approved, timerRecord(state, timer!, START_MS + 7 * DAY_MS), 9n);
    expect([findOperation(order, 'a')?.end, effects]).toEqual(['succeeded', []]);
  });

  it('that another process wrote expired first expires once', () => {
    const state = after(...pending);
    const { order: expired } = onTime(state, 7 * DAY_MS);
    const [timer] = timersOf(state);
    const again = fold(expired, timerRecord(state, timer as Timer, START_MS + 7 * DAY_MS), 99n);
    expect(again.effects).toEqual([]);
  });

  it('succeeds with a conflict when 0000 comes after it expired', () => {
    const { order: expired } = onTime(after(...pending), 6 * DAY_MS + 1000);
    const { order: late, effects } = fold(
      expired,
      heard('succeeded')(new Date(START_MS + 7 * DAY_MS).toISOString()),
      99n,
    );
    expect(effects.map(({ event }) => [event.type, event.body.flags])).toEqual([
      ['payment.authorize.succeeded', undefined],
      ['payment.conflict.detected', ['was_expired', 'said_succeeded']],
    ]);
    expect(findOperation(late, 'a')).toMatchObject({ phase: 'ended', end: 'succeeded' });
    expect(named(late)[0]).toEqual(['capture_window', 13 * DAY_MS]);
  });

  it('says nothing when a refusal comes after it expired', () => {
    const { order: expired } = onTime(after(...pending), 6 * DAY_MS + 1000);
    expect(fold(expired, heard('refused')(new Date(START_MS + 7 * DAY_MS).toISOString()), 99n).effects).toEqual([]);
  });
});

describe('reminders', () => {
  it('a doubt is recalled after a quarter of an hour and after a day, each once', () => {
    const state = after(...doubtful);
    expect(onTime(state, 15 * MINUTE_MS + 999).events).toEqual([]);
    const first = onTime(state, 15 * MINUTE_MS + 1000);
    expect([first.events, named(first.order)]).toEqual([
      ['authorize.in_doubt'],
      [
        ['doubt_24_hours', DAY_MS + 1000],
        ['snapshot', 60 * DAY_MS],
      ],
    ]);
    const second = onTime(first.order, DAY_MS + 1000);
    expect([second.events, named(second.order)]).toEqual([['authorize.in_doubt'], [['snapshot', 60 * DAY_MS]]]);
  });

  it('the same reminder from two processes is one', () => {
    const state = after(...doubtful);
    const [timer] = timersOf(state);
    const record = timerRecord(state, timer as Timer, START_MS + DAY_MS);
    const once = fold(state, record, 50n);
    expect([once.effects.length, fold(once.order, record, 51n).effects.length]).toEqual([1, 0]);
  });

  it('of a capture comes after the hours that its merchant set', () => {
    const set = after([0, intent('a', { captureReminderHours: 48 })], [1000, outcome('a', 'succeeded')]);
    expect(named(set)[0]).toEqual(['capture_window', 2 * DAY_MS + 1000]);
    expect(onTime(set, 2 * DAY_MS + 1000, 'capture_window').events).toEqual(['capture_window.closing']);
  });

  it('a capture window is told to close a day before it does, and not after it has', () => {
    const state = after(...authorized);
    expect(onTime(state, 6 * DAY_MS + 999).events).toEqual([]);
    expect(onTime(state, 6 * DAY_MS + 1000, 'capture_window').events).toEqual(['capture_window.closing']);
    expect(onTime(state, 7 * DAY_MS + 999, 'capture_window').events).toEqual(['capture_window.closing']);
    const late = onTime(state, 7 * DAY_MS + 1000, 'capture_window');
    expect([late.events, named(late.order).map(([timer]) => timer)]).toEqual([[], ['tombstone']]);
  });

  it('of an authorization that was captured meanwhile says nothing', () => {
    const [timer] = timersOf(after(...authorized));
    const state = after(...authorized, ...capture);
    expect(fold(state, timerRecord(state, timer as Timer, START_MS + 6 * DAY_MS), 99n).effects).toEqual([]);
  });
});

describe('an old order', () => {
  it('is forgotten 35 days after its last transition, not before, and nothing of it remains [States.method-A-expiry]', () => {
    const state = after([0, intent('a')], [3000, outcome('a', 'refused')]);
    expect(onTime(state, 35 * DAY_MS + 2999).order).toBe(state);
    expect(onTime(state, 35 * DAY_MS + 3000).order).toEqual(emptyOrder('shop-fr', 'order-1'));
  });

  it('is not forgotten when it moved on after the record was made', () => {
    const state = after(...authorized);
    const record = timerRecord(state, { timer: 'tombstone', atMs: 0 }, START_MS + 40 * DAY_MS);
    const moved = fold(state, repeated(new Date(START_MS).toISOString()), 50n).order;
    expect(fold(moved, record, 51n).order.operations).toHaveLength(1);
  });

  it('that was forgotten already stays forgotten', () => {
    const state = after(...authorized);
    const record = timerRecord(state, { timer: 'tombstone', atMs: 0 }, START_MS + 40 * DAY_MS);
    const forgotten = fold(state, record, 50n).order;
    expect(fold(forgotten, record, 51n).order).toEqual(emptyOrder('shop-fr', 'order-1'));
  });

  it.each([
    ['pending', pending],
    ['in doubt', doubtful],
    ['open', pending.slice(0, 1)],
  ])('is never forgotten while %s', (_phase, happenings) => {
    const state = after(...happenings);
    const record = timerRecord(state, { timer: 'tombstone', atMs: 0 }, START_MS + 99 * DAY_MS);
    expect(fold(state, record, 99n).order.operations).toHaveLength(1);
  });
});

describe('a fold that begins in the middle of an order’s history', () => {
  it('marks the order, and leaves to the platform what it would have to know', () => {
    const [, [, lateOutcome]] = authorized as [Happening, Happening];
    const state = after(
      [0, lateOutcome],
      [1000, intent('c', { operation: 'capture', transactionId: 'T-a', amount: 99_999 })],
    );
    expect([state.isPartial, findOperation(state, 'c')?.phase]).toEqual([true, 'open']);
  });

  it.each<[string, Happening]>([
    ['a first attempt', [0, intent('a')]],
    ['a notification of an operation that is not ours', [0, heard('succeeded')]],
  ])('is no such fold that begins with %s', (_what, first) => {
    expect(after(first).isPartial).toBeUndefined();
  });
});
