import { answered, asked, folded, later, notExecuted, notified, START } from '../../test/order-story.js';
import { fold } from '../state/fold.js';
import { findOperation, type OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';
import { AgreedClock } from './agreed-clock.js';
import { timerRecord, timersOf, TimerWatch } from './timer-watch.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const orderOf = (...records: JournalRecord[]) => folded(records).order;
const named = (order: OrderState) =>
  timersOf(order).map(({ timer, atMs }): [string, number] => [timer, atMs - Date.parse(START)]);

const onForm = [asked('authorize', { mayLookUp: true }), answered('authorize', '0002')];
const lookUps: [string, number][] = [
  ['look_up_15_minutes', 15 * MINUTE_MS],
  ['look_up_1_hour', HOUR_MS],
  ['look_up_6_hours', 6 * HOUR_MS],
  ['look_up_24_hours', DAY_MS],
];

describe('timers of a payment that waits', () => {
  it.each([
    ['a redirect', onForm, 7],
    ['a card payment at its form', [asked('pay', { mayLookUp: true }), answered('pay', '0001')], 7],
    ['a card payment on hold', [asked('pay', { mayLookUp: true }), answered('pay', '0003')], 6],
  ])('%s: four look-ups, and an end', (_what, records, days) => {
    const timers = named(orderOf(...records)).filter(([timer]) => timer !== 'snapshot');
    expect(timers).toEqual([...lookUps, ['expiry', days * DAY_MS]]);
  });

  it('an approval ends six days after the platform began to wait, however late we heard of it', () => {
    const heard = { ...notified('authorize', '0003'), at: later(5 * DAY_MS), executedAt: later(DAY_MS) };
    expect(named(orderOf(...onForm, heard)).find(([timer]) => timer === 'expiry')).toEqual(['expiry', 7 * DAY_MS]);
  });

  it.each(['0002', '0003'])('a void ends the wait at %s: no look-up, no end, and the order is forgotten', (code) => {
    const begun = [asked('authorize', { method: 'A', mayLookUp: true }), answered('authorize', code)];
    expect(named(orderOf(...begun, asked('void'), answered('void', '0000')))).toEqual([['tombstone', 35 * DAY_MS]]);
  });

  it('no look-up where its merchant does not allow them', () => {
    const order = orderOf(asked('authorize'), answered('authorize', '0002'));
    expect(named(order).map(([timer]) => timer)).toEqual(['expiry', 'snapshot']);
  });

  it('one more, at once, after "not executed"', () => {
    const order = orderOf(...onForm, notified('authorize', '5003'));
    expect(named(order)[0]).toEqual(['look_up_not_executed', 0]);
  });

  it('all four again once an approval is waited for', () => {
    const order = orderOf(...onForm);
    const asked24 = fold(
      order,
      timerRecord(order, { timer: 'look_up_24_hours', atMs: 0, commandId: 'authorize' }, 0),
      9n,
    ).order;
    expect(named(asked24).map(([timer]) => timer)).toEqual(['expiry', 'snapshot']);
    const held = fold(asked24, { ...notified('authorize', '0003'), at: later(2 * DAY_MS) }, 10n).order;
    expect(named(held).slice(0, 4)).toEqual(lookUps.map(([timer, ms]) => [timer, ms + 2 * DAY_MS]));
  });
});

describe('an operation between two attempts whose command never comes again', () => {
  it('is given up after 8 days, when no attempt can follow any more', () => {
    const order = orderOf(asked('authorize'), notExecuted('authorize'));
    const [timer] = timersOf(order);
    expect(named(order)[0]).toEqual(['give_up', 8 * DAY_MS]);
    const { order: after, effects } = fold(order, timerRecord(order, timer!, 0), 9n);
    expect(findOperation(after, 'authorize')).toMatchObject({ phase: 'ended', end: 'given_up' });
    expect(effects.map(({ event }) => event.type)).toEqual(['payment.authorize.rejected']);
  });
});

describe('the watch', () => {
  function watch(order: OrderState, afterMs: number, isAsked = true) {
    const nowMs = Date.parse(START) + afterMs;
    const appended: JournalRecord[] = [];
    const looked: string[] = [];
    const timers = new TimerWatch(
      { read: () => Promise.resolve(order), append: (record) => Promise.resolve(BigInt(appended.push(record))) },
      { timeMs: () => Promise.resolve(nowMs), dueOrders: () => Promise.resolve(['shop-fr/order-1']) },
      new AgreedClock({ nowMs: () => nowMs, monotonicMs: () => 0, sleep: () => Promise.resolve() }),
      { untilMs: () => nowMs },
      { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      (_order, operation) => {
        looked.push(operation.commandId);
        return Promise.resolve(isAsked);
      },
    );
    return { timers, appended, looked };
  }

  it.each([
    [15 * MINUTE_MS - 1, 0, []],
    [15 * MINUTE_MS, 1, ['look_up_15_minutes']],
    [2 * DAY_MS, 1, ['look_up_24_hours']],
    [7 * DAY_MS, 0, [undefined]],
  ])('after %i ms looks up %i times', async (afterMs, times, reminders) => {
    const { timers, appended, looked } = watch(orderOf(...onForm), afterMs);
    await timers.poll();
    expect([looked.length, appended.map((record) => ('reminder' in record ? record.reminder : undefined))]).toEqual([
      times,
      reminders,
    ]);
  });

  it('a look-up that could not be made is not told, and is made at the next round', async () => {
    const { timers, appended, looked } = watch(orderOf(...onForm), HOUR_MS, false);
    await timers.poll();
    await timers.poll();
    expect([looked.length, appended]).toEqual([2, []]);
  });

  it('the fold counts those before a look-up as made', () => {
    const order = orderOf(...onForm);
    const { order: after, effects } = fold(
      order,
      timerRecord(order, { timer: 'look_up_6_hours', atMs: 0, commandId: 'authorize' }, 0),
      9n,
    );
    expect([named(after)[0], effects]).toEqual([['look_up_24_hours', DAY_MS], []]);
  });
});
