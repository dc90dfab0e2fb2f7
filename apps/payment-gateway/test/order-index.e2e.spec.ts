import { createClient } from 'redis';
import {
  emptyOrder,
  fold,
  journalPartition,
  MarkerMovedError,
  RULES_VERSION,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { Metrics, RedisClient, type ServiceLogger } from '@tranche/service-kit';
import { infrastructure, ownPrefix, waitFor } from '@tranche/testing';
import type { GatewayConfig } from '../src/gateway.config.js';
import { readIndexKeys } from '@tranche/order-journal';
import { OrderIndexKeys } from '@tranche/order-journal';
import { OrderIndexStore } from '../src/journal/order-index.store.js';

const { redisUrl } = infrastructure();
const prefix = ownPrefix();
const redis = createClient({ url: redisUrl });
const keys = new OrderIndexKeys(prefix);
const log = silentLog as ServiceLogger;
const connections: RedisClient[] = [];

/** The index as seen by one process. */
function process(clockOffsetMs = 0, indexKeys?: ReturnType<typeof readIndexKeys>): OrderIndexStore {
  const connection = new RedisClient({ url: redisUrl, name: 'index', log });
  connections.push(connection);
  return new OrderIndexStore(
    { kafkaTopicPrefix: prefix, clockOffsetMs, ...(indexKeys && { indexKeys }) } as GatewayConfig,
    connection,
    log,
    new Metrics('spec'),
  );
}

const AT = '2026-03-01T10:00:00.000Z';
const KEY = 'shop-fr/o';
const PARTITION = journalPartition(KEY);
const inOrder = {
  rulesVersion: RULES_VERSION,
  merchant: 'shop-fr',
  orderId: 'o',
  at: AT,
  commandId: 'a',
  attempt: 1,
  token: 't',
};
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' } as const;
const after = (...records: JournalRecord[]): OrderState =>
  records.reduce((order, record, offset) => fold(order, record, BigInt(offset)).order, emptyOrder('shop-fr', 'o'));
const open = after({ record: 'INTENT', ...inOrder, ...terms });
const doubtful = after(
  { record: 'INTENT', ...inOrder, ...terms },
  { record: 'IN_DOUBT', ...inOrder, reason: 'timeout', message: '' },
);

const index = process();
const other = process();

async function built(marker: bigint, ...orders: OrderState[]): Promise<void> {
  const rebuild = await index.beginRebuild(PARTITION, (await index.markers()).get(PARTITION));
  await rebuild?.write(orders, []);
  await rebuild?.finish(marker);
}
const flush = async () => {
  for (const key of await redis.keys(`${prefix}*`)) await redis.del(key);
};

beforeAll(async () => {
  await redis.connect();
  await waitFor(
    () =>
      Promise.all([index.markers(), other.markers()]).then(
        () => true,
        () => false,
      ),
    { timeoutMs: 30_000, what: 'Redis' },
  );
});
beforeEach(flush);
afterAll(async () => {
  await flush();
  await Promise.all(connections.map((connection) => connection.close()));
  await redis.close();
});

it('moves state and marker together, and tells which orders are open and which in doubt', async () => {
  await built(-1n);
  await index.readAll(PARTITION, -1n, [KEY]);
  await index.write({ partition: PARTITION, from: -1n, to: 0n, orders: [open], hash: 'hash', redirectHtml: [] });
  expect(await other.read(KEY)).toEqual({ order: open, marker: 0n });
  expect(await other.readTogether(PARTITION, [])).toEqual({ marker: 0n, hash: 'hash', orders: [] });
  expect(await other.readAll(PARTITION, 0n, [KEY, `${KEY}-none`])).toEqual([open, undefined]);
  expect(await other.openOrders(PARTITION)).toEqual({ orderKeys: [KEY], marker: 0n });
  await index.readAll(PARTITION, 0n, [KEY]);
  await index.write({ partition: PARTITION, from: 0n, to: 1n, orders: [doubtful], hash: 'hash', redirectHtml: [] });
  expect([(await other.openOrders(PARTITION)).orderKeys, await redis.sMembers(keys.of(PARTITION, 'doubt'))]).toEqual([
    [],
    [KEY],
  ]);
});

const beingBuilt = (partition: number) => ({
  ...{
    partition,
    code: 'being_built',
    detail: expect.stringContaining(`partition ${partition} is being built`) as string,
  },
});

it('names the order that has a TRANSACTIONID, and the orders that are frozen', async () => {
  const succeeded = fold(open, { record: 'OUTCOME', ...inOrder, result: 'succeeded', answer: { execCode: '0000', transactionId: 'T-1' } }, 1n).order; // prettier-ignore
  const holderOf = async (merchant: string, id: string) =>
    (await other.ordersOfTransaction(merchant, id)).found.get(PARTITION);
  await flush();
  expect(await holderOf('shop-fr', 'T-1')).toBeUndefined();
  for (const partition of OrderIndexKeys.partitions)
    await (await index.beginRebuild(partition, undefined))?.finish(-1n);
  await built(1n, { ...succeeded, isFrozen: true });
  expect(await holderOf('shop-fr', 'T-1')).toEqual({ marker: 1n, orderId: 'o' });
  expect([await holderOf('shop-fr', 'T-2'), await holderOf('shop-es', 'T-1')]).toEqual([
    { marker: 1n },
    { marker: 1n },
  ]);
  expect(await other.ordersIn('frozen')).toEqual({ orderKeys: [KEY], missing: [] });
  await redis.hDel(keys.of(PARTITION, 'transactions'), 'shop-fr/T-1');
  const { found, missing } = await other.ordersOfTransaction('shop-fr', 'T-1');
  expect([found.size, missing]).toEqual([OrderIndexKeys.partitions.length - 1, [beingBuilt(PARTITION)]]);
  await flush();
});

it('forgets an order without a trace', async () => {
  const named = fold(doubtful, { record: 'EVIDENCE', rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: AT, source: 'notification', operation: 'authorize', result: 'succeeded', answer: { execCode: '0000', transactionId: 'T-1' } }, 3n).order; // prettier-ignore
  await built(1n, named);
  expect(await redis.hKeys(keys.of(PARTITION, 'transactions'))).toEqual(['shop-fr/T-1']);
  await index.readAll(PARTITION, 1n, [KEY]);
  await index.write({
    partition: PARTITION,
    from: 1n,
    to: 2n,
    orders: [emptyOrder('shop-fr', 'o')],
    hash: 'hash',
    redirectHtml: [],
  });
  expect(await redis.keys(`${prefix}*`)).toEqual([keys.of(PARTITION, 'orders')]);
  expect(await redis.hKeys(keys.of(PARTITION, 'orders'))).toEqual(['marker']);
});

it('takes no write on top of another marker, nor on top of an index that was built anew meanwhile', async () => {
  await built(5n, open);
  await index.readAll(PARTITION, 5n, [KEY]);
  await expect(index.readAll(PARTITION, 4n, [KEY])).rejects.toThrow(MarkerMovedError);
  await built(5n, open);
  const write = index.write({
    partition: PARTITION,
    from: 5n,
    to: 6n,
    orders: [doubtful],
    hash: 'hash',
    redirectHtml: [],
  });
  await expect(write).rejects.toThrow(MarkerMovedError);
  expect(await other.read(KEY)).toEqual({ order: open, marker: 5n });
});

it('shows nothing of an index that is being built, and has no old order in the new one', async () => {
  await built(5n, open);
  const rebuild = await index.beginRebuild(PARTITION, 5n);
  expect(await other.read(KEY)).toEqual({});
  await rebuild?.write([doubtful], []);
  expect([await other.read(KEY), await other.dueOrders(PARTITION, Number.MAX_SAFE_INTEGER, 9)]).toEqual([
    {},
    undefined,
  ]);
  await rebuild?.finish(9n);
  expect(await other.read(KEY)).toEqual({ order: doubtful, marker: 9n });
  await (await index.beginRebuild(PARTITION, 9n))?.finish(9n);
  expect(await other.read(KEY)).toEqual({ marker: 9n });
});

it('is built by one process at a time, and by another one when a flush made the first void', async () => {
  const first = await index.beginRebuild(PARTITION, undefined);
  expect(await other.beginRebuild(PARTITION, undefined)).toBeUndefined();
  await flush();
  const second = await other.beginRebuild(PARTITION, undefined);
  await expect(first?.write([open], [])).rejects.toThrow(MarkerMovedError);
  await expect(first?.finish(1n)).rejects.toThrow(MarkerMovedError);
  await second?.finish(7n);
  expect((await index.markers()).get(PARTITION)).toBe(7n);
});

it('is never finished when Redis lost the last writes of its rebuild', async () => {
  await flush();
  const rebuild = await index.beginRebuild(PARTITION, undefined);
  const token = keys.of(PARTITION, 'rebuild');
  const before = await redis.get(token);
  await rebuild?.write([open], []);
  await redis.set(token, before ?? '');
  await expect(rebuild?.finish(7n)).rejects.toThrow(MarkerMovedError);
  expect((await index.markers()).get(PARTITION)).toBeUndefined();
  await flush();
});

it('is not wiped for a marker that is not there any more', async () => {
  await built(5n, open);
  expect(await other.beginRebuild(PARTITION, 4n)).toBeUndefined();
  expect(await other.beginRebuild(PARTITION, undefined)).toBeUndefined();
  expect(await other.read(KEY)).toEqual({ order: open, marker: 5n });
});

it('shows the orders that are due', async () => {
  await built(1n, doubtful);
  const dueMs = Date.parse(AT) + 15 * 60_000;
  expect(await index.dueOrders(PARTITION, dueMs - 1, 9)).toEqual([]);
  expect(await index.dueOrders(PARTITION, dueMs, 9)).toEqual([KEY]);
});

it('lists orders in doubt and with a conflict of the partitions that are whole, and names the others', async () => {
  expect((await index.ordersIn('doubt')).missing).toEqual(OrderIndexKeys.partitions.map(beingBuilt));
  await built(5n, allKinds);
  for (const list of [await index.ordersIn('doubt'), await index.ordersIn('conflict')])
    expect(list).toEqual({
      ...{ orderKeys: [KEY], missing: OrderIndexKeys.partitions.filter((one) => one !== PARTITION).map(beingBuilt) },
    });
  await redis.set(keys.of(PARTITION, 'doubt'), 'no set');
  expect((await index.ordersIn('doubt', [PARTITION])).missing).toMatchObject([{ partition: PARTITION, code: 'unreachable' }]); // prettier-ignore
  await flush();
});

it('tells which orders show a conflict, until they show none', async () => {
  await built(5n, allKinds);
  expect(await redis.sMembers(keys.of(PARTITION, 'conflict'))).toEqual([KEY]);
  await index.readAll(PARTITION, 5n, [KEY]);
  await index.write({ partition: PARTITION, from: 5n, to: 6n, orders: [open], hash: 'hash', redirectHtml: [] });
  expect(await redis.exists(keys.of(PARTITION, 'conflict'))).toBe(0);
});

it('has a clock that travels with ours', async () => {
  const traveller = process(86_400_000);
  const there = await waitFor(() => traveller.timeMs().catch(() => undefined), { timeoutMs: 30_000, what: 'Redis' });
  expect(Math.abs(there - (await index.timeMs()) - 86_400_000)).toBeLessThan(10_000);
});

/** Losses of one entry that leave the marker in place. */
const LOSSES: [string, () => Promise<unknown>][] = [
  ['an order', () => redis.hDel(keys.of(PARTITION, 'orders'), KEY)],
  ['the set of open orders', () => redis.unlink(keys.of(PARTITION, 'open'))],
  ['the set of orders in doubt', () => redis.unlink(keys.of(PARTITION, 'doubt'))],
  ['the set of orders with a conflict', () => redis.unlink(keys.of(PARTITION, 'conflict'))],
  ['the timers', () => redis.unlink(keys.of(PARTITION, 'timers'))],
];
const conflicting = open.operations.map((operation) => ({
  ...operation,
  conflictingReports: [{ result: 'succeeded' as const, attempt: 1 }],
}));
const allKinds = { ...open, operations: [...conflicting, ...doubtful.operations] };

it.each(LOSSES)(
  'counts as lost, and is no beginning of another write, when %s is gone: not "never seen"',
  async (_what, lose) => {
    await built(5n, allKinds);
    await index.readAll(PARTITION, 5n, [KEY]);
    await lose();
    expect([await other.read(KEY), await other.openOrders(PARTITION), (await other.markers()).get(PARTITION)]).toEqual([
      {},
      { orderKeys: [] },
      undefined,
    ]);
    expect(await other.dueOrders(PARTITION, Number.MAX_SAFE_INTEGER, 9)).toBeUndefined();
    const write = { partition: PARTITION, from: 5n, to: 6n, orders: [doubtful], hash: 'hash', redirectHtml: [] };
    await expect(index.write(write)).rejects.toThrow(MarkerMovedError);
    await expect(index.readAll(PARTITION, 5n, [KEY])).rejects.toThrow(MarkerMovedError);
    await built(5n, open);
    expect(await other.read(KEY)).toEqual({ order: open, marker: 5n });
  },
);

it('is never finished when something took away what its rebuild wrote', async () => {
  const rebuild = await index.beginRebuild(PARTITION, undefined);
  await rebuild?.write([open], []);
  await redis.unlink(keys.of(PARTITION, 'orders'));
  await expect(rebuild?.finish(7n)).rejects.toThrow(MarkerMovedError);
  await flush();
});

it('stays as it is where an instance with wrong keys reads it, which is told to check them; only the one that projects the partition drops it', async () => {
  const keyOf = (byte: number) => readIndexKeys(`one:${Buffer.alloc(32, byte).toString('base64')}`);
  const [right, wrong] = [process(0, keyOf(1)), process(0, keyOf(2))];
  const isThere = () => Promise.all([right.markers(), wrong.markers()]).then(() => true, () => false); // prettier-ignore
  await waitFor(isThere, { timeoutMs: 30_000, what: 'Redis' });
  const rebuild = await right.beginRebuild(PARTITION, undefined);
  await rebuild?.write([open], []);
  await rebuild?.finish(5n);
  await expect(wrong.read(KEY)).rejects.toThrow('INDEX_HMAC_KEYS');
  expect([await wrong.openOrders(PARTITION), (await wrong.markers()).size]).toEqual([{ orderKeys: [] }, 0]);
  await expect(wrong.readAll(PARTITION, 5n, [KEY])).rejects.toThrow(MarkerMovedError);
  expect(await wrong.beginRebuild(PARTITION, undefined)).toBeUndefined();
  expect(await right.read(KEY)).toEqual({ order: open, marker: 5n });

  await right.dropUnverified(PARTITION);
  expect(await right.read(KEY)).toEqual({ order: open, marker: 5n });
  await wrong.dropUnverified(PARTITION);
  expect(await right.read(KEY)).toEqual({});
});

it.each([
  ['no JSON', '{"merchant":'],
  ['a state of another order', JSON.stringify({ ...open, orderId: 'other' })],
  ['no state', '{}'],
])('is not read, and counts as lost, where it holds %s', async (_what, text) => {
  await built(5n, open);
  await redis.hSet(keys.of(PARTITION, 'orders'), KEY, text);
  expect(await other.read(KEY)).toEqual({});
  expect((await other.markers()).get(PARTITION)).toBeUndefined();
  await built(5n, open);
  expect(await other.read(KEY)).toEqual({ order: open, marker: 5n });
});
