import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ci run-'));
  mkdirSync(join(root, '.ci'));
  cpSync('.ci/run', join(root, '.ci/run'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** `.ci/run` in a clone whose README has these lines. */
function ran(...readme) {
  writeFileSync(join(root, 'README.md'), readme.join('\n'));
  const { status, stdout } = spawnSync(join(root, '.ci/run'), { encoding: 'utf8', cwd: tmpdir() });
  return [status, ...stdout.trimEnd().split('\n')];
}

it('runs the commands of the first sh block in their order, and no other', () => {
  expect(
    ran('```json', '{}', '```', 'First:', '```sh', 'echo 1   # "one"', '', 'echo 2', '```', '```sh', 'echo 3', '```'),
  ).toEqual([0, '1', '2']);
});

it.each([
  ['the first', ['(exit 3)   # fails', 'echo 2'], [3, 'failed: (exit 3)', '0 passed, 1 failed']],
  [
    'the last, whose own last line stays the last',
    ['echo 1', 'echo 5 passed, 1 failed; exit 4'],
    [4, '1', '5 passed, 1 failed'],
  ],
])('a command that fails ends it red: %s', (_, commands, expected) => {
  expect(ran('```sh', ...commands, '```')).toEqual(expected);
});

it('a README without the block is red', () => {
  expect(ran('# Title', '```sh', 'npm test', '```')).toEqual([1, '']);
});
