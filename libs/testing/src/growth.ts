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
