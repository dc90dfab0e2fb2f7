import { randomUUID } from 'node:crypto';
import {
  markerText,
  MarkerMovedError,
  type IndexSigner,
  type OrderIndexKeys,
  type OrderState,
  type Rebuild,
  type RedirectPage,
} from '@tranche/order-journal';
import type { RedisClient } from '@tranche/service-kit';
import { argumentsOf, BEGIN_REBUILD, FINISH_REBUILD, REBUILD } from './order-index.scripts.js';

/** Lease of a rebuild: without a write for this long its process counts as dead, and another one may take over. Milliseconds. */
const LEASE_MS = 15_000;
const ORDERS_PER_WRITE = 500;

interface RebuildRequest {
  partition: number;
  /** Offset of the marker that was read, if any. */
  marker: bigint | undefined;
  process: string;
  refundableDays: number;
  seal: IndexSigner;
}

/**
 * Every write needs the token of the write before. So a rebuild ends without a marker after another process took over, after a second flush, or after
 * Redis lost its last writes.
 */
export class OrderIndexRebuild implements Rebuild {
  readonly #id: string;
  readonly #generation = randomUUID();
  #writes = 0;

  private constructor(
    private readonly redis: RedisClient,
    private readonly keys: OrderIndexKeys,
    private readonly request: RebuildRequest,
  ) {
    this.#id = `${request.process} ${randomUUID()}`;
  }

  get #token(): string {
    return `${this.#id} ${this.#writes}`;
  }

  /** @returns undefined where the marker is no longer `marker`, or another process rebuilds the partition */
  static async begin(
    redis: RedisClient,
    keys: OrderIndexKeys,
    request: RebuildRequest,
  ): Promise<OrderIndexRebuild | undefined> {
    const { partition, marker, process } = request;
    const rebuild = new OrderIndexRebuild(redis, keys, request);
    const answer = await redis.eval(BEGIN_REBUILD, {
      keys: keys.all(partition),
      arguments: [marker?.toString() ?? '', `${process} `, rebuild.#token, String(LEASE_MS)],
    });
    return answer === 'ok' ? rebuild : undefined;
  }

  async readAll(orderKeys: string[]): Promise<(OrderState | undefined)[]> {
    const stored = await this.redis.hmGet(this.keys.of(this.request.partition, 'orders'), orderKeys);
    return stored.map((text, at) => (text === null ? undefined : this.#parsed(text, orderKeys[at]!)));
  }

  async write(orders: OrderState[], redirectHtml: RedirectPage[]): Promise<void> {
    await keepPages(this.redis, this.keys, redirectHtml);
    const chunks = Array.from({ length: Math.max(1, Math.ceil(orders.length / ORDERS_PER_WRITE)) }, (_, at) =>
      orders.slice(at * ORDERS_PER_WRITE, (at + 1) * ORDERS_PER_WRITE),
    );
    await Promise.all(chunks.map((chunk) => this.#writeChunk(chunk)));
  }

  async finish(offset: bigint, hash?: string): Promise<void> {
    const { partition, seal } = this.request;
    const marker = markerText({ offset, generation: this.#generation, ...(hash === undefined ? {} : { hash }) });
    this.#expectOk(
      await this.redis.eval(FINISH_REBUILD, {
        keys: this.keys.all(partition),
        arguments: [this.#token, seal.signMarker(partition, marker)],
      }),
    );
  }

  async #writeChunk(orders: OrderState[]): Promise<void> {
    const { partition, refundableDays, seal } = this.request;
    const sealed = (key: string, state: string) => seal.signState(key, this.#generation, state);
    const before = this.#token;
    this.#writes++;
    this.#expectOk(
      await this.redis.eval(REBUILD, {
        keys: this.keys.all(partition),
        arguments: [
          before,
          String(LEASE_MS),
          this.#token,
          ...orders.flatMap((order) => argumentsOf(order, refundableDays, sealed)),
        ],
      }),
    );
  }

  #parsed(text: string, key: string): OrderState {
    const order = this.request.seal.verifyState(key, this.#generation, text);
    if (order === undefined) throw new MarkerMovedError(`Redis holds no state of ${key} where this rebuild wrote one`);
    return order;
  }

  #expectOk(answer: unknown): void {
    if (answer !== 'ok')
      throw new MarkerMovedError(
        `The index of journal partition ${this.request.partition} is not this rebuild's any more`,
      );
  }
}

export async function keepPages(redis: RedisClient, keys: OrderIndexKeys, pages: RedirectPage[]): Promise<void> {
  await Promise.all(
    pages.map(({ orderKey: key, commandId, html, lifetimeMs }) =>
      redis.set(keys.html(key, commandId), html, { expiration: { type: 'PX', value: Math.ceil(lifetimeMs) } }),
    ),
  );
}
