import { readFileSync } from 'node:fs';

/** USER_HZ of /proc, the same on every Linux that Node runs on. Milliseconds. */
const TICK_MS = 10;

/** Processor time of a process so far, milliseconds; 0 where there is no /proc or the process is gone. */
export function cpuMsOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return 0;
  // The name in brackets may hold blanks: count from behind it. utime and stime are fields 14 and 15, the state after the name is 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Processor time of the whole machine so far, milliseconds: everything but idle and waiting for disks. */
export function cpuMsOfMachine(): number {
  const line = read('/proc/stat')?.split('\n', 1)[0] ?? '';
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}

/** Memory of a process that is in RAM, bytes; 0 where it can't be read. */
export function rssOf(pid: number): number {
  const status = read(`/proc/${pid}/status`) ?? '';
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** The most that was ever in RAM, bytes; 0 where it can't be read. */
export function peakRssOf(pid: number): number {
  const status = read(`/proc/${pid}/status`) ?? '';
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
