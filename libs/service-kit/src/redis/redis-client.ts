import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { backOffMs } from '@tranche/runtime';
import type { ServiceLogger } from '../logger.js';
import { type RedisCommands, type RedisLink, isUnusable, whyAway } from './redis-link.js';
import { placeOf, type RedisOptions } from './redis-options.js';
import { watchLink } from './watch-link.js';

const CLOSE_TIMEOUT_MS = 2_000;
/** A connection that lasted this long resets the retry delay. */
const STEADY_MS = 10_000;

interface Connection {
  link: RedisLink;
  end(this: void, reason: unknown): void;
}

/**
 * One server, the master that sentinels name, or a Redis Cluster. Connects in the background, without limit: while Redis is down, each
 * attempt is logged, the next one follows after a delay, and (with `health`) the service is not ready. A server that is no longer the
 * master, or whose name resolves to another server, counts as lost. Commands fail at once while a server is down, so that callers can
 * decide; use a script for atomicity. The owner closes it in `onApplicationShutdown`.
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

  /** Sends a command to every server that takes writes: one, or all masters of a cluster. */
  async sendToEach<T>(command: string[]): Promise<{ address: string; answer: T }[]> {
    return this.#ask(({ servers }) =>
      Promise.all(servers.map(async ({ address, send }) => ({ address, answer: await send<T>(command) }))),
    );
  }

  /** Waits up to 2 s for commands in flight; returns at once if there is no connection. */
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

  async #connectOnce(): Promise<void> {
    const lost = new AbortController();
    // A late event or answer of this attempt says nothing about the next link, so it is dropped.
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
      // If this client is being closed, `close` ends the link, because `destroy` would fail the commands in flight.
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

  /** The link recovers by itself, so a failure is logged as a warning only once per outage. */
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
