import { inOrder, intent, recordsOf, redirect, repeated } from '../../test/journal-records.js';
import { MarkerMovedError } from '../journal/ports.js';
import { foldStored, readEntry } from '../journal/record-fold.js';
import { COMMAND_TIME_HEADER } from '../projection/published-event.js';
import { historyOf } from '../state/history.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';
import { batchOf, type ReadRecord } from './published-batch.js';

const KEY = 'shop-fr/o';
const outcome: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'refused', answer: {} },
};

const unfolded = (offset: bigint, ...records: JournalRecord[]): ReadRecord[] =>
  recordsOf(offset, ...records).map((entry) => ({ ...readEntry(entry), headers: entry.headers!, bytes: 1 }));

/** Records whose order was in memory when they were read. */
function folded(offset: bigint, ...records: JournalRecord[]): ReadRecord[] {
  let order: OrderState = emptyOrder(inOrder.merchant, inOrder.orderId);
  return unfolded(offset, ...records).map((stored) => {
    const known = foldStored(order, stored);
    order = known.order;
    return { ...stored, folded: known };
  });
}

/** The batch of these records, and what was asked of the index, which holds these orders. */
async function batch(
  records: readonly ReadRecord[],
  { publishFrom = 0n, epoch = 2, held = [] }: { publishFrom?: bigint; epoch?: number; held?: OrderState[] } = {},
) {
  const asked: unknown[] = [];
  const index = {
    readAll: (partition: number, marker: bigint, keys: string[]) => {
      asked.push([partition, marker, ...keys]);
      return Promise.resolve(keys.map((_key, at) => held[at]));
    },
    redirectHtml: () => Promise.resolve(undefined),
  };
  const from = { partition: 7, next: records[0]!.offset, publishFrom, epoch };
  return { asked, made: await batchOf(index, records, from, (ask) => ask()) };
}

describe('a batch', () => {
  it('of orders that were in memory is made without the index', async () => {
    const { asked, made } = await batch(folded(5n, intent, outcome));
    expect(asked).toEqual([]);
    expect(made.orders.map(({ operations }) => operations[0]!.end)).toEqual(['refused']);
  });

  it('reads from the index, right before its first record, each order once that was not in memory', async () => {
    const another: JournalRecord = { ...intent, orderId: 'another' };
    const third: JournalRecord = { ...intent, orderId: 'third' };
    const { asked, made } = await batch([...folded(5n, intent), ...unfolded(6n, another, third, repeated, third)]);
    expect(asked).toEqual([[7, 4n, 'shop-fr/another', 'shop-fr/third']]);
    expect(made.orders.map(({ orderId }) => orderId)).toEqual(['o', 'another', 'third']);
  });

  it('reads an order whose first record was not in memory, though a later one was', async () => {
    const [, second] = folded(5n, intent, outcome);
    const { asked } = await batch([...unfolded(5n, intent), second!]);
    expect(asked).toEqual([[7, 4n, KEY]]);
  });

  it('folds its records on the state that the index holds', async () => {
    const [first] = folded(0n, intent);
    const { made } = await batch(unfolded(1n, outcome), { held: [first!.folded!.order] });
    expect(made.orders.map(({ operations }) => operations.map(({ end }) => end))).toEqual([['refused']]);
    expect(made.events.map(({ type }) => type)).toEqual(['payment.authorize.refused']);
  });

  it('of records without events holds nothing but the state, the last offset and its hash', async () => {
    const records = folded(5n, intent);
    const { made } = await batch(records);
    expect(made).toEqual({
      ...{ to: 5n, hash: records[0]!.hash, orders: [records[0]!.folded!.order] },
      ...{ events: [], published: [], redirectHtml: [], mismatches: [] },
    });
  });

  it('is refused with what the index says where it is not there any more', async () => {
    const index = {
      readAll: () => Promise.reject(new MarkerMovedError('moved')),
      redirectHtml: () => Promise.resolve(undefined),
    };
    const made = batchOf(index, unfolded(0n, intent), { partition: 7, next: 0n, publishFrom: 0n }, (ask) => ask());
    await expect(made).rejects.toThrow(MarkerMovedError);
  });
});

describe('the events of a batch', () => {
  it('tell the epoch, the trace of their record, and the time of its command', async () => {
    const [first, second] = folded(0n, intent, outcome);
    const headers = { ...second!.headers, [COMMAND_TIME_HEADER]: '1700000000000' };
    const { made } = await batch([first!, { ...second!, headers }]);
    const [event] = made.events;
    expect(event).toMatchObject({ causationid: 'a', traceparent: '00-a-b-01' });
    const earlier = await batch([first!, second!], { epoch: 1 });
    expect(event!.sequence! > earlier.made.events[0]!.sequence!).toBe(true);
    expect(made.published).toEqual([{ event, commandTimeMs: 1_700_000_000_000 }]);
  });

  it('hold a repeat, which does not count as published', async () => {
    const { made } = await batch(folded(0n, intent, redirect, repeated));
    expect(made.events.map(({ data }) => data.redirectHtml)).toEqual(['PGE+', 'PGE+']);
    expect(made.published).toEqual([{ event: made.events[0] }]);
  });

  it('begin at the first record whose events were not acknowledged, and a page is kept all the same', async () => {
    const records = folded(0n, intent, redirect);
    const page = { orderKey: KEY, commandId: 'a', html: 'PGE+', lifetimeMs: 86_400_000 };
    const before = await batch(records, { publishFrom: 2n });
    expect([before.made.events, before.made.published, before.made.redirectHtml]).toEqual([[], [], [page]]);
    const from = await batch(records, { publishFrom: 1n });
    expect([from.made.events.length, from.made.redirectHtml]).toEqual([1, [page]]);
  });

  it('leave out a repeat whose page is missing', async () => {
    const [, , last] = folded(0n, intent, redirect, repeated);
    const { made } = await batch([last!]);
    expect([made.events, made.published, made.redirectHtml]).toEqual([[], [], []]);
  });
});

describe('the pages of a batch', () => {
  it('are none where no answer brought one', async () => {
    expect((await batch(folded(0n, intent, outcome))).made.redirectHtml).toEqual([]);
  });

  it('have an empty command where their event names none', async () => {
    const [, second] = folded(0n, intent, redirect);
    const { order, effects } = second!.folded!;
    const nameless = effects.map(({ event }) => {
      const { commandId: _commandId, ...body } = event.body;
      return { event: { ...event, body } };
    });
    const { made } = await batch([{ ...second!, folded: { order, effects: nameless } }]);
    expect(made.redirectHtml.map(({ commandId }) => commandId)).toEqual(['']);
  });
});

it('reports a snapshot that differs from the records of its order, once', async () => {
  const { order } = folded(0n, intent, outcome)[1]!.folded!;
  const state = { ...snapshotOf(order, inOrder.at), movedAt: '2026-03-02T10:00:00.000Z' };
  const snapshot: JournalRecord = { record: 'SNAPSHOT', ...inOrder, seen: historyOf(order), state };
  const { made } = await batch(unfolded(0n, intent, outcome, snapshot));
  expect(made.mismatches.map(({ orderId, fields }) => [orderId, fields])).toEqual([['o', ['movedAt']]]);
});
