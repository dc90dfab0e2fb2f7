import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changesOf } from './mutant.js';
import { MUTANTS } from './mutants.js';
import { planted } from './planted.js';

const distOf = (project: string): string =>
  join(__dirname, '../..', project === 'verification' ? '' : 'libs', project, 'dist');
const compiled = MUTANTS.flatMap((mutant) => changesOf(mutant).map((change) => ({ ...mutant, ...change }))).filter(
  ({ project }) => existsSync(distOf(project)),
);

it('plants a bug where its text occurs once, and says so where the code has moved on', () => {
  const bug = { name: 'none', find: 'if (isDone)', replace: 'if (true)' };
  expect(planted('if (isDone) stop();', bug)).toBe('if (true) stop();');
  expect(() => planted('stop();', bug)).toThrow('none is stale: its text occurs 0 times');
  expect(() => planted('if (isDone) if (isDone) stop();', bug)).toThrow('occurs 2 times');
});

it('has ten bugs at least, each under its own name', () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(10);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

// These are the files of the last build: `npm test` and `npm run verify` build first.
it.each(compiled.map((mutant) => [mutant.name, mutant] as const))('%s is not stale', (_name, mutant) => {
  const source = readFileSync(join(distOf(mutant.project), mutant.file), 'utf8');
  expect(planted(source, mutant)).not.toBe(source);
});
