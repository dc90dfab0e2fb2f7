import { Injectable } from '@nestjs/common';
import { InjectRedis, Problem, type RedisClient } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import type { PaymentCommand } from '../form/payment-command.js';
import { attemptId, type Order } from './order.js';

/** The events have the same retention. */
const ORDER_LIFETIME_MS = 35 * 86_400_000;
const FORM_LIFETIME_MS = 86_400_000;
const MAX_CHANGES_LOST = 50;

export interface StoredOrder {
  order: Order;
  version: number;
}

export interface StoredCommand {
  id: string;
  command: PaymentCommand;
  /** Time at which Redis deletes the command's content, published or not. */
  notAfterMs: number;
}

/** Compare-and-set on the version. A new attempt stores its command in the same script. */
const SAVE = `
local version = tonumber(redis.call('HGET', KEYS[1], 'version') or '0')
if version ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', version + 1, 'order', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if ARGV[4] ~= '' then redis.call('SET', KEYS[2], ARGV[4], 'PXAT', ARGV[5]) end
return version + 1`;

const LIST = `
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
return redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[3])`;

const NEWEST = `return redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[2], 'REV')`;
const READ_AT_ONCE = 100;

/** Holds all state in Redis, so that any replica can serve any page. While Redis is unreachable, requests get 503. */
@Injectable()
export class OrderStore {
  readonly #redis: RedisClient;
  readonly #prefix: string;

  constructor(config: CheckoutConfig, @InjectRedis() redis: RedisClient) {
    this.#redis = redis;
    this.#prefix = config.redisKeyPrefix;
  }

  async find(orderId: string): Promise<StoredOrder | undefined> {
    const { order, version } = await asked(this.#redis.hGetAll(this.#orderKey(orderId)));
    return order === undefined ? undefined : { order: JSON.parse(order) as Order, version: Number(version) };
  }

  async versionOf(orderId: string): Promise<number> {
    return Number((await asked(this.#redis.hGet(this.#orderKey(orderId), 'version'))) ?? 0);
  }

  /** Resolves to false, and writes nothing, if the version has changed. */
  async save(order: Order, version: number, stored?: StoredCommand): Promise<boolean> {
    const keys = [this.#orderKey(order.orderId), this.#commandKey(stored?.id ?? attemptId(order.orderId, 0))];
    const content = stored === undefined ? '' : JSON.stringify(stored);
    const values = [version, JSON.stringify(order), ORDER_LIFETIME_MS, content, stored?.notAfterMs ?? 0].map(String);
    return Number(await asked(this.#redis.eval(SAVE, { keys, arguments: values }))) > 0;
  }

  /** Applies a pure function to the latest state, with retries on concurrent changes. Writes nothing if it returns the same object. */
  async change(orderId: string, change: (order: Order) => Order): Promise<StoredOrder | undefined> {
    for (let lost = 0; lost < MAX_CHANGES_LOST; lost++) {
      const stored = await this.find(orderId);
      if (stored === undefined) return undefined;
      const changed = change(stored.order);
      if (changed === stored.order) return stored;
      if (await this.save(changed, stored.version)) return { order: changed, version: stored.version + 1 };
    }
    throw new Error(`order ${orderId} was changed by others ${MAX_CHANGES_LOST} times in a row`);
  }

  /** Makes the order one of the desk's, before it is saved: an id without an order is skipped. Ids go with their orders. */
  async list(orderId: string, nowMs: number): Promise<void> {
    const values = [nowMs, orderId, nowMs - ORDER_LIFETIME_MS].map(String);
    await asked(this.#redis.eval(LIST, { keys: [`${this.#prefix}orders`], arguments: values }));
  }

  /** Reads as many as the caller takes, at most `most`. */
  async *newestFirst(most: number): AsyncGenerator<StoredOrder> {
    for (let from = 0; from < most; from += READ_AT_ONCE) {
      const range = [from, Math.min(from + READ_AT_ONCE, most) - 1].map(String);
      const page = { keys: [`${this.#prefix}orders`], arguments: range };
      const ids = (await asked(this.#redis.eval(NEWEST, page))) as string[];
      for (const found of await Promise.all(ids.map((id) => this.find(id)))) if (found !== undefined) yield found;
      if (ids.length < READ_AT_ONCE) return;
    }
  }

  async unpublished(id: string): Promise<StoredCommand | undefined> {
    const content = await asked(this.#redis.get(this.#commandKey(id)));
    return content === null ? undefined : (JSON.parse(content) as StoredCommand);
  }

  async forgetCommand(id: string): Promise<void> {
    await asked(this.#redis.del(this.#commandKey(id)));
  }

  /** REDIRECTHTML, still base64. */
  async keepForm(id: string, redirectHtml: string): Promise<void> {
    await asked(
      this.#redis.set(this.#formKey(id), redirectHtml, { expiration: { type: 'PX', value: FORM_LIFETIME_MS } }),
    );
  }

  async formOf(id: string): Promise<string | undefined> {
    return (await asked(this.#redis.get(this.#formKey(id)))) ?? undefined;
  }

  /** The script uses the keys of the order and the command together, so both have the order's id as hash tag (Redis Cluster). */
  #orderKey = (orderId: string): string => `${this.#prefix}order:{${orderId}}`;
  #commandKey = (id: string): string => `${this.#prefix}command:${id.replace(/^(.*)\./s, '{$1}.')}`;
  #formKey = (id: string): string => `${this.#prefix}form:${id}`;
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    const detail = 'Orders cannot be read or written now. Nothing was paid by this request; try again.';
    throw new Problem({ status: 503, code: 'unavailable', detail, headers: { 'retry-after': '5' }, cause });
  }
}
