import { silentLog } from '@tranche/runtime';
import { journalPartition } from './journal-partition.js';
import { findOperation } from '../state/order-state.js';
import { encodeRecord, type Intent } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';
import { JournalView } from './journal-view.js';

const PARTITION = journalPartition('shop-fr/o');
const intentOf = (orderId: string): Intent => ({
  ...{ record: 'INTENT', rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId, at: '2026-03-01T10:00:00.000Z' },
  ...{ commandId: 'a', attempt: 1, token: `token of ${orderId}` },
  ...{ operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' },
});
const entry = (offset: bigint, orderId: string) => ({
  key: `shop-fr/${orderId}`,
  offset,
  value: encodeRecord(intentOf(orderId)),
});

/** A view whose log ends at `end` and whose tail has read nothing. */
async function viewOf(end: () => Promise<bigint>) {
  const view = new JournalView({
    log: { append: () => Promise.reject(new Error('nothing is appended')), end },
    index: { read: () => Promise.resolve({}), openOrders: () => Promise.resolve({ orderKeys: [] }) },
    timing: { nowMs: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve() },
    ...{ logger: silentLog, rulesVersion: RULES_VERSION },
  });
  await view.begin(new Map([[PARTITION, { low: 0n, high: 0n }]]), new Map());
  return view;
}

/** True where the promise is not settled yet. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  await new Promise(setImmediate);
  const pending = Symbol();
  return (await Promise.race([promise.catch(() => undefined), Promise.resolve(pending)])) === pending;
}

const never = new AbortController().signal;

it('an order is read to the end of its log: records that the tail has not read are waited for, whatever order they are of', async () => {
  const view = await viewOf(() => Promise.resolve(2n));
  const read = view.readToEnd('shop-fr', 'o', never);
  expect(await isPending(read)).toBe(true);
  expect(findOperation(await view.read('shop-fr', 'o'), 'a')).toBeUndefined();
  view.take(PARTITION, [entry(0n, 'o')]);
  expect(await isPending(read)).toBe(true);
  view.take(PARTITION, [entry(1n, 'another of the partition')]);
  expect(findOperation(await read, 'a')?.phase).toBe('open');
});

it('is read at once where the tail is at the end', async () => {
  const view = await viewOf(() => Promise.resolve(1n));
  view.take(PARTITION, [entry(0n, 'o')]);
  expect(findOperation(await view.readToEnd('shop-fr', 'o', never), 'a')?.phase).toBe('open');
});

it('rejects where the partition is stopped before the tail has reached the end', async () => {
  const view = await viewOf(() => Promise.resolve(1n));
  const read = view.readToEnd('shop-fr', 'o', never);
  expect(await isPending(read)).toBe(true);
  view.stop(PARTITION, 'the log begins anew');
  await expect(read).rejects.toThrow('the log begins anew');
  await expect(view.readToEnd('shop-fr', 'o', never)).rejects.toThrow('the log begins anew');
});

it('is abandoned by its signal, also while the log’s end is not known', async () => {
  for (const end of [() => Promise.resolve(1n), () => new Promise<bigint>(() => undefined)]) {
    const view = await viewOf(end);
    const given = new AbortController();
    const read = view.readToEnd('shop-fr', 'o', given.signal);
    expect(await isPending(read)).toBe(true);
    given.abort(new Error('the partition is given back'));
    await expect(read).rejects.toThrow('the partition is given back');
    await expect(view.readToEnd('shop-fr', 'o', given.signal)).rejects.toThrow('the partition is given back');
  }
});

it('rejects where the log’s end can not be read', async () => {
  const view = await viewOf(() => Promise.reject(new Error('Kafka is away')));
  await expect(view.readToEnd('shop-fr', 'o', never)).rejects.toThrow('Kafka is away');
});
