import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf, cpuMsOfMachine } from './cpu.js';

/** A sample has the work done so far; times are in milliseconds. */
interface Sample {
  ms: number;
  done: number;
  cpuMs: Record<string, number>;
}

export interface Rate {
  perSecond: number;
  /** Processor milliseconds per piece of work, for each named process and for the rest of the machine. */
  cpuMs: Record<string, number>;
  seconds: number;
}

export interface Watched {
  done: () => number | Promise<number>;
  /** All pieces of work. The rate is taken between a fifth and nine tenths of them, when work neither begins nor runs dry. */
  total: number;
  /** Milliseconds after which the watch ends early; the rate then covers all work from the first piece on. */
  timeBoxMs: number;
  everyMs?: number;
  /** Ids of the processes whose processor time is shown by name. */
  processes?: Record<string, number>;
  onSample?: () => void;
}

export async function rateOf({
  done,
  total,
  timeBoxMs,
  everyMs = 250,
  processes = {},
  onSample,
}: Watched): Promise<Rate> {
  const begun = performance.now();
  const samples: Sample[] = [];
  for (;;) {
    const count = await done();
    samples.push({ ms: performance.now(), done: count, cpuMs: cpuTimes(processes) });
    onSample?.();
    if (count >= total) break;
    if (performance.now() - begun > timeBoxMs) break;
    await delay(everyMs);
  }
  const isWhole = (samples.at(-1)?.done ?? 0) >= total;
  const from = samples.find((sample) => sample.done >= (isWhole ? total * 0.2 : 1));
  const to = isWhole ? samples.findLast((sample) => sample.done <= total * 0.9) : samples.at(-1);
  if (!from || !to || to.done <= from.done)
    throw new Error(`Too little was done to tell a rate: ${samples.at(-1)?.done} of ${total}`);
  const pieces = to.done - from.done;
  const cpuMs = Object.fromEntries(
    Object.keys(to.cpuMs).map((name) => [name, ((to.cpuMs[name] ?? 0) - (from.cpuMs[name] ?? 0)) / pieces]),
  );
  return { perSecond: (pieces * 1000) / (to.ms - from.ms), cpuMs, seconds: (to.ms - from.ms) / 1000 };
}

function cpuTimes(processes: Record<string, number>): Record<string, number> {
  const own = Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, cpuMsOf(pid)]));
  const all = cpuMsOfMachine();
  return { ...own, rest: all - Object.values(own).reduce((sum, ms) => sum + ms, 0) };
}
