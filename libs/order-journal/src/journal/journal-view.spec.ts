import { silentLog } from '@tranche/runtime';
import { fold } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { encodeRecord, recordHash, type Intent, type JournalRecord } from '../state/records.js';
import { journalPartition } from '../state/partition.js';
import { timerRecord } from '../timers/timer-watch.js';
import { JournalView } from './journal-view.js';

const PARTITION = journalPartition('shop-fr/o');
const DAY_MS = 86_400_000;
const inOrder = { rulesVersion: 4, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
const intent: Intent = {
  ...{ record: 'INTENT', ...inOrder, commandId: 'a', attempt: 1, token: 't' },
  ...{ operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' },
};

/** A journal in memory; `landing` says what the tail brings before the append is acknowledged. */
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
    },
    index: {
      read: () => Promise.resolve({ order: undefined, marker: undefined }),
      openOrders: () => Promise.resolve({ orderKeys: [], marker: undefined }),
    },
    timing,
    logger: silentLog,
    rulesVersion: 4,
  });
  return made;
}

const stateAfter = (records: JournalRecord[]): OrderState =>
  records.reduce(
    (order, record, at) => fold(order, record, BigInt(at), () => recordHash(encodeRecord(record))).order,
    emptyOrder('shop-fr', 'o'),
  );

it('takes a verdict as lost that was carried away before it was read, and stops no partition', async () => {
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
      timerRecord(stateAfter(records), { timer: 'carry', atMs: 0 }, months, { rulesVersion: 4, refundableDays: 400 }),
    );
  });
  await journal.begin(new Map([[PARTITION, { low: 0n, high: 0n }]]), new Map());
  await journal.read('shop-fr', 'o');
  const { after, verdict } = await journal.appendIntent(intent);
  expect([verdict, after.verdicts, after.carriedAt]).toEqual(['lost', [], new Date(months).toISOString()]);
  expect(journal.stoppedBecause).toBeUndefined();
});

it('stops the partition where the log that is read does not hold the INTENT', async () => {
  const journal = view((_view, _record, bring) => bring({ ...intent, token: 'of another', commandId: 'b' }));
  await journal.begin(new Map([[PARTITION, { low: 0n, high: 0n }]]), new Map());
  await journal.read('shop-fr', 'o');
  await expect(journal.appendIntent(intent)).rejects.toThrow('the journal was replaced');
  expect(journal.stoppedBecause).toContain(`partition ${PARTITION} is stopped`);
});
