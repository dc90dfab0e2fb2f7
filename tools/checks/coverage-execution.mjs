/**
 * Checks that the tests named by a row of docs/reference/spec-coverage.md run its symbols. One of them must call each function. A value is mutated,
 * and one of them must then fail: this detects a test that expects something other than the row, or nothing at all.
 */
import { createRequire } from 'node:module';
import { codeOf } from './coverage-symbols.mjs';
import { coverageRows, definitions, testsOf } from './coverage-checks.mjs';
import { findSymbol } from './symbols.mjs';

const { titlePattern } = createRequire(import.meta.url)('../execution/title-pattern.cjs');

const IS_UNIT = /(?<!\.e2e)\.spec\.(?:ts|mjs)$/;

/** Returns `{ rows, mutants }` to run; `only` selects rows by parts of their ids. */
export function executionPlan(text, textOf, only = '') {
  const shorthands = definitions(text);
  const rows = coverageRows(text)
    .filter(({ ids }) => ids.some((id) => only.split(',').some((part) => id.includes(part))))
    .map((row) => ({ line: row.line, tests: testsOf(row.tests, shorthands), symbols: symbolsOf(row, textOf) }));
  return { rows, mutants: mutantsOf(rows, (symbol) => symbol.functions.length === 0) };
}

/**
 * Decorators and the like run while a file loads, and `called` counts only calls from tests. Such functions get a second run with a mutant.
 */
export function mutantsOfUncalled({ rows }, calls, results) {
  const isCalled = (row, symbol) => proofOf(symbol, namedTests(row, results), calls, results) === 'called';
  return mutantsOf(rows, (symbol, row) => symbol.functions.length > 0 && !isCalled(row, symbol));
}

function mutantsOf(rows, isWanted) {
  const mutants = new Map();
  for (const row of rows)
    for (const symbol of row.symbols.filter((one) => one.mutant !== undefined && isWanted(one, row))) {
      const id = `${symbol.file}#${symbol.name}`;
      const specs = [...(mutants.get(id)?.specs ?? []), ...nearest(specsOf(row.tests), symbol.file)];
      mutants.set(id, { id, file: symbol.file, text: symbol.mutant, specs: [...new Set(specs)] });
    }
  return [...mutants.values()].filter(({ specs }) => specs.length > 0);
}

export const specsOf = (tests) => [...new Set(tests.map(({ spec }) => spec).filter((spec) => IS_UNIT.test(spec)))];

/** Keeps only the specs of the value's own project, if the row names any: one failure is enough, and the others take longer. */
function nearest(specs, file) {
  const project = file.split('/').slice(0, 2).join('/');
  const own = specs.filter((spec) => spec.startsWith(`${project}/`));
  return own.length > 0 ? own : specs;
}

const symbolsOf = ({ code }, textOf) =>
  codeOf(code)
    .filter(({ file }) => file.endsWith('.ts'))
    .flatMap(({ file, symbols }) =>
      symbols.map(({ name }) => {
        const found = findSymbol(textOf(file), name);
        return { file, name, functions: found.functions, mutant: found.mutant() };
      }),
    );

/**
 * Returns `{ faults, called, noticed, byEndToEnd }`. `calls` maps each spec to the `file#function` that each test title called, with
 * `(all)` for `beforeAll`. `results` says how each test ended, per mutant and for the unchanged `base`.
 */
export function executionFaults({ rows }, calls, results) {
  const count = { faults: [], called: 0, noticed: 0, byEndToEnd: 0 };
  for (const row of rows) {
    const { line, tests, symbols } = row;
    const named = namedTests(row, results);
    for (const { spec, fragment } of named.filter(({ names }) => names.length === 0))
      count.faults.push(`${line}: no test "${fragment}" of ${spec} ran and passed`);
    for (const symbol of symbols) {
      const proof = proofOf(symbol, named, calls, results);
      if (proof === 'called' || proof === 'noticed') count[proof] += 1;
      else if (tests.some(({ spec }) => !IS_UNIT.test(spec))) count.byEndToEnd += 1;
      else count.faults.push(`${line}: ${symbol.name} of ${symbol.file} ${proof}`);
    }
  }
  return count;
}

const namedTests = ({ tests }, results) =>
  tests.filter(({ spec }) => IS_UNIT.test(spec)).map((test) => ({ ...test, names: namesOf(test, results) }));

function namesOf({ spec, fragment }, results) {
  const pattern = titlePattern(fragment);
  const ended = results.filter((result) => result.project === 'base' && result.spec === spec);
  return ended.flatMap(({ tests }) => tests.filter(({ name, status }) => status === 'passed' && pattern.test(name)).map(({ name }) => name)); // prettier-ignore
}

function proofOf({ file, name, functions, mutant }, named, calls, results) {
  if (functions.length > 0) {
    const wanted = functions.map((called) => `${file}#${called}`);
    const ran = named.flatMap(({ spec, fragment }) =>
      ['(all)', fragment].flatMap((title) => calls[spec]?.[title] ?? []),
    );
    if (wanted.some((one) => ran.includes(one))) return 'called';
  }
  const silent =
    functions.length > 0 ? 'is called by none of its tests' : 'may be changed, and none of its tests fails';
  if (mutant === undefined) return functions.length > 0 ? silent : 'is nothing that a test could run';
  const changed = results.filter(({ project }) => project === `${file}#${name}`);
  if (changed.some(({ tests }) => tests.some((test) => test.status === 'failed' && isNamed(test.name, named)))) return 'noticed'; // prettier-ignore
  return changed.some(({ error }) => error) ? 'can’t be loaded when it is changed' : silent; // prettier-ignore
}

const isNamed = (name, named) => named.some(({ names }) => names.includes(name));
