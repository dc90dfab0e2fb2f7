import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** Processes of this machine that were given the folder in their environment: their ids; none where there is no /proc. */
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
