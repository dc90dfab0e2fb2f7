import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from './infrastructure.mjs';
import { isPortOpen } from './ports.mjs';
import { closedFolder, postgresArguments, postgresFault } from './postgres.mjs';
import { holdProcesses } from './processes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'postgres-spec-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('runs from the binaries of npm, never as root, and leaves nothing behind', async () => {
  const { DATABASE_URL: given } = process.env;
  delete process.env.DATABASE_URL;
  const held = holdProcesses();
  try {
    const { databaseUrl, process: server } = await startDatabase({ held, log: () => undefined });
    const port = Number(new URL(databaseUrl).port);
    await expect(isPortOpen(port)).resolves.toBe(true);
    const status = `/proc/${server.pid}/status`;
    if (existsSync(status)) expect(readFileSync(status, 'utf8')).not.toMatch(/^Uid:\s+0\b/m);
    const data = existsSync(status) ? readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0')[2] : folder;
    await held.close();
    await expect(isPortOpen(port)).resolves.toBe(false);
    expect(existsSync(data)).toBe(data === folder);
  } finally {
    await held.close();
    if (given !== undefined) process.env.DATABASE_URL = given;
  }
});

it('listens on this machine only', () => {
  expect(postgresArguments(1).slice(0, 4)).toEqual(['-h', '127.0.0.1', '-p', '1']);
});

it('says what to do where there are neither binaries nor Docker', () => {
  const fault = postgresFault({ isThere: false, hasDocker: () => false });
  expect(fault).toContain(`${process.platform} ${process.arch}`);
  expect(fault).toContain('DATABASE_URL');
  expect(postgresFault({ isThere: true, hasDocker: () => false })).toBeUndefined();
  expect(postgresFault({ isThere: false, hasDocker: () => true })).toBeUndefined();
});

it('finds the folder that other users can not enter', () => {
  mkdirSync(join(folder, 'closed', 'inner'), { recursive: true });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'closed'), 0o700);
  expect(closedFolder(join(folder, 'closed', 'inner', 'file'))).toBe(join(folder, 'closed'));
  expect(closedFolder(join(folder, 'file'))).toBeUndefined();
});
