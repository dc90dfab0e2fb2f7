import { setTimeout as delay } from 'node:timers/promises';

/** Time and chance, for the parts that must run under a simulated clock as well. */
export interface Timers {
  /** Monotonic, milliseconds. */
  nowMs(): number;
  /** Runs it once after the time; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
  /** From 0 to 1, for jitter. */
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

/** Time as a process sees it, with its date; injected, so that tests and the simulation travel. */
export interface Timing {
  /** Wall clock, milliseconds since the epoch. */
  nowMs(): number;
  /** Never goes back and knows no date, milliseconds: for ages and deadlines within this process. */
  monotonicMs(): number;
  /** Rejects with the signal's reason when that comes first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The system's clock; its date, not its pace, moved by `offsetMs`. */
export function systemTiming(offsetMs = 0): Timing {
  return {
    nowMs: () => Date.now() + offsetMs,
    monotonicMs: () => performance.now(),
    sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
  };
}
