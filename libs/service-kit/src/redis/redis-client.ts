import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { backOffMs } from '@tranche/runtime';
import type { ServiceLogger } from '../logger.js';
import type { RedisCommands, RedisLink } from './redis-link.js';
import { placeOf, type RedisOptions } from './redis-options.js';
import { isUnusable, whyAway } from './redis-replies.js';
import { watchLink } from './watch-link.js';

const CLOSE_TIMEOUT_MS = 2_000;
/** After a connection that lasted so long the next attempts begin with short pauses again. */
const STEADY_MS = 10_000;

/** A link, and how to end it. */
interface Connection {
  link: RedisLink;
  end(this: void, reason: unknown): void;
}

/**
 * One server, the master that sentinels name, or a Redis Cluster. Connects in the background and for ever: while Redis is absent, at the
 * start or later, the log says so, the next attempt comes after a pause, and (with `health`) the service is not ready. A server that is no
 * master any more, or whose name stands for another one, counts as lost. Commands fail at once while a server is away, so that callers can
 * decide; what must be atomic is a script. The owner closes it in `onApplicationShutdown`.
 */
export class RedisClient extends EventEmitter<{ ready: [] }> implements RedisCommands {
  readonly #place;
  readonly #silenceMs: number;
  readonly #maxDelayMs: number;
  readonly #log: ServiceLogger;
  readonly #fields: { redis: string; address: string };
  readonly #closing = new AbortController();
  #connection?: Connection;
  #isRoleKnown = true;
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
    return this.#connection?.link.isReady === true;
  }

  readonly del: RedisCommands['del'] = (...args) => this.#ask(({ commands }) => commands.del(...args));
  readonly eval: RedisCommands['eval'] = (...args) => this.#ask(({ commands }) => commands.eval(...args));
  readonly get: RedisCommands['get'] = (...args) => this.#ask(({ commands }) => commands.get(...args));
  readonly hGet: RedisCommands['hGet'] = (...args) => this.#ask(({ commands }) => commands.hGet(...args));
  readonly hGetAll: RedisCommands['hGetAll'] = (...args) => this.#ask(({ commands }) => commands.hGetAll(...args));
  readonly hmGet: RedisCommands['hmGet'] = (...args) => this.#ask(({ commands }) => commands.hmGet(...args));
  readonly set: RedisCommands['set'] = (...args) => this.#ask(({ commands }) => commands.set(...args));

  /** The same command to each server that takes writes: one, or all masters of a cluster. */
  async sendToEach<T>(command: string[]): Promise<{ address: string; answer: T }[]> {
    return this.#ask(({ servers }) =>
      Promise.all(servers.map(async ({ address, send }) => ({ address, answer: await send<T>(command) }))),
    );
  }

  /** Waits a moment for commands under way; ends at once when there is no connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    const link = this.#connection?.link;
    this.#connection = undefined;
    if (link === undefined) return;
    const overdue = setTimeout(() => link.destroy(), CLOSE_TIMEOUT_MS);
    if (link.isReady) await link.close().catch(() => undefined);
    clearTimeout(overdue);
    link.destroy();
  }

  async #ask<T>(command: (link: RedisLink) => Promise<T>): Promise<T> {
    const connection = this.#connection;
    if (!connection?.link.isReady) throw this.#away();
    try {
      return await command(connection.link);
    } catch (error) {
      if (isUnusable(error)) connection.end(error);
      throw error;
    }
  }

  #away(): Error {
    return new Error(`Redis at ${this.#place.address} cannot be reached: ${this.#trouble ?? 'connection lost'}`);
  }

  async #keepConnected(): Promise<void> {
    for (let attempt = 1; this.isOpen; attempt++) {
      const sinceMs = performance.now();
      try {
        await this.#connectOnce();
      } catch (error) {
        if (performance.now() - sinceMs >= STEADY_MS) attempt = 1;
        if (this.isOpen) await this.#pause(attempt, error);
      }
    }
  }

  /** Rejects when there is no connection, or it is lost. */
  async #connectOnce(): Promise<void> {
    const lost = new AbortController();
    // An event or an answer of this attempt may come when the next link is in use: then it says nothing about Redis of now.
    const unlessLate =
      <A extends unknown[]>(act: (...of: A) => void) =>
      (...of: A) => {
        if (!lost.signal.aborted) act(...of);
      };
    const end = unlessLate((reason: unknown) => {
      this.#connection = undefined;
      this.#trouble = whyAway(reason);
      lost.abort(reason);
    });
    const warn = unlessLate((error: unknown) => this.#warn(error));
    try {
      const link = await this.#place.open({
        ready: unlessLate(() => this.#ready()),
        trouble: (error, isOver) => (isOver ? end(error) : warn(error)),
      });
      await this.#use({ link, end }, lost.signal);
    } finally {
      lost.abort();
    }
  }

  /** Rejects when the connection is lost, or this client is closed. */
  async #use(connection: Connection, lost: AbortSignal): Promise<void> {
    const { link, end } = connection;
    const over = AbortSignal.any([lost, this.#closing.signal]);
    if (over.aborted) link.destroy();
    over.throwIfAborted();
    const stopWatching = watchLink(link, {
      silenceMs: this.#silenceMs,
      onOver: end,
      onRoleUnknown: (reason) => this.#warnOfRole(reason),
    });
    try {
      this.#connection = connection;
      if (link.isReady) this.#ready();
      await once(over, 'abort');
      over.throwIfAborted();
    } finally {
      stopWatching();
      // Where this client is being closed, `close` ends the link: it waits for the commands under way, which `destroy` would fail.
      if (this.isOpen || lost.aborted) {
        this.#connection = undefined;
        link.destroy();
      }
    }
  }

  #pause(attempt: number, error: unknown): Promise<void> {
    const retryInMs = backOffMs(attempt, { firstMs: 100, maxMs: this.#maxDelayMs });
    this.#trouble = whyAway(error);
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
    this.#trouble = whyAway(error);
    if (isKnown) this.#log.debug({ ...this.#fields, err: error }, 'Redis connection error');
    else this.#log.warn(this.#fields, this.#away().message);
  }

  #warnOfRole(reason: string): void {
    if (this.#isRoleKnown)
      this.#log.warn(
        { ...this.#fields, reason },
        'Redis does not say its role: a failover is noticed only when it refuses a write. Allow the command ROLE to this user',
      );
    this.#isRoleKnown = false;
  }
}
