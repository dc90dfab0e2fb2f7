export interface WaitOptions {
  timeoutMs?: number;
  /** Description for the error, such as 'the event of order-1'. */
  what?: string;
  pollMs?: number;
}

/**
 * Polls until the condition returns a value other than undefined and false, and returns it. If the condition throws, it is retried; the
 * last error is the cause of the timeout error.
 */
export async function waitFor<T>(
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 30_000, what = 'a condition', pollMs = 20 }: WaitOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() >= deadline) {
      const reason = lastError instanceof Error ? `: ${lastError.message}` : '';
      throw new Error(`waited ${timeoutMs} ms for ${what} in vain${reason}`, { cause: lastError });
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

const SHORT = 125_000;
const TIMES = 8;
/** A shorter measurement depends more on the machine than on the work. */
const FLOOR_MS = 5;

/** Processor time of this process, milliseconds; hardly depends on other load. */
export function processorMs(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

/**
 * Ratio of processor time for eight times the length: about 8 if `work` is linear, 64 if quadratic. Load makes the ratio larger, never
 * smaller, so it is measured up to six times until it is below `enough`.
 */
export function growth(work: (length: number) => void, enough = 20): number {
  const msFor = (length: number) => processorMs(() => work(length));
  msFor(SHORT);
  let short = Infinity;
  let long = Infinity;
  for (let attempt = 0; attempt < 6 && !(long < enough * short); attempt++) {
    short = Math.max(FLOOR_MS, Math.min(short, msFor(SHORT)));
    long = Math.min(long, msFor(SHORT * TIMES));
  }
  return long / short;
}
