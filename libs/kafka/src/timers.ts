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
