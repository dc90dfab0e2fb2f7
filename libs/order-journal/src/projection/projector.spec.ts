import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import { silentLog } from '@tranche/runtime';
import { fold } from '../state/fold.js';
import type { RebuildProgress } from './index-rebuild.js';
import { emptyOrder, isEmptyOrder, type OrderState } from '../state/order-state.js';
import {
  MarkerMovedError,
  type JournalEntry,
  type JournalReader,
  type OrderIndex,
  type Projection,
  type Rebuild,
} from '../journal/ports.js';
import type { PartitionProjection } from './partition-projection.js';
import { Projector } from './projector.js';
import { encodeRecord, RULES_VERSION, type JournalRecord } from '../state/records.js';

const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: 'h' } as const;
const intent: JournalRecord = { record: 'INTENT', ...inOrder, commandId: 'a', attempt: 1, token: 't', tag: 'x', ...terms };
const redirect: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'redirect' },
  answer: { redirectHtml: 'PGE+' },
};
const repeated: JournalRecord = { record: 'REPEATED', ...inOrder, commandId: 'a' };

function recordsOf(first: bigint, ...records: JournalRecord[]): JournalEntry[] {
  return records.map((record, index) => ({
    key: `${record.merchant}/${record.orderId}`,
    offset: first + BigInt(index),
    value: encodeRecord(record),
    headers: { traceparent: '00-a-b-01' },
  }));
}

/** Redis in memory, with the marker's compare-and-set. Partition 3 alone. */
class IndexInMemory implements OrderIndex {
  marker: bigint | undefined;
  orders = new Map<string, OrderState>();
  html = new Map<string, string>();
  writesFail = false;
  /** Another process is at it. */
  isRebuiltElsewhere = false;
  /** Marker and orders whenever a rebuild wrote: nobody may see a marker before its end. */
  seen: (bigint | undefined)[] = [];
  #rebuild?: Rebuild;

  markers = () => Promise.resolve(this.marker === undefined ? new Map<number, bigint>() : new Map([[3, this.marker]]));
  readAll(_partition: number, marker: bigint, keys: string[]): Promise<(OrderState | undefined)[]> {
    if (marker !== this.marker) return Promise.reject(new MarkerMovedError('moved'));
    return Promise.resolve(keys.map((key) => this.orders.get(key)));
  }
  readTogether = (_partition: number, keys: string[]) =>
    Promise.resolve({ ...(this.marker === undefined ? {} : { marker: this.marker }), orders: keys.map((key) => this.orders.get(key)) });
  replace = () => Promise.reject(new Error('not asked for'));
  write({ from, to, orders }: Projection): Promise<void> {
    if (this.writesFail) return Promise.reject(new Error('Redis is full'));
    if (from !== this.marker) return Promise.reject(new MarkerMovedError('moved'));
    this.#put(orders);
    this.marker = to;
    return Promise.resolve();
  }
  beginRebuild(_partition: number, marker: bigint | undefined): Promise<Rebuild | undefined> {
    if (this.isRebuiltElsewhere || marker !== this.marker) return Promise.resolve(undefined);
    this.lose();
    const stillOurs = () => (this.#rebuild === rebuild ? Promise.resolve() : Promise.reject(new MarkerMovedError('taken over')));
    const rebuild: Rebuild = {
      readAll: async (keys) => (await stillOurs(), keys.map((key) => this.orders.get(key))),
      write: async (orders, pages) => {
        await stillOurs();
        this.seen.push(this.marker);
        this.#put(orders);
        for (const { commandId, html } of pages) this.html.set(commandId, html);
      },
      finish: async (to) => (await stillOurs(), void (this.marker = to)),
    };
    this.#rebuild = rebuild;
    return Promise.resolve(rebuild);
  }
  read = () => Promise.reject(new Error('not asked by a projector'));
  openOrders = () => Promise.resolve({ orderKeys: [] });
  redirectHtml = (_key: string, commandId: string) => Promise.resolve(this.html.get(commandId));
  lose(): void {
    this.marker = undefined;
    this.orders.clear();
    this.#rebuild = undefined;
  }
  #put(orders: OrderState[]): void {
    for (const order of orders) {
      const key = `${order.merchant}/${order.orderId}`;
      if (isEmptyOrder(order)) this.orders.delete(key);
      else this.orders.set(key, order);
    }
  }
}

/** A journal that holds these records from offset 0 on; `brought` is called before each one is. */
function journalOf(records: JournalRecord[], brought: (offset: bigint) => void = () => undefined, end = 99n): JournalReader {
  return {
    firstKept: () => Promise.resolve(0n),
    end: () => Promise.resolve(end),
    async *read(_partition, from, until) {
      for (const entry of recordsOf(0n, ...records).filter(({ offset }) => offset >= from && offset < until)) {
        brought(entry.offset);
        yield await Promise.resolve([entry]);
      }
    },
  };
}

function projection(settings: { journal?: JournalReader; nowMs?: number } = {}) {
  const { journal = journalOf([]), nowMs = Date.parse(inOrder.at) } = settings;
  const index = new IndexInMemory();
  const published: CloudEvent<PaymentEvent>[] = [];
  const rebuilt: RebuildProgress[] = [];
  const logged: string[] = [];
  const logger = { ...silentLog, error: (_fields: object, message: string) => void logged.push(message) };
  const events = { publish: (batch: CloudEvent<PaymentEvent>[]) => Promise.resolve(void published.push(...batch)) };
  const timing = { nowMs: () => nowMs, monotonicMs: () => 0, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  const projector = new Projector({ index, events, journal, timing, logger, onRebuild: (step) => rebuilt.push(step) });
  let assigned: PartitionProjection;
  const assign = (signal = new AbortController().signal) => (assigned = projector.assign(3, signal));
  const startOffset = (committed: bigint | undefined, low: bigint) => assign().startOffset(committed, low);
  const project = (entries: JournalEntry[]) => assigned.project(entries);
  return { index, published, rebuilt, logged, projector, assign, startOffset, project };
}
const typesOf = (published: CloudEvent<PaymentEvent>[]) => published.map(({ type }) => type.replace('payment.', ''));

it('publishes what the records made known, then moves the index', async () => {
  const { index, published, startOffset, project } = projection();
  expect(await startOffset(undefined, 0n)).toBe(0n);
  await project(recordsOf(0n, intent, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
  expect(published[0]).toMatchObject({ subject: 'shop-fr/o', sequence: '0000000000000000001', causationid: 'a', traceparent: '00-a-b-01' });
});

it('gives a repeat its REDIRECTHTML though the page came in the same batch', async () => {
  const { published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  await project(recordsOf(0n, intent, redirect, repeated));
  expect(published[1]).toEqual(published[0]);
  expect(published[1]?.data.redirectHtml).toBe('PGE+');
});

it('goes on behind another projector that was further', async () => {
  const { index, published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  await project(recordsOf(0n, intent));
  index.marker = 1n;
  await project(recordsOf(1n, redirect));
  expect([published, index.marker]).toEqual([[], 1n]);
});

it('publishes a batch once though the index did not take it at first', async () => {
  const { index, published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  index.writesFail = true;
  await expect(project(recordsOf(0n, intent, redirect))).rejects.toThrow('Redis is full');
  index.writesFail = false;
  await project(recordsOf(0n, intent, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
});

it('refuses a journal that ends before the index', async () => {
  const { index, startOffset } = projection({ journal: journalOf([], undefined, 7n) });
  index.marker = 7n;
  await expect(startOffset(8n, 0n)).rejects.toThrow('lost or replaced');
  index.marker = 6n;
  expect(await startOffset(7n, 0n)).toBe(7n);
});

it('begins behind the marker as it is, not as it was before the journal’s end was asked', async () => {
  const journal = journalOf([intent, redirect]);
  // The assignment before is still projecting.
  const end = (partition: number) => ((index.marker = 1n), journal.end(partition));
  const { index, startOffset } = projection({ journal: { ...journal, end } });
  index.marker = 0n;
  expect(await startOffset(1n, 0n)).toBe(2n);
});

it('drops a batch whose assignment ended while it waited', async () => {
  const { index, published, startOffset, project } = projection();
  await startOffset(undefined, 0n);
  await project(recordsOf(0n, intent));
  const readAll = index.readAll.bind(index);
  index.readAll = async (...asked) => {
    index.readAll = readAll;
    const states = await readAll(...asked);
    // The partition goes and comes back while the batch waits for the index.
    await startOffset(1n, 0n);
    return states;
  };
  await expect(project(recordsOf(1n, redirect))).rejects.toThrow('assigned anew');
  expect([typesOf(published), index.marker]).toEqual([[], 0n]);
  await project(recordsOf(1n, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
});

/** Orders of their own, so that an index which was folded on nothing lacks them. */
const orders = ['o-0', 'o-1', 'o-2', 'o-3', 'o-4'].map((orderId): JournalRecord => ({ ...intent, orderId }));

describe('an assignment that has ended', () => {
  /** The first assignment asks where the journal ends; before it is answered, the partition goes and comes back to the same process. */
  async function overtaken() {
    let answer: (end: bigint) => void = () => undefined;
    let asked = 0;
    const end = () => (++asked === 1 ? new Promise<bigint>((resolve) => (answer = resolve)) : Promise.resolve(5n));
    const made = projection({ journal: { ...journalOf(orders), end } });
    const ended = new AbortController();
    const lateStart = made.assign(ended.signal).startOffset(undefined, 0n);
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
    ended.abort(new Error('the assignment has ended'));
    const current = made.assign();
    expect(await current.startOffset(undefined, 0n)).toBe(0n);
    await current.project(recordsOf(0n, ...orders.slice(0, 4)));
    return { ...made, current, lateStart, answer: () => answer(5n) };
  }

  // Seeds 207540, 13944, 109951 and 203663 of the simulation, docs/reliability.md.
  it('changes nothing of its successor’s progress when it hears late where the journal ends, after the index was lost', async () => {
    const { index, published, current, lateStart, answer } = await overtaken();
    index.lose();
    answer();
    await expect(lateStart).rejects.toThrow('the assignment has ended');
    await current.project(recordsOf(4n, orders[4]!));
    expect([[...index.orders.keys()], index.marker]).toEqual([orders.map(({ orderId }) => `shop-fr/${orderId}`), 4n]);
    expect(published).toEqual([]);
  });

  it('starts nothing, though it is asked only now', async () => {
    const { index, projector, assign, current } = await overtaken();
    const ended = projector.assigned[0]!.projection;
    expect(ended).toBe(current);
    const next = assign();
    index.lose();
    await expect(ended.startOffset(undefined, 0n)).rejects.toThrow('assigned anew');
    expect(await next.startOffset(4n, 0n)).toBe(4n);
    await next.project(recordsOf(4n, orders[4]!));
    expect(index.orders.size).toBe(5);
  });

  it('gives up a batch that waits for the index when the drain begins', async () => {
    const { index, projector, assign } = projection({ journal: journalOf(orders) });
    const end = new AbortController();
    const assigned = assign(end.signal);
    await assigned.startOffset(undefined, 0n);
    await assigned.project(recordsOf(0n, orders[0]!));
    index.lose();
    index.isRebuiltElsewhere = true;
    await projector.poll();
    const waiting = assigned.project(recordsOf(1n, orders[1]!));
    end.abort(new Error('the assignment has ended'));
    index.marker = 0n;
    await expect(waiting).rejects.toThrow('the assignment has ended');
    expect(index.marker).toBe(0n);
  });
});

it('rebuilds the index and publishes what was missed when a batch begins above what was projected', async () => {
  const redirected = orders.flatMap((record): JournalRecord[] => [record, { ...redirect, orderId: record.orderId }]);
  const { index, published, logged, assign } = projection({ journal: journalOf(redirected) });
  const assigned = assign();
  await assigned.startOffset(undefined, 0n);
  await assigned.project(recordsOf(0n, ...redirected.slice(0, 2)));
  // What an older release left wrong under its marker.
  index.orders.clear();
  await assigned.project(recordsOf(6n, ...redirected.slice(6)));
  expect([index.orders.size, index.marker]).toEqual([5, 9n]);
  expect(published.map(({ subject }) => subject)).toEqual(orders.map(({ orderId }) => `shop-fr/${orderId}`));
  expect(logged).toEqual(['Records before this batch were never projected: the index is rebuilt and their events are published']);
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
    const made = await lost({ journal: journalOf(journal, (offset) => offset === 1n && losses-- > 0 && made.index.lose()) });
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
  await project(recordsOf(0n, intent, redirect));
  expect(index.orders.size).toBe(1);
  await project(recordsOf(2n, { record: 'FORGOTTEN', ...inOrder, lastOffset: '1' }));
  expect([index.orders.size, index.marker]).toEqual([0, 2n]);
});

/** More orders than a rebuild holds in memory, each with a second record after all the first ones. */
it('rebuilds more orders than it holds in memory', async () => {
  const count = 5_000;
  const ofOrder = (record: JournalRecord, at: number): JournalRecord => ({ ...record, orderId: `o-${at}` });
  const records = [intent, redirect].flatMap((record) => Array.from({ length: count }, (_, at) => ofOrder(record, at)));
  const until = BigInt(records.length);
  const { index, startOffset } = projection({ journal: journalOf(records) });
  await startOffset(until, 0n);
  await waitFor(() => index.marker === until - 1n);
  const phases = new Set([...index.orders.values()].map(({ operations }) => operations[0]?.phase));
  expect([index.orders.size, [...phases]]).toEqual([count, ['redirect']]);
});

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
