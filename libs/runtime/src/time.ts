import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf, type Log } from './reports.js';

/** Time and randomness for code that also runs under a simulated clock. */
export interface Timers {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Runs `run` once after the time; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Random number from 0 to 1, for jitter. */
  random(): number;
}

export const realTimers: Timers = {
  nowMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** A process's clocks; injected, so that tests and the simulation can move the time. */
export interface Timing {
  /** Wall clock, milliseconds since the epoch. */
  nowMs(): number;
  /** Monotonic milliseconds, for ages and deadlines within this process. */
  monotonicMs(): number;
  /** Rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The system's clocks; `offsetMs` shifts only the wall clock. */
export function systemTiming(offsetMs = 0): Timing {
  return {
    nowMs: () => Date.now() + offsetMs,
    monotonicMs: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
  };
}

interface BackOff {
  firstMs: number;
  maxMs: number;
}

/** Delay before retry `repeat` (from 1): doubles each time, and half of it is random, so that many callers do not retry together. */
export function backOffMs(repeat: number, { firstMs, maxMs }: BackOff, random: number = Math.random()): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(repeat - 1, 30));
  return Math.round(full / 2 + (full / 2) * random);
}

/** Resolves after the time, or when the signal aborts; never rejects. */
export function pauseFor(ms: number, signal?: AbortSignal, timers: Timers = realTimers): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timers.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Waits for the promise, at most `ms` milliseconds. */
export async function atMost(ms: number, promise: Promise<unknown>, timers: Timers = realTimers): Promise<void> {
  const enough = new AbortController();
  try {
    await Promise.race([promise, pauseFor(ms, enough.signal, timers)]);
  } finally {
    enough.abort();
  }
}

/** Resolves as the promise does, or rejects with `tooLate()` after the time. The work itself is not stopped. */
export async function within<T>(
  ms: number,
  work: Promise<T>,
  tooLate: () => Error,
  timers: Timers = realTimers,
): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_resolve, reject) => (cancel = timers.after(ms, () => reject(tooLate()))));
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

export class Deadline {
  #untilMs: number;

  constructor(
    ms: number,
    private readonly timers: Timers = realTimers,
  ) {
    this.#untilMs = timers.nowMs() + ms;
  }

  /** Extends the deadline to at least this far from now. */
  atLeast(ms: number): void {
    this.#untilMs = Math.max(this.#untilMs, this.timers.nowMs() + ms);
  }

  async wait(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    const leftMs = () => this.#untilMs - this.timers.nowMs();
    // At least 1 ms, because a clock may not advance by a fraction, and the loop would spin.
    while (!isSettled && leftMs() > 0) await atMost(Math.max(1, leftMs()), settled, this.timers);
  }
}

/**
 * Seconds for Retry-After: whole milliseconds first, because a difference of two clock readings may be 10,000.0000001 ms where 10 s are
 * meant. At least 1: a client that is told 0 comes back at once.
 */
export function secondsToWait(ms: number): number {
  return Math.max(1, Math.ceil(Math.round(ms) / 1_000));
}

interface UntilUpOptions {
  log: Pick<Log, 'info' | 'warn'>;
  /** Ends the wait; the promise rejects with the signal's reason. */
  signal: AbortSignal;
  /** Milliseconds before the second attempt; doubles each time (250). */
  firstMs?: number;
  /** Maximum milliseconds between attempts (5000). */
  maxMs?: number;
}

/** Retries `attempt` until it succeeds, with back-off and jitter, and logs each failure with its reason. */
export async function untilUp<T>(what: string, attempt: () => Promise<T>, options: UntilUpOptions): Promise<T> {
  const { log, signal, firstMs = 250, maxMs = 5_000 } = options;
  for (let attempts = 1; ; attempts++) {
    signal.throwIfAborted();
    try {
      const result = await attempt();
      if (attempts > 1) log.info({ attempts }, `${what} is there now`);
      return result;
    } catch (error) {
      const retryInMs = backOffMs(attempts, { firstMs, maxMs });
      log.warn(
        { attempts, retryInMs, reason: reasonOf(error) },
        `${what} cannot be reached: ${reasonOf(error)}. Trying again in ${retryInMs} ms`,
      );
      await delay(retryInMs, undefined, { signal });
    }
  }
}
