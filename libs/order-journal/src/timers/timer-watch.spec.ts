import { journalPartition } from '../journal/ports.js';
import { fold } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';
import { AgreedClock } from './agreed-clock.js';
import { TimerWatch, type TimerIndex } from './timer-watch.js';

const AT = '2026-03-01T10:00:00.000Z';
const NOW_MS = Date.parse(AT) + 6 * 86_400_000;
const inOrder = {
  rulesVersion: RULES_VERSION,
  merchant: 'shop-fr',
  orderId: 'o',
  at: AT,
  commandId: 'a',
  attempt: 1,
  token: 't',
};
const terms = { operation: 'authorize', method: 'B', currency: 'EUR', amount: 15000, contentHash: 'h' } as const;
const log: JournalRecord[] = [
  { record: 'INTENT', ...inOrder, ...terms },
  { record: 'OUTCOME', ...inOrder, result: 'pending', answer: {} },
];
const pending = log.reduce(
  (order, record, offset) => fold(order, record, BigInt(offset)).order,
  emptyOrder('shop-fr', 'o'),
);

function watch({
  apartMs = 0,
  order = pending,
  nowMs = NOW_MS,
  setTo = nowMs,
  untilMs = nowMs,
}: { apartMs?: number; order?: OrderState; nowMs?: number; setTo?: number; untilMs?: number } = {}) {
  const clock = { nowMs };
  const appended: JournalRecord[] = [];
  const asked: [number, number, number, number][] = [];
  const index: TimerIndex = {
    timeMs: () => Promise.resolve(nowMs + apartMs),
    dueOrders: (asOfMs, ...due) => {
      clock.nowMs = setTo;
      asked.push([asOfMs(journalPartition('shop-fr/o')), ...due]);
      return Promise.resolve(['shop-fr/o', 'shop-fr/unreadable']);
    },
  };
  const journal = {
    read: (_merchant: string, orderId: string) =>
      orderId === 'o' ? Promise.resolve(order) : Promise.reject(new Error('the index is behind')),
    append: (record: JournalRecord) => Promise.resolve(BigInt(appended.push(record))),
  };
  const logged: string[] = [];
  const log = (_fields: object, message: string) => void logged.push(message);
  const timers = new TimerWatch(
    journal,
    index,
    new AgreedClock({ nowMs: () => clock.nowMs, monotonicMs: () => 0, sleep: () => Promise.resolve() }),
    { untilMs: () => untilMs },
    { debug: log, info: log, warn: log, error: log },
    () => Promise.reject(new Error('nothing waits that may be looked up')),
  );
  return { appended, asked, told: logged, timers };
}

it('writes what is due, and goes on past an order that can not be read', async () => {
  const { appended, timers, told } = watch();
  await timers.poll();
  expect(appended).toMatchObject([
    { record: 'EXPIRED', commandId: 'a', attempt: 1, at: new Date(NOW_MS).toISOString() },
  ]);
  expect(told).toEqual(['A timer could not be worked off; it will be tried again']);
});

it('writes nothing that is not due though the order was claimed', async () => {
  const { appended, timers } = watch({ nowMs: NOW_MS - 1 });
  await timers.poll();
  expect(appended).toEqual([]);
});

it('judges what is due by the time that agreed with Redis, also where its clock is set meanwhile', async () => {
  const { appended, timers } = watch({ nowMs: NOW_MS - 1, setTo: NOW_MS + 86_400_000 });
  await timers.poll();
  expect(appended).toEqual([]);
});

it.each([
  [-1, 0],
  [0, 1],
])('with all notifications journaled until %i ms after the end of a payment writes %i records', async (ms, records) => {
  const nowMs = NOW_MS + 86_400_000;
  const { appended, asked, timers } = watch({ nowMs, untilMs: NOW_MS + ms });
  await timers.poll();
  expect(asked.map(([asOfMs]) => asOfMs)).toEqual([NOW_MS + ms]);
  expect(appended.map(({ record, at }) => [record, at])).toEqual(
    records === 0 ? [] : [['EXPIRED', new Date(nowMs).toISOString()]],
  );
});

it('judges nothing as of a time that is yet to come', async () => {
  const { appended, asked, timers } = watch({ nowMs: NOW_MS - 1, untilMs: NOW_MS + 1 });
  await timers.poll();
  expect([asked.map(([asOfMs]) => asOfMs), appended]).toEqual([[NOW_MS - 1], []]);
});

it.each([
  [60_000, 1],
  [-60_000, 1],
  [60_001, 0],
  [-60_001, 0],
])('with the clock of Redis %i ms ahead writes %i records', async (apartMs, records) => {
  const { appended, asked, timers } = watch({ apartMs });
  expect(await timers.poll()).toBe(Math.abs(apartMs));
  expect([appended.length, asked.length]).toEqual([records, records]);
});

it('tells once that the clocks disagree', async () => {
  const { timers, told } = watch({ apartMs: 61_000 });
  await timers.poll();
  await timers.poll();
  expect(told).toEqual(['Our clock and the one of Redis disagree: nothing expires until they agree']);
});
