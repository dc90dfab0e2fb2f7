import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** Returns the ids of processes with the folder in their environment; none without /proc. */
export function processesWith(folder) {
  const environmentOf = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8');
    } catch {
      return ''; // it has just ended
    }
  };
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.filter((pid) => environmentOf(pid).includes(folder));
}
