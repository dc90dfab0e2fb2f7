import { randomUUID } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { orderKey } from '@tranche/contracts';
import {
  journalPartition,
  MarkerMovedError,
  OrderUnreadableError,
  type IndexSnapshot,
  type OrderIndex,
  type OrderState,
  type Projection,
  type Rebuild,
  type TimerIndex,
} from '@tranche/order-journal';
import { InjectRedis, type RedisClient } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { OrderIndexKeys } from './order-index.keys.js';
import { keepPages, OrderIndexRebuild } from './order-index-rebuild.store.js';
import { argumentsOf, CLAIM_DUE, PROJECT } from './order-index.scripts.js';

const { partitions: PARTITIONS } = OrderIndexKeys;

/** Keys to be read by one command, the marker first, and what is stored there. */
interface Reading {
  readonly keys: string[];
  readonly stored: Promise<(string | null)[]>;
}

/**
 * Redis index of the journal: order → state, orders open or in doubt, timers, pages, and the marker of each partition: offset of the
 * last journal record that it holds, and a generation that no other rebuild has.
 */
@Injectable()
export class OrderIndexStore implements OrderIndex, TimerIndex {
  readonly #redis: RedisClient;
  readonly #keys: OrderIndexKeys;
  readonly #process = randomUUID();
  /** Reads that are being gathered, per partition. */
  readonly #readings = new Map<number, Reading>();
  /** Markers with their generation, as `readAll` saw them last: what is written rests on what was read. */
  readonly #readAt = new Map<number, string>();

  constructor(
    private readonly config: GatewayConfig,
    @InjectRedis() redis: RedisClient,
  ) {
    this.#redis = redis;
    this.#keys = new OrderIndexKeys(config.kafkaTopicPrefix);
  }

  /** Rejects while Redis is away, or where it may evict what no audit could restore in time. */
  async assertUsable(): Promise<void> {
    await this.#redis.ping();
    const { 'maxmemory-policy': policy } = await this.#redis
      .configGet('maxmemory-policy')
      .catch((): Record<string, string> => ({}));
    if (policy !== undefined && policy !== 'noeviction')
      throw new Error(`Redis evicts keys (maxmemory-policy ${policy}). Set maxmemory-policy noeviction`);
  }

  async markers(): Promise<Map<number, bigint>> {
    return new Map([...(await this.marks())].map(([partition, { marker }]) => [partition, marker]));
  }

  /** The markers with the hash of the record there, where that is known. */
  async marks(): Promise<Map<number, { marker: bigint; hash?: string }>> {
    const stored = await Promise.all(
      PARTITIONS.map((partition) => this.#redis.get(this.#keys.of(partition, 'marker'))),
    );
    return new Map(
      PARTITIONS.flatMap((partition) => (stored[partition] ? [[partition, markOf(stored[partition])] as const] : [])),
    );
  }

  /** Orders of one partition that are asked for in the same turn of the event loop are one command. */
  async read(orderKey: string): Promise<{ order?: OrderState; marker?: bigint }> {
    const partition = journalPartition(orderKey);
    const reading = this.#readings.get(partition) ?? this.#gather(partition);
    const at = reading.keys.push(this.#keys.order(orderKey)) - 1;
    const stored = await reading.stored;
    const [marker, order] = [stored[0], stored[at]];
    if (!marker) return {};
    return { ...(order ? { order: JSON.parse(order) as OrderState } : {}), marker: offsetOf(marker) };
  }

  #gather(partition: number): Reading {
    const keys = [this.#keys.of(partition, 'marker')];
    const stored = turnOfTheLoop().then(() => {
      this.#readings.delete(partition);
      return this.#redis.mGet(keys);
    });
    const reading = { keys, stored };
    this.#readings.set(partition, reading);
    return reading;
  }

  async readTogether(partition: number, orderKeys: string[]): Promise<IndexSnapshot> {
    const { stored, orders } = await this.#readWithMarker(partition, orderKeys);
    return { ...(stored ? markOf(stored) : {}), orders: stored ? orders : orderKeys.map(() => undefined) };
  }

  async readAll(partition: number, marker: bigint, orderKeys: string[]): Promise<(OrderState | undefined)[]> {
    const { stored, orders } = await this.#readWithMarker(partition, orderKeys);
    if (!stored || offsetOf(stored) !== marker) throw movedError(partition, stored, marker);
    this.#readAt.set(partition, stored);
    return orders;
  }

  async #readWithMarker(
    partition: number,
    orderKeys: string[],
  ): Promise<{ stored?: string | null; orders: (OrderState | undefined)[] }> {
    const keys = [this.#keys.of(partition, 'marker'), ...orderKeys.map((orderKey) => this.#keys.order(orderKey))];
    const [stored, ...orders] = await this.#redis.mGet(keys);
    return { stored, orders: orders.map((order) => (order ? (JSON.parse(order) as OrderState) : undefined)) };
  }

  async openOrders(partition: number): Promise<{ orderKeys: string[]; marker?: bigint }> {
    const read = this.#redis.multi().get(this.#keys.of(partition, 'marker')).sMembers(this.#keys.of(partition, 'open'));
    const [marker, orderKeys] = await read.execTyped();
    return marker ? { orderKeys, marker: offsetOf(marker) } : { orderKeys: [] };
  }

  /** Keys of the orders that have an operation in doubt. @throws OrderUnreadableError while the index is not whole. */
  async ordersInDoubt(): Promise<string[]> {
    const orders = await Promise.all(
      PARTITIONS.map((partition) => this.#redis.sMembers(this.#keys.of(partition, 'doubt'))),
    );
    const { size } = await this.markers();
    if (size < PARTITIONS.length) throw new OrderUnreadableError('The index is being built from the journal');
    return orders.flat();
  }

  async write({ partition, from, to, hash, orders, redirectHtml }: Projection): Promise<void> {
    const stored = this.#readAt.get(partition);
    if (stored === undefined || offsetOf(stored) !== from) throw movedError(partition, stored, from);
    await keepPages(this.#redis, this.#keys, redirectHtml);
    const [, generation] = stored.split(' ');
    await this.#project(partition, stored, `${to} ${generation} ${hash}`, orders);
  }

  /** The generation changes: the script refuses whoever read the states before. */
  async replace(partition: number, marker: bigint, orders: OrderState[]): Promise<void> {
    const stored = await this.#redis.get(this.#keys.of(partition, 'marker'));
    if (!stored || offsetOf(stored) !== marker) throw movedError(partition, stored, marker);
    const [offset, , ...hash] = stored.split(' ');
    await this.#project(partition, stored, [offset, randomUUID(), ...hash].join(' '), orders);
  }

  async #project(partition: number, stored: string, next: string, orders: OrderState[]): Promise<void> {
    const answer = await this.#redis.eval(PROJECT, {
      keys: [
        ...this.#keys.written(partition),
        ...orders.map(({ merchant, orderId }) => this.#keys.order(orderKey(merchant, orderId))),
      ],
      arguments: [stored, next, '', ...orders.flatMap(argumentsOf)],
    });
    if (answer !== 'ok') throw movedError(partition, answer as string, offsetOf(stored));
  }

  async redirectHtml(orderKey: string, commandId: string): Promise<string | undefined> {
    return (await this.#redis.get(this.#keys.html(orderKey, commandId))) ?? undefined;
  }

  beginRebuild(partition: number, marker: bigint | undefined): Promise<Rebuild | undefined> {
    return OrderIndexRebuild.begin(this.#redis, this.#keys, { partition, marker, process: this.#process });
  }

  /** Redis TIME, moved by `CLOCK_OFFSET_MS` like our own clock: travellers take both along. */
  async timeMs(): Promise<number> {
    const [seconds, microseconds] = await this.#redis.sendCommand<[string, string]>(['TIME']);
    return Number(seconds) * 1000 + Number(microseconds) / 1000 + this.config.clockOffsetMs;
  }

  async claimDueOrders(nowMs: number, againMs: number, limit: number): Promise<string[]> {
    const claimed = await Promise.all(
      PARTITIONS.map((partition) =>
        this.#redis.eval(CLAIM_DUE, {
          keys: [this.#keys.of(partition, 'marker'), this.#keys.of(partition, 'timers')],
          arguments: [nowMs, againMs, limit].map(String),
        }),
      ),
    );
    return (claimed as string[][]).flat();
  }

  /** True for one instance, once: what was claimed stays so for `lifetimeMs`. A lost index is asked again. */
  async claimLookUp(orderKey: string, name: string, lifetimeMs: number): Promise<boolean> {
    const claimed = await this.#redis.set(this.#keys.lookUp(orderKey, name), '', {
      condition: 'NX',
      expiration: { type: 'PX', value: Math.ceil(lifetimeMs) },
    });
    return claimed !== null;
  }
}

/** A marker is `OFFSET GENERATION`, and the hash of the record there if it is known. */
function markOf(stored: string): { marker: bigint; hash?: string } {
  const [, , hash] = stored.split(' ');
  return { marker: offsetOf(stored), ...(hash ? { hash } : {}) };
}

function offsetOf(marker: string): bigint {
  return BigInt(marker.split(' ', 1)[0] ?? '');
}

function movedError(partition: number, stored: string | null | undefined, expected: bigint): MarkerMovedError {
  return new MarkerMovedError(
    `The index of journal partition ${partition} is at ${stored ?? 'nothing'}, not at ${expected}`,
  );
}
