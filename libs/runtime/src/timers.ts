import { setTimeout as delay } from 'node:timers/promises';

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
