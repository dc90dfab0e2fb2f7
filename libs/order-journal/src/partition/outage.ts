import { backOffMs, type Log, type Timing } from '@tranche/runtime';

/** Repeats that last longer need a person. Milliseconds. */
const TROUBLE_AFTER_MS = 60_000;
const RETRY = { firstMs: 100, maxMs: 10_000 };

export interface OutageParts {
  timing: Timing;
  logger: Log;
  /** From 0 to 1: spreads the retries of many owners. Default: Math.random. */
  random?: () => number;
}

/** What is asked of Kafka or Redis fails, and is repeated. After a minute it needs a person: it is logged as an error, and told to readiness. */
export class Outage {
  #failing: { sinceMs: number; error: unknown } | undefined;

  constructor(
    private readonly partition: number,
    private readonly parts: OutageParts,
  ) {}

  /** Undefined in its first minute. */
  get troubledBecause(): string | undefined {
    const { sinceMs = Infinity, error } = this.#failing ?? {};
    const ms = this.parts.timing.monotonicMs() - sinceMs;
    if (ms < TROUBLE_AFTER_MS) return undefined;
    return `journal partition ${this.partition} gets no further for ${Math.round(ms / 1_000)} s: ${(error as Error).message}`;
  }

  /** Waits before the next attempt, or until the signal aborts. */
  async pause(error: unknown, attempt: number, what: string, signal: AbortSignal): Promise<void> {
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
