import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { backOffMs, reasonOf } from '@tranche/runtime';
import type { ServiceLogger } from '../logger.js';
import type { RedisCommands, RedisLink } from './redis-link.js';
import { placeOf, type RedisOptions } from './redis-options.js';
import { watchLink } from './watch-link.js';

const CLOSE_TIMEOUT_MS = 2_000;

/**
 * One server, the master that sentinels name, or a Redis Cluster. Connects in the background and for ever: absent at the start or lost
 * later, it says so, tries again with back-off, and (with `health`) the service is not ready meanwhile. Commands fail at once while a
 * server is away, so that callers can decide; what must be atomic is a script. The owner closes it in `onApplicationShutdown`.
 */
export class RedisClient extends EventEmitter<{ ready: [] }> implements RedisCommands {
  readonly #place;
  readonly #silenceMs: number;
  readonly #maxDelayMs: number;
  readonly #log: ServiceLogger;
  readonly #fields: { redis: string; address: string };
  readonly #closing = new AbortController();
  #link?: RedisLink;
  #trouble: string | undefined = 'not connected yet';

  constructor(options: RedisOptions) {
    super();
    const {
      name,
      log,
      health,
      answerMs = 1_000,
      silenceMs = Math.max(2_000, 2 * answerMs),
      maxDelayMs = 2_000,
    } = options;
    this.#place = placeOf({ ...options, maxDelayMs });
    this.#silenceMs = silenceMs;
    this.#maxDelayMs = maxDelayMs;
    this.#log = log;
    this.#fields = { redis: name, address: this.#place.address };
    health?.addReadiness(`redis-${name}`, () => (this.isReady ? undefined : this.#away().message));
    void this.#keepConnected();
  }

  get isOpen(): boolean {
    return !this.#closing.signal.aborted;
  }

  get isReady(): boolean {
    return this.#link?.isReady === true;
  }

  readonly del: RedisCommands['del'] = async (...args) => this.#connected.commands.del(...args);
  readonly eval: RedisCommands['eval'] = async (...args) => this.#connected.commands.eval(...args);
  readonly get: RedisCommands['get'] = async (...args) => this.#connected.commands.get(...args);
  readonly hGet: RedisCommands['hGet'] = async (...args) => this.#connected.commands.hGet(...args);
  readonly hGetAll: RedisCommands['hGetAll'] = async (...args) => this.#connected.commands.hGetAll(...args);
  readonly hmGet: RedisCommands['hmGet'] = async (...args) => this.#connected.commands.hmGet(...args);
  readonly set: RedisCommands['set'] = async (...args) => this.#connected.commands.set(...args);

  /** The same command to each server that takes writes: one, or all masters of a cluster. */
  async sendToEach<T>(command: string[]): Promise<{ address: string; answer: T }[]> {
    const { servers } = this.#connected;
    return Promise.all(servers.map(async ({ address, send }) => ({ address, answer: await send<T>(command) })));
  }

  /** Waits a moment for commands under way; ends at once when there is no connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined) return;
    const overdue = setTimeout(() => link.destroy(), CLOSE_TIMEOUT_MS);
    if (link.isReady) await link.close().catch(() => undefined);
    clearTimeout(overdue);
    link.destroy();
  }

  get #connected(): RedisLink {
    if (!this.#link?.isReady) throw this.#away();
    return this.#link;
  }

  #away(): Error {
    return new Error(`Redis at ${this.#place.address} cannot be reached: ${this.#trouble ?? 'connection lost'}`);
  }

  async #keepConnected(): Promise<void> {
    for (let attempt = 1; this.isOpen; attempt++) {
      try {
        await this.#connectOnce(() => (attempt = 0));
      } catch (error) {
        if (this.isOpen) await this.#pause(Math.max(attempt, 1), error);
      }
    }
  }

  /** Rejects when there is no connection, or it is lost. */
  async #connectOnce(onConnected: () => void): Promise<void> {
    const lost = new AbortController();
    const trouble = (error: unknown, isOver: boolean) => (isOver ? lost.abort(error) : this.#warn(error));
    const link = await this.#place.open({ ready: () => this.#ready(), trouble });
    const watching = watchLink(link, this.#silenceMs, (reason) => {
      this.#log.warn(this.#fields, `Redis at ${this.#place.address} gives no answer: the connection is cut`);
      lost.abort(reason);
    });
    try {
      const over = AbortSignal.any([lost.signal, this.#closing.signal]);
      if (over.aborted) link.destroy();
      over.throwIfAborted();
      this.#link = link;
      onConnected();
      if (link.isReady) this.#ready();
      await once(over, 'abort');
      over.throwIfAborted();
    } finally {
      clearInterval(watching);
      if (this.isOpen) {
        this.#link = undefined;
        link.destroy();
      }
    }
  }

  #pause(attempt: number, error: unknown): Promise<void> {
    const retryInMs = backOffMs(attempt, { firstMs: 100, maxMs: this.#maxDelayMs });
    this.#trouble = reasonOf(error);
    this.#log.warn({ ...this.#fields, retryInMs }, `${this.#away().message}. Trying again in ${retryInMs} ms`);
    return delay(retryInMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  #ready(): void {
    this.#trouble = undefined;
    this.#log.info(this.#fields, `connected to Redis at ${this.#place.address}`);
    this.emit('ready');
  }

  /** The link goes on by itself: said once, until it is whole again. */
  #warn(error: unknown): void {
    const isKnown = this.#trouble !== undefined;
    this.#trouble = reasonOf(error);
    if (isKnown) this.#log.debug({ ...this.#fields, err: error }, 'Redis connection error');
    else this.#log.warn(this.#fields, this.#away().message);
  }
}
