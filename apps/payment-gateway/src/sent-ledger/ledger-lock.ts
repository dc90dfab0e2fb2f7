import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import type { LedgerLock } from '@tranche/order-journal';

/** flock(1) is missing, or the file system does not support locks. */
export class NoLocksError extends Error {
  override name = 'NoLocksError';
}

/**
 * Locks a file and creates it where it is missing. Node has no flock(2), so a child process locks the file descriptor that it inherits from us. The
 * lock belongs to the open file, which stays open here after the child has ended (docs/decisions/0056).
 * @returns undefined while another process holds the lock
 */
export async function lockFile(path: string, command = 'flock'): Promise<LedgerLock | undefined> {
  const fd = openSync(path, 'a', 0o600);
  try {
    if ((await flock(command, fd)) && isStillAt(path, fd)) return { release: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return undefined;
}

function flock(command: string, fd: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd] });
    const lines: string[] = [];
    child.stderr?.on('data', (bytes: Buffer) => lines.push(bytes.toString('utf8')));
    child.once('error', (cause) =>
      reject(new NoLocksError('flock of util-linux or busybox can not be started', { cause })),
    );
    child.once('close', (code) => {
      if (code === 0 || (code === 1 && lines.length === 0)) resolve(code === 0);
      else reject(new NoLocksError(`flock ended with ${code}: ${lines.join('').trim()}`));
    });
  });
}

/** False where the previous owner removed the file: the lock is then on a file that no other process can find. */
function isStillAt(path: string, fd: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino;
}
