import { backOffMs } from '@tranche/runtime';
import type { OwnerParts } from './owner-ports.js';

/** Repeats that last longer need a person. Milliseconds. */
const TROUBLE_AFTER_MS = 60_000;
const RETRY = { firstMs: 100, maxMs: 10_000 };

/** A request to Kafka or Redis fails, and is repeated. After a minute it needs a person: it is logged as an error, and told to readiness. */
export class Outage {
  #failing: { sinceMs: number; error: unknown } | undefined;

  constructor(
    private readonly partition: number,
    private readonly parts: Pick<OwnerParts, 'timing' | 'logger' | 'random'>,
  ) {}

  /** Undefined in its first minute. */
  get troubledBecause(): string | undefined {
    const { sinceMs = Infinity, error } = this.#failing ?? {};
    const ms = this.parts.timing.monotonicMs() - sinceMs;
    if (ms < TROUBLE_AFTER_MS) return undefined;
    return `journal partition ${this.partition} gets no further for ${Math.round(ms / 1_000)} s: ${(error as Error).message}`;
  }

  /** Asks again until it is done, or the signal aborts. @param isInVain true for an error that no repeat changes */
  async repeat<T>(
    what: string,
    ask: () => Promise<T>,
    signal: AbortSignal,
    isInVain: (error: unknown) => boolean,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        const done = await ask();
        this.end();
        signal.throwIfAborted();
        return done;
      } catch (error) {
        if (signal.aborted || isInVain(error)) throw error;
        await this.pause(`${what} failed; it is repeated`, error, attempt, signal);
      }
    }
  }

  /** Waits before the next attempt, or until the signal aborts. */
  async pause(what: string, error: unknown, attempt: number, signal: AbortSignal): Promise<void> {
    const { logger, timing, random } = this.parts;
    this.#failing = { sinceMs: this.#failing?.sinceMs ?? timing.monotonicMs(), error };
    const level = this.troubledBecause === undefined ? 'warn' : 'error';
    logger[level]({ err: error, partition: this.partition, attempt }, what);
    await timing.sleep(backOffMs(attempt, RETRY, random?.()), signal).catch(() => undefined);
  }

  end(): void {
    this.#failing = undefined;
  }
}
