import { answered, asked } from '../../test/order-story.js';
import { OneOwner } from '../../test/one-owner.js';
import { fold } from '../state/fold.js';
import { historyOf } from '../state/history.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';

/** Authorized and captured. The gateway took the capture's reference from the order, and its INTENT names the history it had seen. */
function capturedOnce(): JournalRecord[] {
  const journal: JournalRecord[] = [asked('authorize'), answered('authorize', '0000')];
  let order: OrderState = emptyOrder('shop-fr', 'order-1');
  journal.forEach((record, at) => (order = fold(order, record, BigInt(at)).order));
  const capture = { ...asked('capture'), seen: historyOf(order) };
  return [...journal, capture, answered('capture', '0000')];
}

/** The index as rebuilt from a journal that begins at this offset, and the events of one more record. */
async function rebuiltAt(low: bigint, records: JournalRecord[], more: JournalRecord, epoch = 0) {
  const one = await new OneOwner({
    records,
    low,
    committed: low + BigInt(records.length),
    epoch: () => epoch,
  }).settled();
  one.append(more);
  const { index, published } = await one.settled();
  return { order: index.orders.get('shop-fr/order-1')!, published };
}

const secondCapture = asked('capture-2');

it('a journal that was mirrored with offsets shifted by 5 grants no second capture after a rebuild', async () => {
  const { order } = await rebuiltAt(5n, capturedOnce(), secondCapture);
  expect(order.verdicts).toEqual([
    ['authorize#1', 'granted'],
    ['capture#1', 'granted'],
    ['capture-2#1', 'rejected'],
  ]);
});

it('a moved journal gives the same event ids, and higher sequences under its epoch', async () => {
  const more = secondCapture;
  const [before] = (await rebuiltAt(7n, capturedOnce(), more)).published;
  const [after] = (await rebuiltAt(0n, capturedOnce(), more, 1)).published;
  expect(after).toMatchObject({ id: before!.id, type: before!.type, data: before!.data });
  expect(after!.sequence! > before!.sequence!).toBe(true);
});
