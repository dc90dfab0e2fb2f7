import { orderKey, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { silentLog, type Timing } from '@tranche/runtime';
import { MarkerMovedError, type JournalEntry, type OrderIndex, type Rebuild } from '../src/journal/ports.js';
import type { JournalFollower, OwnerParts } from '../src/partition/owner-ports.js';
import { PartitionOwner } from '../src/partition/partition-owner.js';
import { toCloudEvent } from '../src/projection/published-event.js';
import { fold } from '../src/state/fold.js';
import { historyOf } from '../src/state/history.js';
import { emptyOrder, isEmptyOrder, isOpen, type OrderState } from '../src/state/order-state.js';
import { encodeRecord, recordHash, type JournalRecord } from '../src/state/records.js';
import { snapshotOf } from '../src/state/snapshot.js';
import { inOrder, intent } from './journal-records.js';

const PARTITION = 3;
const ORDERS = ['a', 'b', 'c'];

interface Index {
  marker: bigint | undefined;
  orders: Map<string, OrderState>;
  rebuild: object | undefined;
}

type Random = () => number;

/** An owner of the partition in one process, and what it follows. */
interface Running {
  owner: PartitionOwner;
  generation: number;
  read: { next: bigint; take: (entries: JournalEntry[], next: bigint) => void } | undefined;
  /** Steps during which the process stands still. */
  frozen: number;
  /** The placement after which every order was read. */
  looked: object | undefined;
}

/** One partition, its log, index, events and commit, and several owners. Every call of a port ends when the scheduler picks it. */
export class OwnerWorld {
  readonly log: JournalEntry[] = [];
  readonly published = new Set<string>();
  readonly faults: string[] = [];
  /** First offset that the log still has. */
  low = 0n;
  /** Per order, the offsets from which its records suffice. */
  readonly #whole = new Map<string, bigint[]>();
  readonly #states = new Map<string, { offset: bigint; order: OrderState }[]>();
  readonly #events = new Map<string, string>();
  #pending: { of: Running; end: () => void }[] = [];
  readonly #copies: Index[] = [];
  #index: Index = { marker: undefined, orders: new Map(), rebuild: undefined };
  #running: Running[] = [];
  #generation = 0;
  #committed: bigint | undefined;
  #commands = 0;
  readonly #open = new Map<string, string>();

  constructor(private readonly random: Random) {}

  get isComplete(): boolean {
    const end = BigInt(this.log.length);
    return this.#index.marker === end - 1n && this.#committed === end;
  }

  get missing(): string[] {
    return [...this.#events.keys()].filter((id) => !this.published.has(id));
  }

  /** One step of a schedule: a fault of the world, an append, a read, or a step of what is under way. */
  async step(isCalm: boolean): Promise<void> {
    const chance = this.random();
    for (const running of this.#running) if (running.frozen > 0) running.frozen -= isCalm ? running.frozen : 1;
    if (!isCalm && chance < 0.09) this.append(this.#pick(ORDERS));
    else if (!isCalm && chance < 0.097) this.#snapshot(this.#pick(ORDERS));
    else if (!isCalm && chance < 0.1) this.#cut();
    else if (!isCalm && chance < 0.106) this.move();
    else if (!isCalm && chance < 0.109) this.#drop(this.#pick(this.#running));
    else if (!isCalm && chance < 0.11) this.#freeze();
    else if (!isCalm && chance < 0.112) this.#index = { marker: undefined, orders: new Map(), rebuild: undefined };
    else if (!isCalm && chance < 0.122) this.#copies.push(copyOf(this.#index));
    else if (!isCalm && chance < 0.128 && this.#copies.length > 0) this.#index = copyOf(this.#pick(this.#copies));
    else if (chance < 0.22) this.#deliver();
    else if (chance < 0.34) this.#read();
    else if (chance < 0.36) for (const { owner } of this.#running) owner.forget();
    else if (isCalm && chance < 0.38) for (const { owner } of this.#running) owner.doubtIndex(this.#index.marker);
    else this.#endOne();
    await new Promise((resolve) => setImmediate(resolve));
    for (const running of this.#running) this.#lookAtAll(running);
  }

  append(orderId: string): void {
    const open = this.#open.get(orderId);
    const commandId = open ?? `c${++this.#commands}`;
    const identity = { ...inOrder, orderId, commandId, attempt: 1, token: commandId };
    const record: JournalRecord =
      open === undefined
        ? { ...intent, ...identity }
        : { record: 'OUTCOME', ...identity, result: 'refused', answer: {} };
    if (open === undefined) this.#open.set(orderId, commandId);
    else this.#open.delete(orderId);
    this.#land(record);
  }

  #snapshot(orderId: string): void {
    const order = this.#newest(orderId);
    if (isEmptyOrder(order) || order.operations.some(isOpen)) return;
    const identity = { ...inOrder, orderId };
    this.#land({ record: 'SNAPSHOT', ...identity, seen: historyOf(order), state: snapshotOf(order, inOrder.at) });
  }

  #newest(orderId: string): OrderState {
    const key = orderKey(inOrder.merchant, orderId);
    return this.#states.get(key)?.at(-1)?.order ?? emptyOrder(inOrder.merchant, orderId);
  }

  /** Retention deletes what no order needs, of the records whose events are published. It is slower than an owner that places. */
  #cut(): void {
    const { marker } = this.#index;
    const reads = this.#running.map(({ owner, read }) => (owner.state === 'closed' ? marker : read?.next));
    if (marker === undefined || reads.some((next) => next === undefined)) return;
    const published = [this.#committed ?? 0n, marker, ...reads.map((next) => next! - 1n)].reduce(lower);
    const needed = [...this.#whole.values()].map((all) => all.findLast((offset) => offset < published) ?? all[0]!);
    const low = needed.reduce(lower, published);
    if (low > this.low) this.low = low;
  }

  #freeze(): void {
    const running = this.#pick(this.#running);
    if (running) running.frozen = 20 + Math.floor(this.random() * 150);
  }

  /** One request of a process that does not stand still comes to its end. */
  #endOne(): void {
    const awake = this.#pending.filter(({ of }) => of.frozen === 0);
    const one = this.#pick(awake);
    if (one === undefined) return;
    this.#pending.splice(this.#pending.indexOf(one), 1);
    one.end();
  }

  /** Once an owner serves, every order is read: what it kept in memory must be right. */
  #lookAtAll(running: Running): void {
    const { owner, looked, frozen } = running;
    if (!owner.isServing || frozen > 0 || looked === owner.placed) return;
    running.looked = owner.placed;
    for (const orderId of ORDERS) this.#readOf(owner, orderId);
  }

  #land(record: JournalRecord): void {
    const { orderId } = record;
    const offset = BigInt(this.log.length);
    const key = orderKey(record.merchant, orderId);
    const value = encodeRecord(record);
    this.log.push({ key, offset, value, headers: {} });
    const states = this.#states.get(key) ?? [];
    const before = states.at(-1)?.order ?? emptyOrder(record.merchant, orderId);
    if (isEmptyOrder(before) || record.record === 'SNAPSHOT')
      this.#whole.set(key, [...(this.#whole.get(key) ?? []), offset]);
    const { order, effects } = fold(before, record, offset, () => recordHash(value));
    this.#states.set(key, [...states, { offset, order }]);
    for (const { event } of effects) {
      const cloudEvent = toCloudEvent(order, event);
      this.#events.set(cloudEvent.id, JSON.stringify(cloudEvent));
    }
  }

  /** Assigns the partition to another process. Only some of the others hear of it at once. */
  move(everybodyHears = false): void {
    const generation = ++this.#generation;
    for (const one of [...this.#running]) if (everybodyHears || this.random() < 0.6) this.#drop(one);
    const running = { generation, read: undefined, frozen: 0, looked: undefined } as unknown as Running;
    running.owner = new PartitionOwner(PARTITION, this.#partsOf(running));
    this.#running.push(running);
    void running.owner.run(this.#committed, () => this.#commit(running));
  }

  #commit(running: Running): void {
    void this.#later(running, () => {
      // The broker refuses a commit of an old generation.
      if (running.generation !== this.#generation) running.owner.end();
      else this.#committed = running.owner.published;
    });
  }

  #drop(running: Running | undefined): void {
    if (running === undefined) return;
    running.owner.end();
    running.owner.close();
    this.#running = this.#running.filter((one) => one !== running);
    // Some of its requests had not left the process.
    this.#pending = this.#pending.filter(({ of }) => of !== running || this.random() < 0.3);
  }

  #deliver(): void {
    const running = this.#pick(this.#running.filter(({ frozen }) => frozen === 0));
    const { read } = running ?? {};
    if (read === undefined) return;
    const from = Number(read.next);
    const entries = this.log.slice(from, from + 1 + Math.floor(this.random() * 4));
    read.next += BigInt(entries.length);
    if (entries.length > 0) read.take(entries, read.next);
  }

  #read(): void {
    const { owner } = this.#pick(this.#running.filter(({ frozen }) => frozen === 0)) ?? {};
    if (owner !== undefined) this.#readOf(owner, this.#pick(ORDERS));
  }

  #readOf(owner: PartitionOwner, orderId: string): void {
    const key = orderKey(inOrder.merchant, orderId);
    owner.read({ merchant: inOrder.merchant, orderId }).then(
      (order) => this.#check(order, key, owner.position, 'was read'),
      () => undefined,
    );
  }

  /** A state is a fold of the log, and lacks no record below `until`. */
  #check(order: OrderState, key: string, until: bigint, what: string): void {
    const states = this.#states.get(key) ?? [];
    const at = states.findLast(({ offset }) => offset <= BigInt(order.lastOffset));
    const isFold = at === undefined ? isEmptyOrder(order) : JSON.stringify(at.order) === JSON.stringify(order);
    const lacks = states.find(({ offset }) => offset < until && offset > (at?.offset ?? -1n));
    if (!isFold) this.faults.push(`a state of ${key} that ${what} is no fold of the log`);
    else if (lacks) this.faults.push(`a state of ${key} that ${what} lacks the record at ${lacks.offset}`);
  }

  #checkIndex(): void {
    const { marker, orders } = this.#index;
    if (marker === undefined) return;
    for (const orderId of ORDERS) {
      const key = orderKey(inOrder.merchant, orderId);
      this.#check(orders.get(key) ?? emptyOrder(inOrder.merchant, orderId), key, marker + 1n, 'is in the index');
    }
  }

  #later<T>(of: Running, act: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => {
        try {
          resolve(act());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#pending.push({ of, end });
    });
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  #partsOf(running: Running): OwnerParts {
    const bounds = () => ({ low: this.low, high: BigInt(this.log.length) });
    const follower: JournalFollower = {
      follow: (_partition, { from, known, onRecords, onFault }) => {
        if (this.low > known) return onFault('the records were deleted before they were read', true);
        running.read = { next: from > this.low ? from : this.low, take: onRecords };
      },
      unfollow: () => void (running.read = undefined),
      hold: () => undefined,
      goOn: () => undefined,
    };
    const timing: Timing = {
      nowMs: () => Date.parse(inOrder.at),
      monotonicMs: () => 0,
      sleep: () => later(() => undefined),
    };
    const later = <T>(act: () => T) => this.#later(running, act);
    const { log } = this;
    return {
      ...{ follower, timing, logger: silentLog, index: this.#indexPort(running) },
      bounds: () => later(bounds),
      events: { publish: (events) => later(() => this.#publish(events)) },
      journal: {
        firstKept: () => later(() => this.low),
        async *read(_partition, from, until) {
          for (let at = from; at < until; at++) yield await later(() => [log[Number(at)]!]);
        },
      },
    };
  }

  #publish(events: CloudEvent<PaymentEvent>[]): void {
    for (const event of events) {
      if (this.#events.get(event.id) !== JSON.stringify(event))
        this.faults.push(`event ${event.id} is no fold of the log`);
      this.published.add(event.id);
    }
  }

  #indexPort(running: Running): OrderIndex {
    const later = <T>(act: () => T) => this.#later(running, act);
    const index = () => this.#index;
    const statesOf = (keys: string[]) => keys.map((key) => index().orders.get(key));
    const marker = () => (index().marker === undefined ? {} : { marker: index().marker! });
    const put = (orders: OrderState[]) => {
      for (const order of orders) index().orders.set(orderKey(order.merchant, order.orderId), order);
    };
    const at = (expected: bigint | undefined) => {
      if (index().marker !== expected) throw new MarkerMovedError(`${index().marker}, not ${expected}`);
    };
    const port: Partial<OrderIndex> = {
      read: (key) =>
        later(() => ({ ...marker(), ...(index().orders.has(key) ? { order: index().orders.get(key)! } : {}) })),
      openOrders: () => later(() => ({ orderKeys: [], ...marker() })),
      readTogether: (_partition, keys) => later(() => ({ ...marker(), orders: statesOf(keys) })),
      readAll: (_partition, expected, keys) => later(() => (at(expected), statesOf(keys))),
      write: ({ from, to, orders }) =>
        later(() => {
          at(from);
          put(orders);
          index().marker = to;
          this.#checkIndex();
        }),
      dropUnverified: () => Promise.resolve(),
      redirectHtml: () => later(() => undefined),
      beginRebuild: (_partition, expected) =>
        later(() => {
          if (index().marker !== expected) return undefined;
          const token = {};
          Object.assign(index(), { marker: undefined, orders: new Map(), rebuild: token });
          const ours = () => {
            if (index().rebuild !== token) throw new MarkerMovedError('taken over');
          };
          const rebuild: Rebuild = {
            readAll: (keys) => later(() => (ours(), statesOf(keys))),
            write: (orders) => later(() => (ours(), put(orders))),
            finish: (to) =>
              later(() => {
                ours();
                Object.assign(index(), { marker: to, rebuild: undefined });
                this.#checkIndex();
              }),
          };
          return rebuild;
        }),
    };
    return port as OrderIndex;
  }
}

const lower = (one: bigint, other: bigint): bigint => (one < other ? one : other);

const copyOf = ({ marker, orders }: Index): Index => ({ marker, orders: new Map(orders), rebuild: undefined });
