import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFile, NoLocksError } from './ledger-lock.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tranche-lock-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** True where another process could take the lock now. */
async function isFree(path: string): Promise<boolean> {
  const [code] = (await once(spawn('flock', ['-n', path, 'true']), 'close')) as [number];
  return code === 0;
}

it('is ours until we let go of it, though the child that locked it has ended', async () => {
  const path = join(folder, 'a.lock');
  const lock = await lockFile(path);
  expect([await isFree(path), await lockFile(path)]).toEqual([false, undefined]);
  lock?.release();
  expect(await isFree(path)).toBe(true);
});

it('is not had by two who ask at once', async () => {
  const path = join(folder, 'a.lock');
  const locks = await Promise.all(Array.from({ length: 6 }, () => lockFile(path)));
  expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
  for (const lock of locks) lock?.release();
});

it('is free once its file was removed and created again', async () => {
  const path = join(folder, 'a.lock');
  const lock = await lockFile(path);
  rmSync(path);
  const again = await lockFile(path);
  expect(again).toBeDefined();
  lock?.release();
  again?.release();
});

it('rejects with NoLocksError where there is no flock', async () => {
  await expect(lockFile(join(folder, 'a.lock'), join(folder, 'flock'))).rejects.toThrow(NoLocksError);
});
