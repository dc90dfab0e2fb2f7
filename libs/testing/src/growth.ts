const SHORT = 125_000;
const TIMES = 8;
/** Below this a measurement says more about the machine than about the work. */
const FLOOR_MS = 5;

/** Processor time of this process, milliseconds: a machine that is busy with others makes it hardly longer. */
export function processorMs(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

/**
 * How many times as much processor time `work` takes for eight times the length: about 8 where it is linear, 64 where it is
 * quadratic. A busy machine makes it larger, never smaller: it is measured anew until it is below `enough`, six times at most.
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
