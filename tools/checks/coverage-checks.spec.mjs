import { coverageFaults } from './coverage-checks.mjs';
import { testTitles } from './test-titles.mjs';

const SPEC = `
  describe('merchants', () => {
    const table = [['an identifier too long', { identifier: 'x' }], ['no currency']];
    it.each(table)('is refused with %s', () => expect('only in the body').toBe(1));
    it.skip('is skipped for now', () => {});
    it(\`takes \${shown(1)} of all\`, () => {});
  });
  it.todo('is thought of');`;
const texts = {
  'libs/a/src/a.ts': 'export const LIMIT = 32;',
  'libs/a/src/a.spec.ts': SPEC,
  'libs/a/test/limits.spec.ts': `describe.each(LIMITS)('$field', () => {});`,
  'libs/a/test/limits.ts': `export const LIMITS = [required('ORDERID', 'orderId'), of(\`\${prefix}CITY\`)];`,
};
const files = new Set(Object.keys(texts));
const RULES = { rules: { Cart: ['NAME', 'PRICE'] }, notShown: [] };
const HEAD = '| interface | rule | code | tests |\n| --- | --- | --- | --- |\n';
const GOOD = {
  ids: '`Cart.{NAME,PRICE}`',
  rule: 'to 32',
  code: '`libs/a/src/a.ts` `LIMIT`',
  tests: '`libs/a/src/a.spec.ts` "an identifier too long"',
};
const ASSUMED = '_At least 1_ [0032](decisions/0032-assumptions.md). Fixed: 0 is none';

const row = (change) => Object.values({ ...GOOD, ...change }).join(' | ');
const faultsOf = (change, { definitions = '', rules = RULES } = {}) =>
  coverageFaults('d', `${definitions}\n${HEAD}| ${row(change)} |\n`, rules, files, (file) => texts[file]).map((fault) =>
    fault.replace(/^d(?::\d+)?: /, ''),
  );

describe('a row is right', () => {
  it.each([
    ['with code and a test', {}],
    ['with a test and an assumption', { rule: `to 32. ${ASSUMED}` }],
    ['with an assumption alone', { rule: `not shown. ${ASSUMED}`, tests: '–' }],
    [
      'with several tests of a file',
      { tests: '`libs/a/src/a.spec.ts` "is refused with", "takes … of all"; `libs/a/src/a.spec.ts` "merchants"' },
    ],
    ['with a rule of our own beside it', { ids: '`Cart.{NAME,PRICE}` `Ours.names`' }],
    [
      'with names of the platform that look like italics',
      { rule: '`access_token`, `expires_in` and refresh_expires_in' },
    ],
  ])('%s', (_what, change) => expect(faultsOf(change)).toEqual([]));

  it('by the short name of a spec and its table', () => {
    const definitions = '- _limits_ = `libs/a/test/limits.spec.ts` over `libs/a/test/limits.ts`';
    expect(faultsOf({ tests: '_limits_ "ORDERID", "…CITY"' }, { definitions })).toEqual([]);
    expect(faultsOf({ tests: '_limits_ "AMOUNT"' }, { definitions })).toEqual([
      'libs/a/test/limits.spec.ts has no test "AMOUNT"',
    ]);
    expect(faultsOf({ tests: '_others_ "ORDERID"' }, { definitions })).toEqual(['others is defined nowhere']);
    expect(faultsOf({}, { definitions: '- _gone_ = `libs/a/test/gone.spec.ts`' })).toEqual([
      'libs/a/test/gone.spec.ts does not exist',
    ]);
  });
});

describe('a row is wrong', () => {
  it.each([
    ['a file of code is gone', { code: '`libs/a/src/gone.ts`' }, ['libs/a/src/gone.ts does not exist']],
    ['a name of code is gone', { code: '`libs/a/src/a.ts` `BOUND`' }, ['BOUND is in none of the files of its row']],
    ['a spec is gone', { tests: '`libs/a/src/b.spec.ts` "merchants"' }, ['libs/a/src/b.spec.ts does not exist']],
    [
      'a test is gone',
      { tests: '`libs/a/src/a.spec.ts` "an order too long"' },
      ['libs/a/src/a.spec.ts has no test "an order too long"'],
    ],
    [
      'a test is skipped',
      { tests: '`libs/a/src/a.spec.ts` "is skipped"' },
      ['libs/a/src/a.spec.ts has no test "is skipped"'],
    ],
    [
      'a test is to be written',
      { tests: '`libs/a/src/a.spec.ts` "is thought"' },
      ['libs/a/src/a.spec.ts has no test "is thought"'],
    ],
    [
      'a title stands in a body only',
      { tests: '`libs/a/src/a.spec.ts` "only in the"' },
      ['libs/a/src/a.spec.ts has no test "only in the"'],
    ],
    [
      'a spec has no test beside it',
      { tests: '`libs/a/src/a.spec.ts`' },
      ['libs/a/src/a.spec.ts is named without a test of it'],
    ],
    ['a title is too short', { tests: '`libs/a/src/a.spec.ts` "ref"' }, ['"ref" is too short for the title of a test']],
    ['a file of tests is none', { tests: '`libs/a/src/a.ts` "LIMIT"' }, ['libs/a/src/a.ts is no spec file']],
    [
      'words stand for a test',
      { tests: 'seen by hand' },
      [
        'neither a test nor a decision record with its assumption',
        '"seenbyhand" among the tests is neither a spec file nor the title of a test',
      ],
    ],
    ['there is no test', { tests: '–' }, ['neither a test nor a decision record with its assumption']],
    ['there is no code', { code: '–' }, ['neither code nor a decision record with its assumption']],
    [
      'a decision is named without an assumption',
      { rule: 'see [0032](decisions/0032-x.md)', tests: '–' },
      ['neither a test nor a decision record with its assumption'],
    ],
    [
      'an assumption has neither switch nor reason',
      { rule: 'to 32. _At least 1_ [0032](decisions/0032-assumptions.md)' },
      ['an assumption that names neither its switch nor why it has none (Switch: …, Fixed: …)'],
    ],
    ['an assumption has no record', { rule: 'to 32. _At least 1_' }, ['an assumption without its decision record']],
    ['it is not built', { rule: 'is not built yet' }, ['a rule that is not built']],
    ['a cell is missing', { tests: '' }, ['a row has ids, a rule, code and tests']],
    ['an id is unknown', { ids: '`Cart.{NAME,PRICE,WEIGHT}`' }, ['Cart.WEIGHT is no rule of the interface']],
    ['a rule has no row', { ids: '`Cart.NAME`' }, ['Cart.PRICE has no row']],
  ])('%s', (_what, change, faults) => expect(faultsOf(change)).toEqual(faults));

  it('what is not shown has no assumption, or is no rule', () => {
    const rules = { ...RULES, notShown: ['Cart.PRICE', 'Cart.WEIGHT'] };
    expect(faultsOf({}, { rules })).toEqual([
      'Cart.WEIGHT is not shown, and no rule',
      'Cart.PRICE is not shown: what do we assume, and where is it decided?',
    ]);
    expect(faultsOf({ rule: ASSUMED }, { rules: { ...RULES, notShown: ['Cart.PRICE'] } })).toEqual([]);
  });
});

it('titles are those of tests that run, and of their tables', () => {
  expect(testTitles(SPEC)).toEqual(
    expect.arrayContaining(['merchants', 'is refused with %s', 'no currency', 'takes … of all']),
  );
  const nested =
    "const inner = ['deep']; const rows = [inner]; const inner2 = () => { const rows = ['other']; }; it.each(rows)('x', () => {})";
  expect(testTitles(nested)).toEqual(expect.arrayContaining(['deep', 'other', 'x']));
});
