import { readFileSync } from 'node:fs';

/** Milliseconds per tick in /proc: USER_HZ is the same on every Linux that Node runs on. */
const TICK_MS = 10;

/** Returns the processor time of a process so far, in milliseconds; 0 without /proc or if the process is gone. */
export function cpuMsOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return 0;
  // The name in brackets may contain blanks, so fields are counted from behind it. The state is field 3, utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Returns the processor time of the whole machine so far, in milliseconds, without idle time and waits for disks. */
export function cpuMsOfMachine(): number {
  const line = read('/proc/stat')?.split('\n', 1)[0] ?? '';
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}

/** Returns the resident memory of a process in bytes; 0 if it cannot be read. */
export function rssOf(pid: number): number {
  const status = read(`/proc/${pid}/status`) ?? '';
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
