import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerDisk, LedgerFolder } from '@tranche/order-journal';
import { lockFile } from './ledger-lock.js';

export const lockPath = (folder: string, id: string): string => join(folder, `${id}.lock`);
export const ledgerPath = (folder: string, id: string): string => join(folder, `${id}.ledger`);

/** The file system. Each write is one system call, so a kill leaves either none of it or all of it. */
export const ledgerDisk: LedgerDisk = {
  make: (path) => openSync(path, 'ax', 0o600),
  write: (fd, text) => writeSync(fd, text),
  close: (fd) => closeSync(fd),
  rename: (from, to) => renameSync(from, to),
  remove: (path) => rmSync(path, { force: true }),
};

export function ledgerFolder(folder: string): LedgerFolder {
  return {
    ids: () => readdirSync(folder).flatMap((name) => (name.endsWith('.lock') ? [name.slice(0, -'.lock'.length)] : [])),
    lock: (id) => lockFile(lockPath(folder, id)),
    read: (id) => bytesOf(ledgerPath(folder, id)),
    remove: (id) => {
      for (const path of [ledgerPath(folder, id), `${ledgerPath(folder, id)}.new`, lockPath(folder, id)])
        rmSync(path, { force: true });
    },
  };
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // A file that can't be read is treated like an empty one: it is no ledger.
    return Buffer.alloc(0);
  }
}
