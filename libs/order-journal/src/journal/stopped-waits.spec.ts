import { silentLog } from '@tranche/runtime';
import { journalPartition } from './journal-partition.js';
import { encodeRecord, type Intent, type Outcome } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';
import { JournalView } from './journal-view.js';

const PARTITION = journalPartition('shop-fr/o');
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
const intent: Intent = {
  ...{ record: 'INTENT', ...inOrder, commandId: 'a', attempt: 1, token: 't' },
  ...{ operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' },
};
const outcome: Outcome = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'refused', answer: {} },
};

/** A view whose partition stopped while a call of an order in memory was in flight. */
async function stoppedView() {
  let next = 0n;
  const view = new JournalView({
    log: { append: () => Promise.resolve(next++), end: () => Promise.resolve(next) },
    index: { read: () => Promise.resolve({}), openOrders: () => Promise.resolve({ orderKeys: [] }) },
    timing: { nowMs: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve() },
    ...{ logger: silentLog, rulesVersion: RULES_VERSION },
  });
  await view.begin(new Map([[PARTITION, { low: 0n, high: 0n }]]), new Map());
  await view.read('shop-fr', 'o');
  const granted = view.appendIntent(intent);
  await new Promise(setImmediate);
  view.take(PARTITION, [{ key: 'shop-fr/o', offset: 0n, value: encodeRecord(intent) }]);
  await granted;
  view.take(PARTITION, [{ key: 'shop-fr/p', offset: next++, value: Buffer.from('no record') }]);
  return view;
}

it('a record of a stopped partition is not waited for, also where its order is in memory', async () => {
  const view = await stoppedView();
  await expect(view.appendWithRetry(outcome)).rejects.toThrow('is stopped');
  await expect(view.appendAndRead(outcome)).rejects.toThrow('is stopped');
  await expect(view.appendIntent({ ...intent, token: 'u' })).rejects.toThrow('is stopped');
});
