import {
  emptyOrder,
  OwnedJournal,
  RULES_VERSION,
  type OwnedJournalParts,
  type OrderState,
  type PartitionOwner,
} from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import type { ServiceLogger } from '@tranche/service-kit';
import type { Clock } from '../clock.js';
import type { JournalTopic } from './journal-topic.service.js';
import { Journal } from './journal.service.js';
import type { OrderIndexStore } from './order-index.store.js';

const order = emptyOrder('shop-fr', 'o');
type IndexRead = { order?: OrderState; marker?: bigint } | Error;

/** A journal whose index answers `reads` in turn, the last one for ever. A sleep passes time at once; 5 s are over after 100 sleeps of 50 ms. */
function journal(...reads: IndexRead[]) {
  const asked: string[] = [];
  const index = {
    read: (key: string) => {
      asked.push(key);
      const read = reads[Math.min(asked.length, reads.length) - 1]!;
      return read instanceof Error ? Promise.reject(read) : Promise.resolve(read);
    },
  };
  let nowMs = 0;
  const due: { atMs: number; resolve: () => void }[] = [];
  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', abort, { once: true });
      due.push({ atMs: nowMs + ms, resolve: () => (signal?.removeEventListener('abort', abort), resolve()) });
      setImmediate(() => {
        const next = due.sort((one, other) => one.atMs - other.atMs).shift();
        nowMs = next?.atMs ?? nowMs;
        next?.resolve();
      });
    });
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep };
  const built = new Journal(
    new OwnedJournal({ rulesVersion: RULES_VERSION } as OwnedJournalParts),
    { stop: () => Promise.resolve() } as unknown as JournalTopic,
    index as unknown as OrderIndexStore,
    clock,
    silentLog as ServiceLogger,
  );
  const ownedBy = (...owners: (Partial<PartitionOwner> | undefined)[]) => {
    const ownerOf = jest.spyOn(built.view, 'ownerOf');
    for (const owner of owners) ownerOf.mockReturnValueOnce(owner as PartitionOwner | undefined);
  };
  return { journal: built, asked, ownedBy, nowMs: () => nowMs };
}

describe('the state after a record', () => {
  it('is read from the index, once its marker has passed the record', async () => {
    const { journal: one, asked } = journal({ marker: 6n }, {}, { marker: 7n, order });
    expect(await one.stateAfter('shop-fr', 'o', 7n)).toBe(order);
    expect(asked).toEqual(['shop-fr/o', 'shop-fr/o', 'shop-fr/o']);
  });

  it('comes from memory where this instance owns the partition', async () => {
    const { journal: one, asked, ownedBy } = journal({});
    ownedBy({ isServing: true });
    const waited = jest.spyOn(one.view, 'waitForRecordAfter').mockResolvedValue(order);
    expect(await one.stateAfter('shop-fr', 'o', 7n)).toBe(order);
    expect(waited).toHaveBeenCalledWith('shop-fr', 'o', 6n, expect.any(AbortSignal));
    expect(asked).toEqual([]);
  });

  it('comes from the index where the partition moves to another instance while it is awaited', async () => {
    const { journal: one, ownedBy } = journal({ marker: 7n, order });
    ownedBy({ isServing: true }, undefined);
    jest.spyOn(one.view, 'waitForRecordAfter').mockRejectedValue(new Error('not owned here any more'));
    expect(await one.stateAfter('shop-fr', 'o', 7n)).toBe(order);
  });

  it('is read though Redis was away for a moment', async () => {
    const { journal: one } = journal(new Error('Redis is away'), { marker: 7n, order });
    expect(await one.stateAfter('shop-fr', 'o', 7n)).toBe(order);
  });

  it('is not known where no owner folds the record within 5 s, and is asked for no longer', async () => {
    const { journal: one, asked, nowMs } = journal({ marker: 6n });
    expect(await one.stateAfter('shop-fr', 'o', 7n)).toBeUndefined();
    expect(nowMs()).toBe(5_000);
    const before = asked.length;
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toHaveLength(before);
  });

  it('is not known where the service stops meanwhile', async () => {
    const { journal: one } = journal({ marker: 6n });
    const state = one.stateAfter('shop-fr', 'o', 7n);
    await one.stop();
    expect(await state).toBeUndefined();
  });
});

describe('the orders that have a TRANSACTIONID', () => {
  const named: OrderState = {
    ...order,
    orderId: 'a',
    external: [{ result: 'succeeded', transactionId: 'T-1', offset: '1' }],
  };
  const ends = new Map([[0, { low: 0n, high: 8n }], [1, { low: 0n, high: 0n }]]); // prettier-ignore

  const missing = { partition: 2, code: 'being_built', detail: 'it is being built' } as const;

  function asking(...markers: (bigint | 'unread')[]) {
    const { journal: one, nowMs } = journal();
    const { topic, index } = one as unknown as { topic: Partial<JournalTopic>; index: Partial<OrderIndexStore> };
    topic.offsets = () => Promise.resolve(ends);
    let asked = 0;
    index.ordersOfTransaction = () => {
      const said = markers[Math.min(asked++, markers.length - 1)]!;
      const marker = said === 'unread' ? 7n : said;
      const found = new Map([
        [0, { marker, ...(marker < 7n ? {} : { orderId: 'a' }) }],
        [1, { marker: -1n, orderId: 'forgotten' }],
      ]);
      return Promise.resolve({ found, missing: said === 'unread' ? [missing] : [] });
    };
    index.read = (key) => Promise.resolve({ marker: 7n, ...(key === 'shop-fr/a' && { order: named }) });
    return { found: one.ordersOfTransaction('shop-fr', 'T-1'), nowMs };
  }

  it('are those that the index names once it has all that the journal had, and that have it', async () => {
    expect(await asking(5n, 6n, 'unread', 7n).found).toEqual({ orderIds: ['a'], missing: [] });
  });

  it('are told with the partition whose index stays behind the journal, or can not be read', async () => {
    const { found, nowMs } = asking(6n);
    expect(await found).toMatchObject({ orderIds: [], missing: [{ partition: 0, code: 'behind' }] });
    expect(nowMs()).toBeLessThan(6_000);
    expect(await asking('unread').found).toEqual({ orderIds: ['a'], missing: [missing] });
  });
});

describe('a read', () => {
  it('says which record of the partition the index has reached', async () => {
    expect(await journal({ marker: 7n, order }).journal.readAsOf('shop-fr', 'o')).toMatchObject({ order, offset: 7n });
  });

  it('says which record memory has reached, where this instance owns the partition', async () => {
    const { journal: one, ownedBy, asked } = journal({});
    ownedBy({ isServing: true, position: 9n, read: () => Promise.resolve(order) });
    expect(await one.readAsOf('shop-fr', 'o')).toMatchObject({ order, offset: 8n });
    expect(asked).toEqual([]);
  });
});
