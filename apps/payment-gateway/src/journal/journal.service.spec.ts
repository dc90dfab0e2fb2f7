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
