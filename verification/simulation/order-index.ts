import { orderKey } from '@tranche/contracts';
import {
  journalPartition,
  MarkerMovedError,
  type OrderIndex,
  type OrderState,
  type Projection,
  type Rebuild,
  type RedirectPage,
} from '@tranche/order-journal';
import type { SimulatedProcess, Surroundings } from './process.js';

/** What Redis holds of one partition of the journal. Replaced as a whole with every write, so that an older one can come back. */
interface Held {
  /** None while the index is not built. */
  readonly marker?: bigint;
  /** Of the rebuild that it goes back to. */
  readonly generation: number;
  readonly orders: ReadonlyMap<string, OrderState>;
  readonly pages: ReadonlyMap<string, string>;
  readonly rebuild?: { readonly id: number; readonly lastMs: number; readonly writes: number };
}

type Snapshot = ReadonlyMap<number, Held>;

const NOTHING: Held = { generation: 0, orders: new Map(), pages: new Map() };
const KEPT = 40;
/** A rebuild that was silent for so long may be taken over. */
const REBUILD_SILENT_MS = 10_000;

/**
 * The Redis index: every script is one step, every write a compare-and-set on marker and generation. It may be flushed, come back from an
 * older file, or be read from a replica that lags.
 */
export class SimulatedIndex {
  #now: Snapshot = new Map();
  #history: Snapshot[] = [this.#now];
  #generations = 0;

  constructor(private readonly around: Surroundings) {}

  get markers(): Map<number, bigint> {
    return markersOf(this.#now);
  }

  order(key: string): OrderState | undefined {
    return this.#now.get(journalPartition(key))?.orders.get(key);
  }

  flush(): void {
    this.#now = new Map();
    this.#history = [this.#now];
  }

  /** An order that the index holds is gone, and its marker says nothing of it. Returns its key; undefined where the index holds none. */
  plantHole(): string | undefined {
    const held = [...this.#now].flatMap(([partition, { marker, orders }]) =>
      marker === undefined ? [] : [...orders.keys()].map((key) => ({ partition, key })),
    );
    if (held.length === 0) return undefined;
    const { partition, key } = this.around.random.pick(held);
    const { orders, ...rest } = this.#held(partition);
    this.#put(partition, { ...rest, orders: new Map([...orders].filter(([other]) => other !== key)) });
    return key;
  }

  /** Redis restarts from its file: an older consistent state. */
  restoreOlder(): void {
    this.#now = this.around.random.pick(this.#history);
  }

  of(process: SimulatedProcess): OrderIndex {
    /** Which index a partition's states were last read of. */
    const generations = new Map<number, number>();
    return {
      markers: () => process.request('index markers', () => markersOf(this.#seen(process))),
      read: (key) =>
        process.request('index read', () => {
          const { orders, marker } = this.#seen(process).get(journalPartition(key)) ?? NOTHING;
          const order = orders.get(key);
          return marker === undefined ? {} : { marker, ...(order ? { order } : {}) };
        }),
      openOrders: (partition) =>
        process.request('index open orders', () => {
          const { orders, marker } = this.#seen(process).get(partition) ?? NOTHING;
          if (marker === undefined) return { orderKeys: [] };
          const isOpen = (order: OrderState) => order.operations.some(({ phase }) => phase === 'open');
          return { marker, orderKeys: [...orders].filter(([, order]) => isOpen(order)).map(([key]) => key) };
        }),
      readTogether: (partition, keys) =>
        process.request('index read together', () => {
          const { marker, orders } = this.#seen(process).get(partition) ?? NOTHING;
          if (marker === undefined) return { orders: keys.map(() => undefined) };
          return { marker, orders: keys.map((key) => orders.get(key)) };
        }),
      readAll: (partition, marker, keys) =>
        process.request('index read all', () => {
          const held = this.#held(partition);
          if (held.marker !== marker) throw moved(partition, held.marker, marker);
          generations.set(partition, held.generation);
          return keys.map((key) => held.orders.get(key));
        }),
      write: (projection) =>
        process.uncertain('index write', () => this.#write(projection, generations.get(projection.partition))),
      replace: (partition, marker, orders) =>
        process.uncertain('index replace', () => {
          const held = this.#held(partition);
          if (held.marker !== marker) throw moved(partition, held.marker, marker);
          this.#put(partition, { ...withChanges(held, orders, []), generation: ++this.#generations });
        }),
      redirectHtml: (key, commandId) =>
        process.request('index page', () =>
          this.#seen(process).get(journalPartition(key))?.pages.get(`${key} ${commandId}`),
        ),
      beginRebuild: (partition, marker) =>
        process.uncertain('index rebuild', () => this.#beginRebuild(process, partition, marker)),
    };
  }

  #write({ partition, from, to, orders, redirectHtml }: Projection, generation: number | undefined): void {
    const held = this.#held(partition);
    if (held.marker !== from || held.generation !== generation) throw moved(partition, held.marker, from);
    this.#put(partition, { ...withChanges(held, orders, redirectHtml), marker: to });
  }

  #beginRebuild(process: SimulatedProcess, partition: number, marker: bigint | undefined): Rebuild | undefined {
    const held = this.#held(partition);
    const { nowMs } = this.around.scheduler;
    const isTaken = held.rebuild !== undefined && nowMs - held.rebuild.lastMs < REBUILD_SILENT_MS;
    if (held.marker !== marker || isTaken) return undefined;
    const id = ++this.#generations;
    let writes = 0;
    this.#put(partition, { ...NOTHING, rebuild: { id, lastMs: nowMs, writes } });
    const own = (): Held => {
      const current = this.#held(partition);
      // One whose earlier writes are gone is lost, even if it seems to go on.
      if (current.rebuild?.id !== id || current.rebuild.writes !== writes)
        throw moved(partition, current.marker, undefined);
      return current;
    };
    return {
      readAll: (keys) => process.request('rebuild read', () => keys.map((key) => own().orders.get(key))),
      write: (orders, pages) =>
        process.request('rebuild write', () => {
          const changed = withChanges(own(), orders, pages);
          this.#put(partition, { ...changed, rebuild: { id, lastMs: this.around.scheduler.nowMs, writes: ++writes } });
        }),
      finish: (finished) =>
        process.uncertain('rebuild finish', () => {
          const { rebuild, ...built } = own();
          this.#put(partition, { ...built, marker: finished, generation: id });
        }),
    };
  }

  #held(partition: number): Held {
    return this.#now.get(partition) ?? NOTHING;
  }

  #put(partition: number, held: Held): void {
    this.#now = new Map([...this.#now, [partition, held]]);
    this.#history.push(this.#now);
    if (this.#history.length > KEPT) this.#history.shift();
  }

  #seen({ around: { random, profile, isTroubled } }: SimulatedProcess): Snapshot {
    return isTroubled() && random.chance(profile.staleRead) ? random.pick(this.#history) : this.#now;
  }
}

const isEmpty = (order: OrderState): boolean => order.lastOffset === '-1';

function withChanges(held: Held, orders: readonly OrderState[], pages: readonly RedirectPage[]): Held {
  const all = new Map(held.orders);
  for (const order of orders) {
    const key = orderKey(order.merchant, order.orderId);
    if (isEmpty(order)) all.delete(key);
    else all.set(key, order);
  }
  const html = pages.map((page) => [`${page.orderKey} ${page.commandId}`, page.html] as const);
  return { ...held, orders: all, pages: new Map([...held.pages, ...html]) };
}

function markersOf(snapshot: Snapshot): Map<number, bigint> {
  return new Map(
    [...snapshot].flatMap(([partition, { marker }]) => (marker === undefined ? [] : [[partition, marker] as const])),
  );
}

const moved = (partition: number, stored: bigint | undefined, expected: bigint | undefined): MarkerMovedError =>
  new MarkerMovedError(
    `The index of journal partition ${partition} is at ${stored ?? 'nothing'}, not at ${expected ?? 'its beginning'}`,
  );
