import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { missingPackages, nodeFault, oneAtATime } from './bootstrap.mjs';

describe('nodeFault', () => {
  const engines = '^20.19.0 || ^22.13.0 || >=24.11.0';

  it.each(['20.19.0', '20.20.2', '22.13.0', '22.23.1', '24.11.0', '26.0.0'])('%s will do', (version) => {
    expect(nodeFault(version, engines)).toBeUndefined();
  });

  it.each(['18.20.0', '20.18.9', '21.9.0', '22.12.9', '23.5.0', '24.10.9'])('%s will not', (version) => {
    expect(nodeFault(version, engines)).toContain(`Node.js ${version}`);
  });

  it('does not guess at a range that it does not know', () => {
    expect(() => nodeFault('24.0.0', '24.x')).toThrow('24.x');
  });
});

describe('missingPackages', () => {
  const lock = {
    packages: {
      '': { version: '0.1.0' },
      'libs/contracts': { version: '0.1.0' },
      'node_modules/@tranche/contracts': { resolved: 'libs/contracts', link: true },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/a/node_modules/b': { version: '2.0.0' },
      'node_modules/only-on-another-system': { version: '1.0.0', optional: true },
    },
  };
  const installed = (changes) => ({
    packages: {
      'node_modules/@tranche/contracts': { resolved: 'libs/contracts', link: true },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/a/node_modules/b': { version: '2.0.0' },
      ...changes,
    },
  });

  it('misses nothing where all but optional packages are installed', () => {
    expect(missingPackages(lock, installed({}))).toEqual([]);
  });

  it.each([
    ['is absent', { 'node_modules/a': undefined }, ['node_modules/a']],
    [
      'has another version',
      { 'node_modules/a/node_modules/b': { version: '2.0.1' } },
      ['node_modules/a/node_modules/b'],
    ],
    [
      'is a package instead of a workspace',
      { 'node_modules/@tranche/contracts': {} },
      ['node_modules/@tranche/contracts'],
    ],
    [
      'is an old optional one',
      { 'node_modules/only-on-another-system': { version: '0.9.0' } },
      ['node_modules/only-on-another-system'],
    ],
  ])('names what %s', (_, changes, expected) => {
    expect(missingPackages(lock, installed(changes))).toEqual(expected);
  });
});

describe('oneAtATime', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-lock-'));
  const lockFile = join(folder, 'lock');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('lets the second wait for the first, and leaves no lock behind', async () => {
    const order = [];
    let finishFirst;
    const first = oneAtATime(lockFile, async () => {
      order.push('first begins');
      await new Promise((done) => (finishFirst = done));
      order.push('first ends');
    });
    const second = oneAtATime(lockFile, async () => order.push('second'));
    finishFirst();
    await Promise.all([first, second]);
    expect(order).toEqual(['first begins', 'first ends', 'second']);
    expect(existsSync(lockFile)).toBe(false);
  });

  it('takes over from a process that is gone', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(lockFile, String(pid));
    await expect(oneAtATime(lockFile, async () => 'done')).resolves.toBe('done');
  });

  it('gives the lock back when the work fails', async () => {
    await expect(oneAtATime(lockFile, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(lockFile)).toBe(false);
  });
});
