import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';

const bench = (...args: string[]) =>
  spawnSync(process.execPath, [join(repositoryRoot(), 'verification/dist/bench/main.js'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });

it.each([
  [['nix'], 'There is no bench nix. There is:\n  gateway  '],
  [[], 'There is no bench without a name. There is:\n  gateway  '],
  [['journal', '--only', 'nix'], 'There is no part nix of journal. There is:\n  concurrent-1\n  concurrent-64\n'],
])('%j names what there is', (args, told) => {
  const { status, stderr, stdout } = bench(...args);
  expect(stderr).toContain(told);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
});

it('says what is missing', () => {
  expect(bench('journal')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('KAFKA_BROKERS and REDIS_URL must be set'),
  });
  expect(bench('journal', '--check')).toMatchObject({ status: 0, stderr: '' });
});
