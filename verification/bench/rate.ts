import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

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
}

export async function rateOf({ done, total, timeBoxMs, everyMs = 250, processes = {} }: Watched): Promise<Rate> {
  const begun = performance.now();
  const samples: Sample[] = [];
  for (;;) {
    const count = await done();
    samples.push({ ms: performance.now(), done: count, cpuMs: cpuTimes(processes) });
    if (count >= total || performance.now() - begun > timeBoxMs) break;
    await delay(everyMs);
  }
  const isWhole = (samples.at(-1)?.done ?? 0) >= total;
  const from = samples.find((sample) => sample.done >= (isWhole ? total * 0.2 : 1));
  const to = isWhole ? samples.findLast((sample) => sample.done <= total * 0.9) : samples.at(-1);
  if (!from || !to || to.done <= from.done)
    throw new Error(`Too little was done to tell a rate: ${samples.at(-1)?.done} of ${total}`);
  const pieces = to.done - from.done;
  const cpuMs = Object.entries(to.cpuMs).map(([name, ms]) => [name, (ms - from.cpuMs[name]!) / pieces]);
  return {
    perSecond: (pieces * 1000) / (to.ms - from.ms),
    cpuMs: Object.fromEntries(cpuMs) as Rate['cpuMs'],
    seconds: (to.ms - from.ms) / 1000,
  };
}

function cpuTimes(processes: Record<string, number>): Record<string, number> {
  const own = Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, cpuMsOf(pid)]));
  return { ...own, rest: cpuMsOfMachine() - Object.values(own).reduce((sum, ms) => sum + ms, 0) };
}

/** Milliseconds per tick in /proc: USER_HZ is the same on every Linux that Node runs on. */
const TICK_MS = 10;

/** Returns the processor time of a process so far, in milliseconds; 0 without /proc or if the process is gone. */
export function cpuMsOf(pid: number): number {
  // The name in brackets may contain blanks, so fields are counted from behind it. The state is field 3, utime and stime are 14 and 15.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[11]) || 0) + (Number(fields[12]) || 0)) * TICK_MS;
}

/** Returns the processor time of the whole machine so far, in milliseconds, without idle time and waits for disks. */
function cpuMsOfMachine(): number {
  const [line = ''] = read('/proc/stat').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}

/** Returns the resident memory of a process in bytes; 0 if it cannot be read. */
export const rssOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
