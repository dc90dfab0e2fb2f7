import { executionFaults, executionPlan, mutantsOfUncalled } from './coverage-execution.mjs';
import { findSymbol } from './symbols.mjs';

const SOURCE = `
import { read } from './read.js';
/** LIMIT is said here, too. */
export const LIMIT = 32;
export const TABLE = { B: { min: 150, isOpen: true, name: 'B' } };
export function judge(amount: number) { return amount > LIMIT ? 'too_long' : read(amount); }
export const arrow = (x: number) => x;
export class Field { @Length(1, 40) orderId!: string; @OrderId() other!: string; }
export class Judge { #limit = 3; judgeAll() { return judge(1); } }
export type Kind = 'A';
`;
const SPEC = 'libs/a/src/a.spec.ts';
const FILE = 'libs/a/src/a.ts';
const HEAD = '| interface | rule | code | tests |\n| --- | --- | --- | --- |\n';
const row = (symbols, tests = `\`${SPEC}\` "refuses %s"`) =>
  `${HEAD}| \`A.1\` | a rule | \`${FILE}\` ${symbols} | ${tests} |\n`;
const planOf = (...columns) => executionPlan(row(...columns), () => SOURCE);
const ended = (project, status, name = 'amounts refuses 33') => ({ project, spec: SPEC, tests: [{ name, status }] });
const faultsOf = (plan, calls, results) => executionFaults(plan, { [SPEC]: calls }, results).faults;

describe('a symbol is found, and changed', () => {
  it.each([
    ['LIMIT', 'LIMIT = (32 + 1)'],
    ['min', 'min: (150 + 1)'],
    ['isOpen', 'isOpen: false'],
    ['TABLE', `{ B: { min: (150 + 1), isOpen: false, name: "B~" } }`],
    ['too_long', '"too_long~"'],
    ['Field.orderId', '@Length((1 + 1), (40 + 1))'],
    ['Field.other', ' other!: string'],
  ])('%s', (name, changed) => {
    const { functions, mutant } = findSymbol(SOURCE, name);
    expect(functions).toEqual([]);
    expect(mutant()).toContain(changed);
    expect(mutant()).not.toBe(SOURCE);
  });

  it.each([
    ['judge', ['judge']],
    ['arrow', ['arrow']],
    ['Judge', ['judgeAll']],
    ['judgeAll', ['judgeAll']],
  ])('%s is what runs', (name, functions) => {
    expect(findSymbol(SOURCE, name)).toMatchObject({ functions });
  });

  it('is none where only a comment or an import names it', () => {
    expect(findSymbol(SOURCE, 'said')).toBeUndefined();
    expect(findSymbol("import { gone } from './x.js';", 'gone')).toBeUndefined();
  });

  it('has the value that the code gives it', () => {
    expect(findSymbol(SOURCE, 'LIMIT').values).toEqual(['32']);
  });
});

describe('a function', () => {
  const plan = planOf('`judge`');

  it('is right where a test of its row calls it, or a beforeAll', () => {
    const results = [ended('base', 'passed')];
    expect(faultsOf(plan, { 'refuses %s': [`${FILE}#judge`] }, results)).toEqual([]);
    expect(faultsOf(plan, { '(all)': [`${FILE}#judge`] }, results)).toEqual([]);
  });

  it('is a fault where only another test calls it', () => {
    const faults = [`3: judge of ${FILE} is called by none of its tests`];
    expect(faultsOf(plan, { 'another test': [`${FILE}#judge`] }, [ended('base', 'passed')])).toEqual(faults);
    expect(faultsOf(plan, { 'refuses %s': ['libs/b/src/b.ts#judge'] }, [ended('base', 'passed')])).toEqual(faults);
  });
});

it('a function that no test calls by itself is changed as a value is: decorators run while a file is loaded', () => {
  const plan = planOf('`judge`');
  const base = [ended('base', 'passed')];
  expect(mutantsOfUncalled(plan, { [SPEC]: { 'refuses %s': [`${FILE}#judge`] } }, base)).toEqual([]);
  const [mutant] = mutantsOfUncalled(plan, { [SPEC]: {} }, base);
  expect(mutant).toMatchObject({ id: `${FILE}#judge`, text: expect.stringContaining('too_long~'), specs: [SPEC] });
  expect(faultsOf(plan, {}, [...base, ended(`${FILE}#judge`, 'failed')])).toEqual([]);
});

describe('a value', () => {
  const plan = planOf('`LIMIT`');
  const ID = `${FILE}#LIMIT`;

  it('is changed for the specs of its row', () => {
    expect(plan.mutants).toEqual([{ id: ID, file: FILE, text: expect.stringContaining('(32 + 1)'), specs: [SPEC] }]);
  });

  it('is right where a test of its row then fails', () => {
    expect(faultsOf(plan, {}, [ended('base', 'passed'), ended(ID, 'failed')])).toEqual([]);
  });

  it('is a fault where its test passes all the same: it asserts something else, or the opposite', () => {
    const faults = [`3: LIMIT of ${FILE} may be changed, and none of its tests fails`];
    expect(faultsOf(plan, {}, [ended('base', 'passed'), ended(ID, 'passed')])).toEqual(faults);
    const another = ended(ID, 'failed', 'another test');
    expect(faultsOf(plan, {}, [ended('base', 'passed'), another])).toEqual(faults);
  });

  it('is a fault where the changed file can’t be loaded', () => {
    const broken = { project: ID, spec: SPEC, tests: [], error: 'SyntaxError' };
    expect(faultsOf(plan, {}, [ended('base', 'passed'), broken])).toEqual([
      `3: LIMIT of ${FILE} can’t be loaded when it is changed`,
    ]);
  });
});

it.each([['failed'], ['pending']])('a title whose test %s is a fault', (status) => {
  expect(faultsOf(planOf('`judge`'), { '(all)': [`${FILE}#judge`] }, [ended('base', status)])).toEqual([
    `3: no test "refuses %s" of ${SPEC} ran and passed`,
  ]);
});

it('what end-to-end tests run is counted apart', () => {
  const plan = planOf('`judge` `LIMIT`', '`apps/a/test/a.e2e.spec.ts` "refuses"');
  expect(executionFaults(plan, {}, [])).toEqual({ faults: [], called: 0, noticed: 0, byEndToEnd: 2 });
});

it('a type can be run by no test', () => {
  expect(faultsOf(planOf('`Kind`'), {}, [ended('base', 'passed')])).toEqual([
    `3: Kind of ${FILE} is nothing that a test could run`,
  ]);
});
