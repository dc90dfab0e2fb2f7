import { randomUUID } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  compact,
  IndexSigner,
  journalPartition,
  markerText,
  MarkerMovedError,
  OrderIndexKeys,
  OrderUnreadableError,
  type IndexMarker,
  type IndexSet,
  type IndexSnapshot,
  type Mark,
  type OrderIndex,
  type OrderState,
  type Projection,
  type Rebuild,
} from '@tranche/order-journal';
import { within } from '@tranche/runtime';
import { InjectRedis, Metrics, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { keepPages, OrderIndexRebuild } from './order-index-rebuild.store.js';
import {
  argumentsOf,
  DROP_CORRUPT,
  PROJECT,
  READ,
  READ_DUE,
  READ_SET,
  READ_TRANSACTION,
} from './order-index.scripts.js';

/** Interval of the repeated alarm while a marker can't be verified. Milliseconds. */
const TOLD_EVERY_MS = 60_000;

const { partitions: PARTITIONS } = OrderIndexKeys;

/** Maximum wait for the index of one of several partitions. Milliseconds. */
const ONE_OF_SEVERAL_MS = 5_000;

/** A partition whose orders could not be read, and what must happen before they can. */
export interface MissingPartition {
  partition: number;
  code: 'being_built' | 'unverified' | 'behind' | 'unreachable';
  detail: string;
}

/** A read of several partitions: the result of each, and the partitions of which nothing is known. */
interface FoundInPartitions<T> {
  found: ReadonlyMap<number, T>;
  missing: MissingPartition[];
}

/** Keys of orders, and the partitions of which nothing is known. */
export interface ListedOrders {
  orderKeys: string[];
  missing: MissingPartition[];
}

/** States that one command reads. */
interface Reading {
  readonly orderKeys: string[];
  readonly found: Promise<Found>;
}

/** A consistent read of some orders of one partition. */
interface Found {
  /** A marker exists that this process can't verify. */
  isUnverified?: boolean;
  /** The marker as stored, and parsed. Absent while the index is lost, is being rebuilt, or lacks an entry. */
  stored?: string;
  marker?: IndexMarker;
  orders: (OrderState | undefined)[];
}

/**
 * Redis index of the journal: order → state, orders open or in doubt, timers, pages, and the marker of each partition: offset of the last journal
 * record in the index, a generation that no other rebuild has, and the number of entries. An order that is missing counts as unknown only where the
 * index has as many entries as its marker says (R14).
 */
@Injectable()
export class OrderIndexStore implements OrderIndex {
  readonly #keys: OrderIndexKeys;
  readonly #seal: IndexSigner;
  readonly #corrupt;
  readonly #process = randomUUID();
  /** Reads that are being collected, per partition. */
  readonly #readings = new Map<number, Reading>();
  /** Markers of the last `readAll` or write. A write is refused where the marker has changed since. */
  readonly #readAt = new Map<number, string>();
  /** Time of the last alarm about a marker that can't be verified, per partition. Milliseconds. */
  readonly #reportedAtMs = new Map<number, number>();

  constructor(
    private readonly config: GatewayConfig,
    @InjectRedis() private readonly redis: RedisClient,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#keys = new OrderIndexKeys(config.kafkaTopicPrefix, config.indexKeys !== undefined);
    this.#seal = new IndexSigner(this.#keys.prefix, config.indexKeys);
    this.#corrupt = metrics.counter({
      name: 'tranche_index_corrupt_entries_total',
      help: 'Entries of the index that are no state of their order, or that this instance can not verify',
    });
  }

  async markers(): Promise<Map<number, bigint>> {
    const found = await Promise.all(PARTITIONS.map((partition) => this.#read(partition, [])));
    return new Map(
      found.flatMap(({ marker }, partition) => (marker === undefined ? [] : [[partition, marker.offset] as const])),
    );
  }

  /** Reads of one partition in the same turn of the event loop share one command. */
  async read(orderKey: string): Promise<{ order?: OrderState; marker?: bigint }> {
    const partition = journalPartition(orderKey);
    const reading = this.#readings.get(partition) ?? this.#gather(partition);
    const at = reading.orderKeys.push(orderKey) - 1;
    const { marker, orders, isUnverified } = await reading.found;
    // Without the index, memory alone could miss an order that other instances can read.
    if (isUnverified) throw new OrderUnreadableError(unverified(partition));
    if (!marker) return {};
    return { ...(orders[at] ? { order: orders[at] } : {}), marker: marker.offset };
  }

  #gather(partition: number): Reading {
    const orderKeys: string[] = [];
    const found = turnOfTheLoop().then(() => {
      this.#readings.delete(partition);
      return this.#read(partition, orderKeys);
    });
    const reading = { orderKeys, found };
    this.#readings.set(partition, reading);
    return reading;
  }

  async readAll(partition: number, marker: bigint, orderKeys: string[]): Promise<(OrderState | undefined)[]> {
    const { stored, marker: found, orders } = await this.#read(partition, orderKeys);
    if (stored === undefined || found?.offset !== marker) throw movedError(partition, stored, marker);
    this.#readAt.set(partition, stored);
    return orders;
  }

  async readTogether(partition: number, orderKeys: string[]): Promise<IndexSnapshot> {
    const { marker, orders } = await this.#read(partition, orderKeys);
    return { ...(marker ? markOf(marker) : {}), orders };
  }

  async #read(partition: number, orderKeys: string[]): Promise<Found> {
    const answer = await this.redis.eval(READ, { keys: this.#keys.all(partition), arguments: orderKeys });
    const [stored, counts, ...states] = answer as [string | null, string, ...(string | null)[]];
    const nothing = { orders: orderKeys.map(() => undefined) };
    const marker = this.#markerOf(partition, stored, counts);
    if (stored === null) return nothing;
    if (marker === undefined) return { ...nothing, isUnverified: !this.#seal.isMarker(partition, stored) };
    // The marker was verified, so the keys are right: a state that fails verification was not written by this service.
    const orders = states.map((text, at) =>
      text === null ? undefined : this.#seal.verifyState(orderKeys[at]!, marker.generation, text),
    );
    const corrupt = states.flatMap((text, at) => (text !== null && !orders[at] ? [{ key: orderKeys[at]!, text }] : []));
    for (const { key, text } of corrupt) await this.#drop(partition, key, text);
    return corrupt.length > 0 ? nothing : { stored, marker, orders };
  }

  /** A marker that can't be verified may be right and our keys wrong. So it stays, and an alarm is raised. */
  #markerOf(partition: number, stored: string | null, counts: string): IndexMarker | undefined {
    if (stored === null) return undefined;
    if (this.#seal.isMarker(partition, stored)) this.#reportedAtMs.delete(partition);
    else this.#reportUnverified(partition);
    return this.#seal.verifyMarker(partition, stored, counts);
  }

  #reportUnverified(partition: number): void {
    const nowMs = performance.now();
    if (nowMs - (this.#reportedAtMs.get(partition) ?? -Infinity) < TOLD_EVERY_MS) return;
    this.#reportedAtMs.set(partition, nowMs);
    this.#corrupt.inc();
    this.log.error({ partition }, unverified(partition));
  }

  async dropUnverified(partition: number): Promise<void> {
    const answer = await this.redis.eval(READ, { keys: this.#keys.all(partition), arguments: [] });
    const [stored] = answer as [string | null];
    if (stored !== null && !this.#seal.isMarker(partition, stored)) await this.#drop(partition, 'marker', stored);
  }

  async #drop(partition: number, key: string, text: string): Promise<void> {
    this.#corrupt.inc();
    this.log.error(
      { partition, orderKey: key },
      'Redis holds something else than what this service writes: the index is built anew',
    );
    await this.redis.eval(DROP_CORRUPT, { keys: this.#keys.all(partition), arguments: [key, text] });
  }

  async openOrders(partition: number): Promise<{ orderKeys: string[]; marker?: bigint }> {
    const { orderKeys, marker } = await this.#readSet(partition, 'open');
    return marker ? { orderKeys, marker: marker.offset } : { orderKeys: [] };
  }

  /** Returns, for each partition, its marker and the orderId of an order that may have the TRANSACTIONID. */
  ordersOfTransaction(
    merchant: string,
    transactionId: string,
  ): Promise<FoundInPartitions<{ marker: bigint; orderId?: string }>> {
    return this.#inEach(PARTITIONS, async (partition) => {
      const options = { keys: this.#keys.all(partition), arguments: [`${merchant}/${transactionId}`] };
      const answer = await this.redis.eval(READ_TRANSACTION, options);
      const [stored, counts, orderId] = answer as [string | null, string, string | null];
      const marker = this.#markerOf(partition, stored, counts);
      if (marker === undefined) return this.#whyMissing(partition, stored);
      return { marker: marker.offset, ...(orderId === null ? {} : { orderId }) };
    });
  }

  /** Keys of the orders in this set. */
  async ordersIn(name: IndexSet, partitions: readonly number[] = PARTITIONS): Promise<ListedOrders> {
    const { found, missing } = await this.#inEach(partitions, async (partition) => {
      const { stored, marker, orderKeys } = await this.#readSet(partition, name);
      return marker === undefined ? this.#whyMissing(partition, stored) : orderKeys;
    });
    return { orderKeys: [...found.values()].flat(), missing };
  }

  /** One partition that can't be read hides no other one. */
  async #inEach<T extends object>(
    partitions: readonly number[],
    read: (partition: number) => Promise<T | MissingPartition>,
  ): Promise<FoundInPartitions<T>> {
    const found = new Map<number, T>();
    const missing: MissingPartition[] = [];
    const late = () => new Error(`Redis does not answer for ${ONE_OF_SEVERAL_MS} ms`);
    await Promise.all(
      partitions.map(async (partition) => {
        const answer = await within(ONE_OF_SEVERAL_MS, read(partition), late).catch((error: unknown) => {
          this.log.warn({ err: error, partition }, 'The index of a journal partition could not be read');
          return unreachable(partition);
        });
        if ('code' in answer) missing.push(answer);
        else found.set(partition, answer);
      }),
    );
    return { found, missing: missing.sort((one, other) => one.partition - other.partition) };
  }

  #whyMissing(partition: number, stored: string | null): MissingPartition {
    if (stored !== null && !this.#seal.isMarker(partition, stored))
      return { partition, code: 'unverified', detail: unverified(partition) };
    const detail = `The index of journal partition ${partition} is being built from the journal; it can be read once that has ended. If it does not end, \`tranche journal status\` says why.`;
    return { partition, code: 'being_built', detail };
  }

  async #readSet(
    partition: number,
    name: IndexSet,
  ): Promise<{ orderKeys: string[]; stored: string | null; marker: IndexMarker | undefined }> {
    const options = { keys: this.#keys.all(partition), arguments: [String(OrderIndexKeys.numberOf(name))] };
    const answer = await this.redis.eval(READ_SET, options);
    const [stored, counts, orderKeys] = answer as [string | null, string, string[]];
    return { orderKeys, stored, marker: this.#markerOf(partition, stored, counts) };
  }

  async write({ partition, from, to, hash, orders, redirectHtml }: Projection): Promise<void> {
    const stored = this.#readAt.get(partition);
    const read = stored === undefined ? undefined : this.#seal.verifyMarker(partition, stored);
    if (stored === undefined || read?.offset !== from) throw movedError(partition, stored, from);
    await keepPages(this.redis, this.#keys, redirectHtml);
    await this.#project(partition, stored, { offset: to, generation: read.generation, hash }, orders);
  }

  async #project(partition: number, stored: string, next: IndexMarker, orders: OrderState[]): Promise<void> {
    const sealed = (key: string, state: string) => this.#seal.signState(key, next.generation, state);
    const marker = this.#seal.signMarker(partition, markerText(next));
    const written = orders.flatMap((order) => argumentsOf(order, this.config.refundableDays, sealed));
    const answer = await this.redis.eval(PROJECT, {
      keys: this.#keys.all(partition),
      arguments: [stored, marker, ...written],
    });
    const [isWritten, found] = answer as [number, string];
    if (isWritten === 0) throw movedError(partition, found, this.#seal.verifyMarker(partition, stored)?.offset);
    this.#readAt.set(partition, found);
  }

  async redirectHtml(orderKey: string, commandId: string): Promise<string | undefined> {
    return (await this.redis.get(this.#keys.html(orderKey, commandId))) ?? undefined;
  }

  beginRebuild(partition: number, marker: bigint | undefined): Promise<Rebuild | undefined> {
    const { refundableDays } = this.config;
    const request = { partition, marker, process: this.#process, refundableDays, seal: this.#seal };
    return OrderIndexRebuild.begin(this.redis, this.#keys, request);
  }

  /** Redis TIME in milliseconds; with several masters, the one furthest from our clock. `CLOCK_OFFSET_MS` moves it like our own clock. */
  async timeMs(): Promise<number> {
    const answers = await this.redis.sendToEach<[string, string]>(['TIME']);
    const times = answers.map(({ answer: [seconds, micros] }) => Number(seconds) * 1000 + Number(micros) / 1000);
    const ourMs = Date.now();
    const furthest = times.reduce((one, other) => (Math.abs(other - ourMs) > Math.abs(one - ourMs) ? other : one));
    return furthest + this.config.clockOffsetMs;
  }

  /** Keys of a partition's orders with a timer due at `nowMs`; undefined while the partition's index is not whole. */
  async dueOrders(partition: number, nowMs: number, limit: number): Promise<string[] | undefined> {
    const keys = this.#keys.all(partition);
    const due = await this.redis.eval(READ_DUE, { keys, arguments: [nowMs, limit].map(String) });
    return (due as string[] | null) ?? undefined;
  }
}

const unverified = (partition: number): string =>
  `The index of journal partition ${partition} can not be verified with the keys of this instance. Check that INDEX_HMAC_KEYS is the same in all instances; if it is, somebody else wrote into Redis`;

export function unreachable(partition: number): MissingPartition {
  const detail = `Orders of journal partition ${partition} can not be read now; the log of this instance says why. Ask again later.`;
  return { partition, code: 'unreachable', detail };
}

/** @throws OrderUnreadableError where a partition is missing */
export function whole({ orderKeys, missing: [first] }: ListedOrders): string[] {
  if (first !== undefined) throw new OrderUnreadableError(first.detail);
  return orderKeys;
}

const markOf = ({ offset, hash }: IndexMarker): Mark => compact({ marker: offset, hash });

function movedError(partition: number, stored: string | null | undefined, expected?: bigint): MarkerMovedError {
  return new MarkerMovedError(
    `The index of journal partition ${partition} is at ${stored ?? 'nothing'}, not at ${expected}`,
  );
}
