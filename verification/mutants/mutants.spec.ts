import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTANTS, textsOf } from './mutants.js';
import { planted } from './planted.js';

const root = join(__dirname, '../..');
const { argv } = process;
const main = join(root, 'verification/dist/main.js');

beforeEach(() => (process.argv = [argv[0]!, main]));
afterEach(() => (process.argv = argv));

it('plants a bug where its text occurs once, and says so where the code has moved on', () => {
  const bug = { name: 'none', find: 'if (isDone)', replace: 'if (true)' };
  expect(planted('if (isDone) stop();', bug)).toBe('if (true) stop();');
  expect(() => planted('stop();', bug)).toThrow('none is stale: its text occurs 0 times');
  expect(() => planted('if (isDone) if (isDone) stop();', bug)).toThrow('occurs 2 times');
});

it('each bug has a name of its own', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

// These are the files of the last build: `npm test` and `npm run verify` build first.
it.each((existsSync(main) ? MUTANTS : []).map((mutant) => [mutant.name, mutant] as const))(
  '%s is not stale',
  (_name, mutant) => {
    for (const text of textsOf(mutant, (name) => join(root, 'libs', name.split('/')[1]!, 'dist/index.js'))) {
      const source = readFileSync(fileURLToPath(text.url), 'utf8');
      expect(planted(source, text)).not.toBe(source);
    }
  },
);
