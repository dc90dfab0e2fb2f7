import { orderKey } from '@tranche/contracts';
import {
  asOrderState,
  isEmptyOrder,
  journalPartition,
  MarkerMovedError,
  wholeMarker,
  type OrderIndex,
  type OrderState,
  type Projection,
  type Rebuild,
  type RedirectPage,
} from '@tranche/order-journal';
import type { SimulatedProcess, Environment } from './process.js';

/** Redis's data of one journal partition. Every write replaces it as a whole, so that an older one can be restored. */
interface Held {
  /** Absent until the index is built. */
  readonly marker?: bigint;
  /** Number of orders that the marker or the rebuild records: an index with fewer has lost some. */
  readonly counted: number;
  readonly hash?: string;
  /** Id of the rebuild that made this index. */
  readonly generation: number;
  readonly orders: ReadonlyMap<string, OrderState>;
  readonly pages: ReadonlyMap<string, string>;
  readonly rebuild?: { readonly id: number; readonly lastMs: number; readonly writes: number };
}

type Snapshot = ReadonlyMap<number, Held>;

const NOTHING: Held = { generation: 0, counted: 0, orders: new Map(), pages: new Map() };
const KEPT = 40;
/** Milliseconds of silence after which another process may take over a rebuild. */
const REBUILD_SILENT_MS = 10_000;

/**
 * Plays the Redis index: every script is one step, every write a compare-and-set on marker and generation. It may be flushed, restored from
 * an older file, or read from a lagging replica.
 */
export class SimulatedIndex {
  #now: Snapshot = new Map();
  #history: Snapshot[] = [this.#now];
  #generations = 0;

  /** Virtual milliseconds before which every request fails. */
  awayUntilMs = 0;

  constructor(private readonly env: Environment) {}

  get markers(): Map<number, bigint> {
    return new Map(
      [...this.#now].flatMap(([partition, held]) => {
        const marker = markerOf(held);
        return marker === undefined ? [] : [[partition, marker] as const];
      }),
    );
  }

  order(key: string): OrderState | undefined {
    return this.#now.get(journalPartition(key))?.orders.get(key);
  }

  flush(): void {
    this.#now = new Map();
    this.#history = [this.#now];
  }

  /** Removes a partition, and its history too. */
  drop(partition: number): void {
    this.#now = new Map([...this.#now].filter(([other]) => other !== partition));
    this.#history = [this.#now];
  }

  /** Removes some orders of a partition, as an eviction or a person does, or all of them with their marker. */
  evict(): void {
    const { random } = this.env;
    const held = [...this.#now].filter(([, { orders }]) => orders.size > 0);
    if (held.length === 0) return;
    const [partition, { orders, marker, ...rest }] = random.pick(held);
    const isAll = random.chance(0.2);
    const gone = [...orders.keys()].filter(() => isAll || random.chance(0.5));
    const kept = gone.reduce((left, key) => without(left, key), orders);
    const isMarkerKept = marker !== undefined && !isAll;
    this.#put(partition, { ...rest, orders: kept, ...(isMarkerKept ? { marker } : {}) });
  }

  /** Replaces an order by something that is no valid state. */
  corrupt(): void {
    const { random } = this.env;
    const held = [...this.#now].flatMap(([partition, { orders }]) =>
      [...orders].map((entry) => ({ partition, entry })),
    );
    if (held.length === 0) return;
    const { partition, entry } = random.pick(held);
    const [key, order] = entry;
    const { orders, ...rest } = this.#held(partition);
    const broken = random.pick([{}, { ...order, orderId: 'another' }, { ...order, operations: [{}] }]) as OrderState;
    this.#put(partition, { ...rest, orders: new Map([...orders, [key, broken]]) });
  }

  /** Reads every order, so that corrupt ones are detected. */
  readEverything(): void {
    for (const [partition, { orders }] of this.#now) this.#states(this.#now, partition, [...orders.keys()]);
  }

  /** Restarts Redis from its file: an older consistent state. */
  restoreOlder(): void {
    this.#now = this.env.random.pick(this.#history);
  }

  of(process: SimulatedProcess): OrderIndex {
    /** The generation of the index from which a partition's states were last read. */
    const generations = new Map<number, number>();
    const { request, uncertain } = this.#doorsOf(process);
    return {
      read: (key) =>
        request('index read', () => {
          const { states, marker } = this.#states(this.#seen(process), journalPartition(key), [key]);
          const [order] = states;
          return marker === undefined ? {} : { marker, ...(order ? { order } : {}) };
        }),
      readTogether: (partition, keys) =>
        request('index read together', () => {
          const seen = this.#seen(process);
          const { hash } = seen.get(partition) ?? NOTHING;
          const { marker, states } = this.#states(seen, partition, keys);
          if (marker === undefined) return { orders: keys.map(() => undefined) };
          return { marker, ...(hash === undefined ? {} : { hash }), orders: states };
        }),
      openOrders: (partition) =>
        request('index open orders', () => {
          // Marker and orders are read in one transaction.
          const held = this.#seen(process).get(partition) ?? NOTHING;
          const { orders } = held;
          const marker = markerOf(held);
          if (marker === undefined) return { orderKeys: [] };
          // Redis has a separate set of open orders, so a corrupt order is still listed.
          const isOpen = (key: string, order: OrderState) =>
            isCorrupt(orders, key) || order.operations.some(({ phase }) => phase === 'open');
          return { marker, orderKeys: [...orders].filter(([key, order]) => isOpen(key, order)).map(([key]) => key) };
        }),
      readAll: (partition, marker, keys) =>
        request('index read all', () => {
          const found = this.#states(this.#now, partition, keys);
          if (found.marker !== marker) throw moved(partition, found.marker, marker);
          generations.set(partition, this.#held(partition).generation);
          return found.states;
        }),
      write: (projection) =>
        uncertain('index write', () => this.#write(projection, generations.get(projection.partition))),
      redirectHtml: (key, commandId) =>
        request('index page', () => this.#seen(process).get(journalPartition(key))?.pages.get(`${key} ${commandId}`)),
      // Entries are not signed in the simulation.
      dropUnverified: () => Promise.resolve(),
      beginRebuild: (partition, marker) =>
        uncertain('index rebuild', () => this.#beginRebuild(process, partition, marker)),
    };
  }

  #doorsOf(process: SimulatedProcess): Pick<SimulatedProcess, 'request' | 'uncertain'> {
    const whileThere =
      <T>(effect: () => T) =>
      () => {
        if (this.env.scheduler.nowMs < this.awayUntilMs || process.isCutFromIndex) throw new Error('Redis is away');
        return effect();
      };
    return {
      request: (label, effect) => process.request(label, whileThere(effect)),
      uncertain: (label, effect) => process.uncertain(label, whileThere(effect)),
    };
  }

  #write({ partition, from, to, hash, orders, redirectHtml }: Projection, generation: number | undefined): void {
    const held = this.#held(partition);
    if (markerOf(held) !== from || held.generation !== generation) throw moved(partition, held.marker, from);
    this.#put(partition, { ...withChanges(held, orders, redirectHtml), marker: to, hash });
  }

  #beginRebuild(process: SimulatedProcess, partition: number, marker: bigint | undefined): Rebuild | undefined {
    const held = this.#held(partition);
    const { nowMs } = this.env.scheduler;
    const isTaken = held.rebuild !== undefined && nowMs - held.rebuild.lastMs < REBUILD_SILENT_MS;
    if (markerOf(held) !== marker || isTaken) return undefined;
    const id = ++this.#generations;
    let writes = 0;
    const { request, uncertain } = this.#doorsOf(process);
    this.#put(partition, { ...NOTHING, rebuild: { id, lastMs: nowMs, writes } });
    const own = (): Held => {
      const current = this.#held(partition);
      // A rebuild whose earlier writes are gone has lost, even if its later requests succeed.
      if (current.rebuild?.id !== id || current.rebuild.writes !== writes || current.counted !== current.orders.size)
        throw moved(partition, current.marker, undefined);
      return current;
    };
    return {
      readAll: (keys) =>
        request('rebuild read', () => {
          const { orders } = own();
          if (keys.some((key) => isCorrupt(orders, key))) throw moved(partition, undefined, undefined);
          return keys.map((key) => orders.get(key));
        }),
      write: (orders, pages) =>
        request('rebuild write', () => {
          const changed = withChanges(own(), orders, pages);
          this.#put(partition, { ...changed, rebuild: { id, lastMs: this.env.scheduler.nowMs, writes: ++writes } });
        }),
      finish: (finished, hash) =>
        uncertain('rebuild finish', () => {
          const { rebuild, ...built } = own();
          this.#put(partition, { ...built, marker: finished, ...(hash === undefined ? {} : { hash }), generation: id });
        }),
    };
  }

  /** Reads states with their marker in one transaction. A corrupt state is removed, so the index is no longer complete. */
  #states(
    snapshot: Snapshot,
    partition: number,
    keys: string[],
  ): { marker?: bigint; states: (OrderState | undefined)[] } {
    const held = snapshot.get(partition) ?? NOTHING;
    const marker = markerOf(held);
    if (marker === undefined) return { states: [] };
    const corrupt = keys.find((key) => isCorrupt(held.orders, key));
    if (corrupt === undefined) return { marker, states: keys.map((key) => held.orders.get(key)) };
    const { orders, ...rest } = this.#held(partition);
    if (orders.get(corrupt) === held.orders.get(corrupt))
      this.#put(partition, { ...rest, orders: without(orders, corrupt) });
    return { states: [] };
  }

  #held(partition: number): Held {
    return this.#now.get(partition) ?? NOTHING;
  }

  #put(partition: number, held: Held): void {
    this.#now = new Map([...this.#now, [partition, held]]);
    this.#history.push(this.#now);
    if (this.#history.length > KEPT) this.#history.shift();
  }

  #seen({ env: { random, profile, isTroubled } }: SimulatedProcess): Snapshot {
    return isTroubled() && random.chance(profile.staleRead) ? random.pick(this.#history) : this.#now;
  }
}

const without = (orders: Held['orders'], key: string): Held['orders'] =>
  new Map([...orders].filter(([other]) => other !== key));

const isCorrupt = (orders: Held['orders'], key: string): boolean =>
  orders.has(key) && asOrderState(orders.get(key), key) === undefined;

/** Undefined if an order was lost. The product code that reads Redis compares the counts. */
const markerOf = (held: Held = NOTHING): bigint | undefined =>
  held.marker === undefined
    ? undefined
    : wholeMarker(`${held.marker} ${held.generation} - ${held.counted}`, String(held.orders.size))?.offset;

function withChanges(held: Held, orders: readonly OrderState[], pages: readonly RedirectPage[]): Held {
  const all = new Map(held.orders);
  for (const order of orders) {
    const key = orderKey(order.merchant, order.orderId);
    if (isEmptyOrder(order)) all.delete(key);
    else all.set(key, order);
  }
  const html = pages.map((page) => [`${page.orderKey} ${page.commandId}`, page.html] as const);
  return {
    ...held,
    counted: held.counted + all.size - held.orders.size,
    orders: all,
    pages: new Map([...held.pages, ...html]),
  };
}

const moved = (partition: number, stored: bigint | undefined, expected: bigint | undefined): MarkerMovedError =>
  new MarkerMovedError(
    `The index of journal partition ${partition} is at ${stored ?? 'nothing'}, not at ${expected ?? 'its beginning'}`,
  );
