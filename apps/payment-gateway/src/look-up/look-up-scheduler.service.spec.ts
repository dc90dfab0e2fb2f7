import { orderKey, readMerchants } from '@tranche/contracts';
import {
  emptyOrder,
  fold,
  RULES_VERSION,
  type EvidenceRecord,
  type JournalRecord,
  type OrderState,
  JOURNAL_PARTITIONS,
  journalPartition,
} from '@tranche/order-journal';
import { createLogger } from '@tranche/service-kit';
import type { Clock } from '../clock.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { Journal } from '../journal/journal.service.js';
import type { OrderIndexStore } from '../journal/order-index.store.js';
import { lookUpTimesOf } from '../look-up-schedule.js';
import type { LookUpService } from './look-up.service.js';
import { LookUpScheduler } from './look-up-scheduler.service.js';

const AT = '2026-03-01T10:00:00.000Z';
const AFTER_MS = [1_000, 2_000, 60_000];
const read = readMerchants(
  [
    { merchant: 'asks', identifier: 'Asks', accountKey: 'key', lookup: true },
    { merchant: 'asks-not', identifier: 'Not', accountKey: 'key' },
  ],
  () => '',
);
if ('faults' in read) throw new Error('the merchants are wrong');
const { merchants } = read;

const timesOf = () => lookUpTimesOf({ since: AT }, AFTER_MS);

function doubtful(merchant: string, orderId: string): OrderState {
  const identity = { rulesVersion: RULES_VERSION, merchant, orderId, at: AT, commandId: 'a', attempt: 1, token: 't' };
  const terms = { operation: 'pay', method: 'card', currency: 'EUR', amount: 100, contentHash: 'hash' } as const;
  const open = fold(emptyOrder(merchant, orderId), { record: 'INTENT', ...identity, ...terms }, 1n).order;
  return fold(open, { record: 'IN_DOUBT', ...identity, reason: 'timeout', message: '' }, 2n).order;
}
const evidence = (orderId: string): EvidenceRecord => ({
  ...{
    record: 'EVIDENCE',
    rulesVersion: RULES_VERSION,
    merchant: 'asks',
    orderId,
    at: AT,
    source: 'look-up',
    operation: 'pay',
  },
  ...{ result: 'succeeded', answer: { execCode: '0000', transactionId: 'T1' } },
});

interface World {
  orders: OrderState[];
  asked: string[];
  appended: JournalRecord[];
  nowMs: number;
  answer: (orderId: string) => Promise<EvidenceRecord[]>;
  token: () => Promise<undefined>;
  append: () => Promise<void>;
  slept: number[];
  /** True for a partition whose index can't be read. */
  isUnread?: (partition: number) => boolean;
}

function worldOf(...orders: OrderState[]): World {
  return {
    orders,
    asked: [],
    appended: [],
    nowMs: Date.parse(AT),
    answer: () => Promise.resolve([]),
    token: () => Promise.resolve(undefined),
    append: () => Promise.resolve(),
    slept: [],
  };
}

const ALL = Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => partition);

/** One instance, which owns these partitions; instances share Redis, journal and clock of `world`. */
function instance(world: World, { lookUpInFlight = 2, owns = ALL } = {}): LookUpScheduler {
  const find = (merchant: string, orderId: string) =>
    world.orders.find((order) => order.merchant === merchant && order.orderId === orderId) ??
    emptyOrder(merchant, orderId);
  const journal = {
    read: (merchant: string, orderId: string) => Promise.resolve(find(merchant, orderId)),
    append: async (record: JournalRecord) => {
      await world.append();
      world.appended.push(record);
      return 3n;
    },
    view: {
      closing: new AbortController().signal,
      owners: owns.map((partition) => ({ partition, isServing: true })),
    },
  } as unknown as Journal;
  const index = {
    ordersIn: (_name: 'doubt', own: readonly number[]) => {
      const keys = world.orders.map(({ merchant, orderId }) => orderKey(merchant, orderId));
      const { isUnread = () => false } = world;
      const orderKeys = keys.filter((key) => own.includes(journalPartition(key)) && !isUnread(journalPartition(key)));
      const missing = own.filter(isUnread).map((partition) => ({ partition }));
      return Promise.resolve({ orderKeys, missing });
    },
  } as unknown as OrderIndexStore;
  const clock = {
    nowMs: () => world.nowMs,
    sleep: (ms: number) => {
      world.slept.push(ms);
      return Promise.resolve();
    },
  } as unknown as Clock;
  const lookUp = {
    bearerFor: () => world.token(),
    ask: ({ order }: { order: OrderState }) => {
      world.asked.push(orderKey(order.merchant, order.orderId));
      return world.answer(order.orderId);
    },
  } as unknown as LookUpService;
  const config = { merchants, lookUpAfterMs: AFTER_MS, lookUpInFlight } as unknown as GatewayConfig;
  return new LookUpScheduler(config, journal, index, clock, lookUp, createLogger({ name: 'spec', level: 'silent' }));
}

it('asks at each time of the schedule once, and then no more', async () => {
  const world = worldOf(doubtful('asks', 'o'));
  const lookUps = instance(world);
  const counts: number[] = [];
  const [first = 0, second = 0, third = 0] = timesOf();
  for (const nowMs of [first - 1, first, second - 1, second, second + 40_000, third, third + 3_600_000]) {
    world.nowMs = nowMs;
    await lookUps.poll();
    counts.push(world.asked.length);
  }
  expect(counts).toEqual([0, 1, 1, 2, 2, 3, 3]);
});

it('asks of the partitions that can be read, and does not ask again of one that can not be for a while', async () => {
  const world = worldOf(doubtful('asks', 'o'), doubtful('asks', 'p'));
  const lookUps = instance(world);
  const [first = 0, second = 0] = timesOf();
  const unread = journalPartition(orderKey('asks', 'o'));
  expect(journalPartition(orderKey('asks', 'p'))).not.toBe(unread);
  world.nowMs = first;
  await lookUps.poll();
  expect(world.asked.sort()).toEqual(['asks/o', 'asks/p']);
  world.isUnread = (partition) => partition === unread;
  world.nowMs = second - 1;
  await lookUps.poll();
  world.isUnread = () => false;
  await lookUps.poll();
  expect(world.asked).toHaveLength(2);
  world.isUnread = (partition) => partition === unread;
  world.nowMs = second;
  await lookUps.poll();
  expect(world.asked.slice(2)).toEqual(['asks/p']);
});

it('never asks for merchants that do not allow it, nor about ORDERIDs that would be several', async () => {
  const world = worldOf(doubtful('asks-not', 'o'), doubtful('unknown', 'o'), doubtful('asks', 'a;b'));
  world.nowMs = timesOf()[2] ?? 0;
  await instance(world).poll();
  expect(world.asked).toEqual([]);
});

it('asks only while in doubt: the index may lag', async () => {
  const world = worldOf({ ...doubtful('asks', 'o'), operations: [] });
  world.nowMs = timesOf()[0] ?? 0;
  await instance(world).poll();
  expect(world.asked).toEqual([]);
});

it('of several instances the owner asks', async () => {
  const world = worldOf(doubtful('asks', 'o'));
  world.nowMs = timesOf()[0] ?? 0;
  const [one = [], two = []] = [0, 1].map((rest) => ALL.filter((partition) => partition % 2 === rest));
  await Promise.all([instance(world, { owns: one }).poll(), instance(world, { owns: two }).poll()]);
  expect(world.asked).toEqual(['asks/o']);
});

it('one that starts later continues by the doubt’s age', async () => {
  const world = worldOf(doubtful('asks', 'o'));
  world.nowMs = timesOf()[1] ?? 0;
  const lookUps = instance(world);
  await lookUps.poll();
  world.nowMs += 10_000;
  await lookUps.poll();
  expect(world.asked).toHaveLength(1);
});

it('journals what it finds, and retries the append', async () => {
  const world = worldOf(doubtful('asks', 'o'));
  world.nowMs = timesOf()[0] ?? 0;
  world.answer = (orderId) => Promise.resolve([evidence(orderId)]);
  let failures = 2;
  world.append = () => (failures-- > 0 ? Promise.reject(new Error('Kafka is away')) : Promise.resolve());
  await instance(world).poll();
  expect(world.appended).toEqual([evidence('o')]);
  expect(world.slept).toHaveLength(2);
});

it('gives up an append after some retries: the next look-up brings the evidence again', async () => {
  const world = worldOf(doubtful('asks', 'o'));
  world.nowMs = timesOf()[0] ?? 0;
  world.answer = (orderId) => Promise.resolve([evidence(orderId)]);
  world.append = () => Promise.reject(new Error('Kafka is away'));
  const lookUps = instance(world);
  await lookUps.poll();
  expect([world.appended.length, world.slept.length]).toEqual([0, 4]);
  world.append = () => Promise.resolve();
  world.nowMs = (timesOf()[1] ?? 0) + 30_000;
  await lookUps.poll();
  expect(world.appended).toHaveLength(1);
});

it('without a token the look-up is not spent', async () => {
  const world = worldOf(doubtful('asks', 'o'));
  world.nowMs = timesOf()[2] ?? 0;
  world.token = () => Promise.reject(new Error('auth-service is away'));
  const lookUps = instance(world);
  await lookUps.poll();
  expect(world.asked).toEqual([]);
  world.token = () => Promise.resolve(undefined);
  world.nowMs += 30_000;
  await lookUps.poll();
  expect(world.asked).toHaveLength(1);
});

it('asks about no more at once than it may', async () => {
  const world = worldOf(...Array.from({ length: 7 }, (_, at) => doubtful('asks', `o${at}`)));
  world.nowMs = timesOf()[0] ?? 0;
  let [underWay, most] = [0, 0];
  world.answer = async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    return [];
  };
  await instance(world, { lookUpInFlight: 3 }).poll();
  expect([world.asked.length, most]).toEqual([7, 3]);
});
