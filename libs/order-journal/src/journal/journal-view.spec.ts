import { silentLog } from '@tranche/runtime';
import { journalPartition } from './journal-partition.js';
import { fold } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { encodeRecord, type Intent, type JournalRecord, recordHash } from '../state/records.js';
import { timerRecord } from '../timers/timer-watch.js';
import { JournalView } from './journal-view.js';

const PARTITION = journalPartition('shop-fr/o');
const DAY_MS = 86_400_000;
const inOrder = { rulesVersion: 1, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
const intent: Intent = {
  ...{ record: 'INTENT', ...inOrder, commandId: 'a', attempt: 1, token: 't' },
  ...{ operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' },
};

/** A journal in memory. `landing` decides which records the tail reads before the append is acknowledged. */
function view(landing: (view: JournalView, record: JournalRecord, bring: (record: JournalRecord) => void) => void) {
  const timing = { nowMs: () => Date.parse(inOrder.at), monotonicMs: () => 0, sleep: () => Promise.resolve() };
  let next = 0n;
  const bring = (record: JournalRecord) =>
    made.take(PARTITION, [{ key: 'shop-fr/o', offset: next++, value: encodeRecord(record) }]);
  const made = new JournalView({
    log: {
      append: (record) => {
        const offset = next;
        landing(made, record, bring);
        return Promise.resolve(offset);
      },
      end: () => Promise.resolve(next),
    },
    index: {
      read: () => Promise.resolve({ order: undefined, marker: undefined }),
      openOrders: () => Promise.resolve({ orderKeys: [], marker: undefined }),
    },
    timing,
    logger: silentLog,
    rulesVersion: 1,
  });
  return made;
}

const stateAfter = (records: JournalRecord[]): OrderState =>
  records.reduce(
    (order, record, at) => fold(order, record, BigInt(at), () => recordHash(encodeRecord(record))).order,
    emptyOrder('shop-fr', 'o'),
  );

it('takes a verdict as lost that a snapshot dropped before it was read, and stops no partition', async () => {
  const answer = { execCode: '4001', message: 'refused' };
  const ended: JournalRecord[] = [
    { ...intent, token: 'before' },
    { record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 'before', result: 'refused', answer },
  ];
  const months = Date.parse(inOrder.at) + 60 * DAY_MS;
  const journal = view((_view, record, bring) => {
    const records = [...ended, record];
    records.forEach(bring);
    bring(
      timerRecord(stateAfter(records), { timer: 'snapshot', atMs: 0 }, months, {
        rulesVersion: 1,
        refundableDays: 400,
      }),
    );
  });
  await journal.begin(new Map([[PARTITION, { low: 0n, high: 0n }]]), new Map());
  await journal.read('shop-fr', 'o');
  const { after, verdict } = await journal.appendIntent(intent);
  expect([verdict, after.verdicts, after.snapshotAt]).toEqual(['lost', [], new Date(months).toISOString()]);
  expect(journal.stoppedBecause).toBeUndefined();
});

it('stops the partition where the log that is read does not hold the INTENT', async () => {
  const journal = view((_view, _record, bring) => bring({ ...intent, token: 'of another', commandId: 'b' }));
  await journal.begin(new Map([[PARTITION, { low: 0n, high: 0n }]]), new Map());
  await journal.read('shop-fr', 'o');
  await expect(journal.appendIntent(intent)).rejects.toThrow('the journal was replaced');
  expect(journal.stoppedBecause).toContain(`partition ${PARTITION} is stopped`);
});

describe('a log that gives offsets once more', () => {
  /** A view whose tail has read offsets 0 to 9. */
  async function readTo10(append: () => Promise<bigint>) {
    const changed: [number, string][] = [];
    const journal = new JournalView({
      log: { append, end: () => Promise.resolve(10n) },
      index: {
        read: () => Promise.resolve({ order: undefined, marker: undefined }),
        openOrders: () => Promise.resolve({ orderKeys: [] }),
      },
      timing: { nowMs: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve() },
      ...{ logger: silentLog, rulesVersion: 1 },
      onLogChanged: (partition, why) => void changed.push([partition, why]),
    });
    await journal.begin(new Map([[PARTITION, { low: 0n, high: 0n }]]), new Map());
    const repeated = { record: 'REPEATED', ...inOrder, commandId: 'nobody' } as const;
    const entry = (offset: bigint) => ({ key: 'shop-fr/o', offset, value: encodeRecord(repeated) });
    journal.take(
      PARTITION,
      Array.from({ length: 10 }, (_, offset) => entry(BigInt(offset))),
    );
    return { journal, changed, repeated };
  }

  it('is another one: the partition stops at the first record of this process that lands in it', async () => {
    const { journal, changed, repeated } = await readTo10(() => Promise.resolve(7n));
    expect(await journal.append(repeated)).toBe(7n);
    const why = 'a record was appended at offset 7, and the log had been read to 10 before';
    expect(changed).toEqual([[PARTITION, why]]);
    expect(journal.stopped.get(PARTITION)).toContain(why);
    await expect(journal.appendAndRead(repeated)).rejects.toThrow('is stopped');
  });

  it('is reported to the projector also where the partition had stopped at an unreadable record', async () => {
    const { journal, changed } = await readTo10(() => Promise.resolve(10n));
    journal.take(PARTITION, [{ key: 'shop-fr/o', offset: 10n, value: Buffer.from('no record') }]);
    expect(changed).toEqual([]);
    journal.stop(PARTITION, 'the log begins anew');
    expect(changed).toEqual([[PARTITION, 'the log begins anew']]);
  });

  it('is the same where the tail was faster than the answer', async () => {
    const { journal, repeated } = await readTo10(() => {
      const value = encodeRecord({ record: 'REPEATED', ...inOrder, commandId: 'nobody' });
      journal.take(PARTITION, [{ key: 'shop-fr/o', offset: 10n, value }]);
      return Promise.resolve(10n);
    });
    expect(await journal.append(repeated)).toBe(10n);
    expect(journal.stopped.size).toBe(0);
  });
});
