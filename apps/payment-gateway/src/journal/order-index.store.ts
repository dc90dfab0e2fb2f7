import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { orderKey } from '@tranche/contracts';
import { JOURNAL_PARTITIONS, journalPartition, type OrderState } from '@tranche/order-journal';
import { closeRedis, connectRedis, Health, ServiceLogger, type RedisClient } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';

/** REDIRECTHTML is kept for repeats. Seconds. */
const REDIRECT_HTML_LIFETIME_SECONDS = 86_400;

const PARTITIONS = Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => partition);

/** Another process moved the marker: nothing was written, this one is not the projector of the partition any more. */
export class MarkerMovedError extends Error {
  override name = 'MarkerMovedError';
}

export interface Projection {
  partition: number;
  /** Offset of the last record that the index held before, and holds after; undefined before the first. */
  from: bigint | undefined;
  to: bigint;
  orders: OrderState[];
  redirectHtml: { orderKey: string; commandId: string; html: string }[];
}

/**
 * Redis index of the journal: order → state, orders with an open attempt, and the marker of each partition.
 * Keys of one partition share a hash tag, so that one script may write them all.
 *
 * KEYS: marker, open orders, order… · ARGV: expected marker, new marker, then per order: state, 1 if an attempt is open, order key.
 */
const PROJECT = `
local stored = redis.call('GET', KEYS[1])
if (stored or '') ~= ARGV[1] then return stored or 'none' end
for i = 3, #KEYS do
  local arg = 3 + (i - 3) * 3
  redis.call('SET', KEYS[i], ARGV[arg])
  if ARGV[arg + 1] == '1' then redis.call('SADD', KEYS[2], ARGV[arg + 2]) else redis.call('SREM', KEYS[2], ARGV[arg + 2]) end
end
redis.call('SET', KEYS[1], ARGV[2])
return 'ok'`;

@Injectable()
export class OrderIndexStore implements OnApplicationShutdown {
  readonly #redis: RedisClient;
  readonly #prefix: string;

  constructor(config: GatewayConfig, @Inject(ServiceLogger) log: ServiceLogger, @Inject(Health) health: Health) {
    this.#redis = connectRedis({ url: config.redisUrl, name: 'index', log, health });
    this.#prefix = `${config.kafkaTopicPrefix}gateway:`;
  }

  /** Rejects while Redis is away, or where it may evict what nobody could restore in time. */
  async assertUsable(): Promise<void> {
    await this.#redis.ping();
    const { 'maxmemory-policy': policy } = await this.#redis.configGet('maxmemory-policy').catch((): Record<string, string> => ({}));
    if (policy !== undefined && policy !== 'noeviction')
      throw new Error(`Redis evicts keys (maxmemory-policy ${policy}). Set maxmemory-policy noeviction`);
  }

  /** Offset of the last journal record that the index holds, per partition. */
  async markers(): Promise<Map<number, bigint>> {
    const stored = await Promise.all(PARTITIONS.map((partition) => this.#redis.get(this.#key(partition, 'marker'))));
    return new Map(PARTITIONS.flatMap((partition) => (stored[partition] ? [[partition, BigInt(stored[partition])] as const] : [])));
  }

  /** State and marker in one read, so that they belong together (R7). */
  async read(orderKey: string): Promise<{ order?: OrderState; marker?: bigint }> {
    const partition = journalPartition(orderKey);
    const [marker, order] = await this.#redis.mGet([this.#key(partition, 'marker'), this.#orderKey(orderKey)]);
    return { ...(order ? { order: JSON.parse(order) as OrderState } : {}), ...(marker ? { marker: BigInt(marker) } : {}) };
  }

  /**
   * States of several orders of one partition, for its projector, which alone writes them.
   * @throws MarkerMovedError when the index is not at `marker`: what it holds is then not what the projector left.
   */
  async readAll(partition: number, marker: bigint | undefined, orderKeys: string[]): Promise<(OrderState | undefined)[]> {
    const [stored, ...orders] = await this.#redis.mGet([
      this.#key(partition, 'marker'),
      ...orderKeys.map((orderKey) => this.#orderKey(orderKey)),
    ]);
    if ((stored ?? undefined) !== marker?.toString()) throw movedError(partition, stored, marker);
    return orders.map((order) => (order ? (JSON.parse(order) as OrderState) : undefined));
  }

  /** Orders that had an attempt open when the markers were written. */
  async openOrders(): Promise<string[]> {
    return (await Promise.all(PARTITIONS.map((partition) => this.#redis.sMembers(this.#key(partition, 'open'))))).flat();
  }

  /** @throws MarkerMovedError and writes nothing when the stored marker is not `from`. */
  async write({ partition, from, to, orders, redirectHtml }: Projection): Promise<void> {
    const expiration = { type: 'EX', value: REDIRECT_HTML_LIFETIME_SECONDS } as const;
    await Promise.all(redirectHtml.map((page) => this.#redis.set(this.#htmlKey(page.orderKey, page.commandId), page.html, { expiration })));
    const keyOf = (order: OrderState) => orderKey(order.merchant, order.orderId);
    const answer = await this.#redis.eval(PROJECT, {
      keys: [this.#key(partition, 'marker'), this.#key(partition, 'open'), ...orders.map((order) => this.#orderKey(keyOf(order)))],
      arguments: [
        from?.toString() ?? '',
        to.toString(),
        ...orders.flatMap((order) => [
          JSON.stringify(order),
          order.operations.some(({ phase }) => phase === 'open') ? '1' : '0',
          keyOf(order),
        ]),
      ],
    });
    if (answer !== 'ok')
      throw new MarkerMovedError(
        `The index of journal partition ${partition} is at ${answer as string}, not at ${from ?? 'its beginning'}`,
      );
  }

  async redirectHtml(orderKey: string, commandId: string): Promise<string | undefined> {
    return (await this.#redis.get(this.#htmlKey(orderKey, commandId))) ?? undefined;
  }

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.#redis);
  }

  #orderKey(orderKey: string): string {
    return this.#key(journalPartition(orderKey), `order:${orderKey}`);
  }

  #htmlKey(orderKey: string, commandId: string): string {
    return this.#key(journalPartition(orderKey), `html:${orderKey.length}:${orderKey}:${commandId}`);
  }

  #key(partition: number, name: string): string {
    return `${this.#prefix}{j${partition}}:${name}`;
  }
}

function movedError(partition: number, stored: string | null | undefined, expected: bigint | undefined): MarkerMovedError {
  return new MarkerMovedError(
    `The index of journal partition ${partition} is at ${stored ?? 'nothing'}, not at ${expected ?? 'its beginning'}`,
  );
}
