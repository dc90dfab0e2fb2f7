import {
  inOrder,
  intent,
  redirect,
  repeated,
  recordsOf,
  journalOf,
  projection,
  typesOf,
  orders,
} from '../../test/projector-world.js';
import { fold } from '../state/fold.js';
import { historyOf } from '../state/history.js';
import { emptyOrder } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';

it('rebuilds the index and publishes what was missed when a batch begins above what was projected', async () => {
  const redirected = orders.flatMap((record): JournalRecord[] => [record, { ...redirect, orderId: record.orderId }]);
  const { index, published, logged, assign } = projection({ journal: journalOf(redirected) });
  const assigned = assign();
  await assigned.startOffset(undefined, 0n);
  await assigned.project(recordsOf(0n, ...redirected.slice(0, 2)));
  // A wrong state that an older release left under its marker.
  index.orders.clear();
  await assigned.project(recordsOf(6n, ...redirected.slice(6)));
  expect([index.orders.size, index.marker]).toEqual([5, 9n]);
  expect(published.map(({ subject }) => subject)).toEqual(orders.map(({ orderId }) => `shop-fr/${orderId}`));
  expect(logged).toEqual([
    'Records before this batch were never projected: the index is rebuilt and their events are published',
  ]);
});

it('takes a gap in the offsets for what it is', async () => {
  const { index, published, logged, assign } = projection({ journal: journalOf([intent]) });
  const assigned = assign();
  await assigned.startOffset(undefined, 0n);
  await assigned.project(recordsOf(0n, intent));
  await assigned.project(recordsOf(5n, redirect));
  expect([typesOf(published), index.marker, logged]).toEqual([['authorize.redirect_required'], 5n, []]);
});

describe('an index that lost what it held', () => {
  const journal = [intent, redirect];
  const lost = async (change: Parameters<typeof projection>[0] = {}) => {
    const made = projection({ journal: journalOf(journal), ...change });
    await made.startOffset(undefined, 0n);
    await made.project(recordsOf(0n, ...journal));
    made.published.length = 0;
    made.index.lose();
    return made;
  };

  it('is built anew before anything is projected on top of it, and nothing is published twice', async () => {
    const { index, published, project } = await lost();
    await project(recordsOf(2n, repeated));
    expect([typesOf(published), index.marker, index.orders.size]).toEqual([['authorize.redirect_required'], 2n, 1]);
  });

  it('has no marker before its rebuild has ended', async () => {
    const { index, rebuilt, project } = await lost();
    await project(recordsOf(2n, repeated));
    expect(index.seen.every((marker) => marker === undefined)).toBe(true);
    expect(rebuilt.map(({ remaining }) => remaining)).toEqual([1, 0]);
  });

  it('is found though no record comes', async () => {
    const { index, projector } = await lost();
    await projector.poll();
    await waitFor(() => index.marker === 1n);
    expect(projector.restoring).toEqual([]);
  });

  it('is built anew once more when it is lost during its rebuild', async () => {
    let losses = 1;
    const made = await lost({
      journal: journalOf(journal, (offset) => offset === 1n && losses-- > 0 && made.index.lose()),
    });
    await made.project(recordsOf(2n, repeated));
    expect([made.index.marker, made.index.orders.size, losses < 0]).toEqual([2n, 1, true]);
  });

  it('waits for the process that is at it', async () => {
    const { index, projector, project } = await lost();
    index.isRebuiltElsewhere = true;
    const projected = project(recordsOf(2n, repeated));
    await waitFor(() => projector.restoring.length === 1);
    index.marker = 1n;
    await projected;
    expect(index.marker).toBe(2n);
  });

  it('keeps REDIRECTHTML for what is left of its day', async () => {
    const old = await lost({ nowMs: Date.parse(inOrder.at) + 86_400_000 });
    await old.project(recordsOf(2n, repeated));
    expect(old.published[0]?.data).toMatchObject({ redirectHtmlDropped: true });
    const young = await lost({ nowMs: Date.parse(inOrder.at) + 86_399_999 });
    await young.project(recordsOf(2n, repeated));
    expect(young.published[0]?.data).toMatchObject({ redirectHtml: 'PGE+' });
  });

  it('catches up from where it is when an older one came back', async () => {
    const { index, published, rebuilt, project } = await lost();
    index.marker = 0n;
    index.orders.set('shop-fr/o', fold(emptyOrder('shop-fr', 'o'), intent, 0n).order);
    await project(recordsOf(2n, repeated));
    expect([typesOf(published), index.marker, rebuilt]).toEqual([['authorize.redirect_required'], 2n, []]);
  });

  it('is left alone once the projector is closed', async () => {
    const { index, projector, project } = await lost();
    projector.close();
    await expect(project(recordsOf(2n, repeated))).rejects.toThrow('closing');
    expect(index.marker).toBeUndefined();
  });
});

it('begins behind what was published and builds the index of what lies before', async () => {
  const { published, index, startOffset, project } = projection({ journal: journalOf([intent, redirect]) });
  expect(await startOffset(1n, 0n)).toBe(1n);
  await project(recordsOf(1n, redirect));
  expect([typesOf(published), index.orders.size, index.marker]).toEqual([['authorize.redirect_required'], 1, 1n]);
});

it('takes an order that was forgotten out of the index', async () => {
  const { index, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  const refused = { ...redirect, result: 'refused' } as JournalRecord;
  await project(recordsOf(0n, intent, refused));
  expect(index.orders.size).toBe(1);
  const order = index.orders.get('shop-fr/o')!;
  const at = new Date(Date.parse(inOrder.at) + 36 * 86_400_000).toISOString();
  await project(recordsOf(2n, { record: 'TOMBSTONE', ...inOrder, at, seen: historyOf(order), refundableDays: 35 }));
  expect([index.orders.size, index.marker]).toEqual([0, 2n]);
});

/** More orders than a rebuild holds in memory; each has a second record after all first ones. */
it('rebuilds more orders than it holds in memory', async () => {
  const count = 5_000;
  const ofOrder = (record: JournalRecord, at: number): JournalRecord => ({ ...record, orderId: `o-${at}` });
  const records = [intent, redirect].flatMap((record) => Array.from({ length: count }, (_, at) => ofOrder(record, at)));
  const until = BigInt(records.length);
  const { index, startOffset } = projection({ journal: journalOf(records, undefined, until) });
  await startOffset(until, 0n);
  await waitFor(() => index.marker === until - 1n);
  const phases = new Set([...index.orders.values()].map(({ operations }) => operations[0]?.phase));
  expect([index.orders.size, [...phases]]).toEqual([count, ['redirect_required']]);
});

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
