import { answered, asked } from '../../test/order-story.js';
import { journalOf, projection, recordsOf } from '../../test/projector-world.js';
import { JournalReplacedError } from '../journal/journal-faults.js';
import { fold } from '../state/fold.js';
import { historyOf } from '../state/history.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { type JournalRecord, recordHash } from '../state/records.js';

/** Authorized and captured. The gateway took the capture's reference from the order, and its INTENT names the history it had seen. */
function capturedOnce(): JournalRecord[] {
  const journal: JournalRecord[] = [asked('authorize'), answered('authorize', '0000')];
  let order: OrderState = emptyOrder('shop-fr', 'order-1');
  journal.forEach((record, at) => (order = fold(order, record, BigInt(at)).order));
  const capture = { ...asked('capture'), seen: historyOf(order) };
  return [...journal, capture, answered('capture', '0000')];
}

/** The index as rebuilt from a journal that begins at this offset, and the events of one more batch. */
async function rebuiltAt(first: bigint, journal: JournalRecord[], more: JournalRecord[] = [], epoch = 0) {
  const next = first + BigInt(journal.length);
  const reader = journalOf([...journal, ...more], undefined, next + BigInt(more.length), first);
  const { index, published, assign } = projection({ journal: reader, epoch });
  const assigned = assign();
  await assigned.startOffset(next, first);
  await assigned.restore();
  await assigned.project(recordsOf(next, ...more));
  return { order: index.orders.get('shop-fr/order-1')!, published };
}

const secondCapture = asked('capture-2');

it('a journal that was mirrored with offsets shifted by 5 grants no second capture after a rebuild', async () => {
  const { order } = await rebuiltAt(5n, capturedOnce(), [secondCapture]);
  expect(order.verdicts).toEqual([
    ['authorize#1', 'granted'],
    ['capture#1', 'granted'],
    ['capture-2#1', 'rejected'],
  ]);
});

it('a moved journal gives the same event ids, and higher sequences under its epoch', async () => {
  const more = [secondCapture];
  const [before] = (await rebuiltAt(7n, capturedOnce(), more)).published;
  const [after] = (await rebuiltAt(0n, capturedOnce(), more, 1)).published;
  expect(after).toMatchObject({ id: before!.id, type: before!.type, data: before!.data });
  expect(after!.sequence! > before!.sequence!).toBe(true);
});

describe('an index whose journal holds another record at its marker', () => {
  const journal = capturedOnce();
  const at = async (hash: string | undefined, marker = 3n, first = 0n) => {
    const { index, assign } = projection({ journal: journalOf(journal, undefined, 4n, first) });
    Object.assign(index, { marker, hash });
    return assign().startOffset(undefined, first);
  };
  const hashAt = (offset: number) => recordHash(recordsOf(0n, ...journal)[offset]!.value);

  it.each([
    ['the same record', hashAt(3), 3n],
    ['a record whose hash is not known', undefined, 3n],
    ['a record before the end', hashAt(1), 1n],
  ])('goes on behind %s', async (_what, hash, marker) => {
    expect(await at(hash, marker)).toBe(marker + 1n);
  });

  it('continues where retention deleted the record', async () => {
    expect(await at('another', 2n, 3n)).toBe(3n);
  });

  it('stops at another one', async () => {
    await expect(at('another')).rejects.toThrow(JournalReplacedError);
  });

  it('stops where it has to catch up', async () => {
    const { index, assign } = projection({ journal: journalOf(journal, undefined, 4n) });
    const assigned = assign();
    await assigned.startOffset(undefined, 0n);
    await assigned.project(recordsOf(0n, ...journal));
    index.hash = 'another';
    index.marker = 1n;
    await expect(assigned.restore()).rejects.toThrow(JournalReplacedError);
  });
});
