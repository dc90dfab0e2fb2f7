import { randomUUID } from 'node:crypto';
import { orderKey } from '@tranche/contracts';
import { MarkerMovedError, type OrderState, type Rebuild, type RedirectPage } from '@tranche/order-journal';
import type { RedisClient } from '@tranche/service-kit';
import type { OrderIndexKeys } from './order-index.keys.js';
import { argumentsOf, BEGIN_REBUILD, FINISH_REBUILD, REBUILD, WIPE } from './order-index.scripts.js';

/** A rebuild that was silent for so long may be taken over: its process is dead. */
const LEASE_MS = 15_000;
const ORDERS_PER_WRITE = 500;
const KEYS_PER_SCAN = 1_000;

/**
 * A partition's index while it is built anew. Every write is bound to the token that the one before left: a rebuild that another process
 * took over, that a second flush made void, or whose last writes Redis lost, writes nothing more and never finishes.
 */
export class OrderIndexRebuild implements Rebuild {
  readonly #id: string;
  #writes = 0;

  private constructor(
    private readonly redis: RedisClient,
    private readonly keys: OrderIndexKeys,
    private readonly partition: number,
    process: string,
  ) {
    this.#id = `${process} ${randomUUID()}`;
  }

  get #token(): string {
    return `${this.#id} ${this.#writes}`;
  }

  /** @returns undefined where the marker is not `marker` any more, or another process rebuilds the partition. */
  static async begin(
    redis: RedisClient,
    keys: OrderIndexKeys,
    { partition, marker, process }: { partition: number; marker: bigint | undefined; process: string },
  ): Promise<OrderIndexRebuild | undefined> {
    const rebuild = new OrderIndexRebuild(redis, keys, partition, process);
    const answer = await redis.eval(BEGIN_REBUILD, {
      keys: [keys.of(partition, 'marker'), keys.of(partition, 'rebuild')],
      arguments: [marker?.toString() ?? '', `${process} `, rebuild.#token, String(LEASE_MS)],
    });
    if (answer !== 'ok') return undefined;
    await rebuild.#wipe();
    return rebuild;
  }

  async readAll(orderKeys: string[]): Promise<(OrderState | undefined)[]> {
    const stored = await this.redis.mGet(orderKeys.map((key) => this.keys.order(key)));
    return stored.map((order) => (order ? (JSON.parse(order) as OrderState) : undefined));
  }

  async write(orders: OrderState[], redirectHtml: RedirectPage[]): Promise<void> {
    await keepPages(this.redis, this.keys, redirectHtml);
    const chunks = Array.from({ length: Math.max(1, Math.ceil(orders.length / ORDERS_PER_WRITE)) }, (_, at) =>
      orders.slice(at * ORDERS_PER_WRITE, (at + 1) * ORDERS_PER_WRITE),
    );
    await Promise.all(chunks.map((chunk) => this.#writeChunk(chunk)));
  }

  async finish(marker: bigint, hash = ''): Promise<void> {
    const keys = [this.keys.of(this.partition, 'marker'), this.keys.of(this.partition, 'rebuild')];
    this.#expectOk(
      await this.redis.eval(FINISH_REBUILD, {
        keys,
        arguments: [this.#token, `${marker} ${randomUUID()} ${hash}`.trimEnd()],
      }),
    );
  }

  async #writeChunk(orders: OrderState[]): Promise<void> {
    const keys = [
      ...this.keys.written(this.partition),
      ...orders.map((order) => this.keys.order(orderKey(order.merchant, order.orderId))),
    ];
    const before = this.#token;
    this.#writes++;
    this.#expectOk(
      await this.redis.eval(REBUILD, {
        keys,
        arguments: [before, String(LEASE_MS), this.#token, ...orders.flatMap(argumentsOf)],
      }),
    );
  }

  /** What an older index left behind: it would shine through. */
  async #wipe(): Promise<void> {
    const own = this.keys.of(this.partition, 'rebuild');
    for await (const found of this.redis.scanIterator({ MATCH: this.keys.all(this.partition), COUNT: KEYS_PER_SCAN })) {
      const leftovers = found.filter((key) => key !== own);
      if (leftovers.length > 0)
        this.#expectOk(await this.redis.eval(WIPE, { keys: [own, ...leftovers], arguments: [this.#token] }));
    }
    await this.write([], []);
  }

  #expectOk(answer: unknown): void {
    if (answer !== 'ok')
      throw new MarkerMovedError(`The index of journal partition ${this.partition} is not this rebuild's any more`);
  }
}

export async function keepPages(redis: RedisClient, keys: OrderIndexKeys, pages: RedirectPage[]): Promise<void> {
  await Promise.all(
    pages.map(({ orderKey: key, commandId, html, lifetimeMs }) =>
      redis.set(keys.html(key, commandId), html, { expiration: { type: 'PX', value: Math.ceil(lifetimeMs) } }),
    ),
  );
}
