import { coverageFaults } from './coverage-checks.mjs';
import { interfaceFaults, readSentences, sectionHash, sentencesOf } from './interface-sentences.mjs';
import { productionUse } from './production-use.mjs';
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
  'libs/a/src/a.ts': 'export const LIMIT = 32; export const SPARE = 3; // BOUND',
  'libs/a/src/a.spec.ts': SPEC,
  'libs/a/test/limits.spec.ts': `describe.each(LIMITS)('$field', () => {});`,
  'libs/a/test/limits.ts': `export const LIMITS = [required('ORDERID', 'orderId'), of(\`\${prefix}CITY\`)];`,
};
const files = new Set(Object.keys(texts));
const INTERFACE = '# Cart\nIt has a NAME. It has a `1.5` PRICE;\n\nno colour.\n';
const [{ sentences: REAL }] = sentencesOf(INTERFACE);
const MEANT = ['a name | Cart.NAME', 'a price | Cart.PRICE', 'no colour | out of scope: seen nowhere'];
const lines = REAL.map(({ hash }, at) => `Cart#${at + 1} | ${hash} | ${MEANT[at]}`);
const listOf = (sentences, more) =>
  readSentences({
    notShown: [],
    sections: [{ section: 'Cart', count: 3, hash: sectionHash(REAL), sentences }],
    ...more,
  });
const LIST = listOf(lines);
const isUsed = (_file, name) => name === 'LIMIT';
const COUNT = '3 sentences and table rows: 2 covered, 0 with an assumption, 1 out of scope.';
const HEAD = '| interface | rule | code | tests |\n| --- | --- | --- | --- |\n';
const GOOD = {
  ids: '`Cart.{NAME,PRICE}`',
  rule: 'to 32',
  code: '`libs/a/src/a.ts` `LIMIT`',
  tests: '`libs/a/src/a.spec.ts` "an identifier too long"',
};
const ASSUMED = '_At least 1_ [0032](decisions/0032-assumptions.md). Fixed: 0 is none';

const row = (change) => Object.values({ ...GOOD, ...change }).join(' | ');
const faultsOf = (change, { definitions = '', list = LIST, count } = {}) =>
  coverageFaults('d', `${definitions}\n${HEAD}| ${row(change)} |\n\n${count ?? countFor(change)}`, list, {
    files,
    textOf: (file) => texts[file],
    isUsed,
  }).map((fault) => fault.replace(/^d(?::\d+)?: /, ''));

/** Two rules share the PRICE row, so its assumption counts twice. */
function countFor({ ids = GOOD.ids, rule = GOOD.rule }) {
  const assumed = /_.+_.*decisions/.test(rule) ? (ids.includes('PRICE') ? 2 : 1) : 0;
  return COUNT.replace('2 covered, 0 with', `${2 - assumed} covered, ${assumed} with`);
}

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
    ['a name of code is gone', { code: '`libs/a/src/a.ts` `BOUND`' }, ['BOUND is in no code of libs/a/src/a.ts']],
    [
      'a file of code has no symbol',
      { code: '`libs/a/src/a.ts`' },
      ['libs/a/src/a.ts is named without a symbol of it'],
    ],
    [
      'production does not use a symbol',
      { code: '`libs/a/src/a.ts` `LIMIT` `SPARE`' },
      ['SPARE of libs/a/src/a.ts is not used in production'],
    ],
    [
      'a symbol has another value',
      { code: '`libs/a/src/a.ts` `LIMIT = 33`' },
      ['LIMIT of libs/a/src/a.ts is 32, not 33'],
    ],
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
    [
      'nor one of another record',
      { rule: 'to 32. _At least 1_ [0009](decisions/0009-proofs.md)' },
      ['an assumption that names neither its switch nor why it has none (Switch: …, Fixed: …)'],
    ],
    ['an assumption has no record', { rule: 'to 32. _At least 1_' }, ['an assumption without its decision record']],
    ['it is not built', { rule: 'is not built yet' }, ['a rule that is not built']],
    ['a cell is missing', { tests: '' }, ['a row has ids, a rule, code and tests']],
    ['an id is unknown', { ids: '`Cart.{NAME,PRICE,WEIGHT}`' }, ['Cart.WEIGHT is no rule of the interface']],
    ['a rule has no row', { ids: '`Cart.NAME`' }, ['Cart.PRICE has no row']],
  ])('%s', (_what, change, faults) => expect(faultsOf(change)).toEqual(faults));

  it('what is not shown has no assumption, or is no rule', () => {
    const list = listOf(lines, { notShown: ['Cart.{PRICE,WEIGHT}'] });
    expect(faultsOf({}, { list })).toEqual([
      'Cart.WEIGHT is not shown, and no rule',
      'Cart.PRICE is not shown: what do we assume, and where is it decided?',
    ]);
    expect(faultsOf({ rule: ASSUMED }, { list: listOf(lines, { notShown: ['Cart.PRICE'] }) })).toEqual([]);
  });
});

describe('the list of sentences', () => {
  it.each([
    ['one is left out', [lines[0], lines[2]], ['Cart has 3 sentences, 2 are listed', 'Cart: its sentences are not those of the interface', 'Cart.PRICE is no rule of the interface']], // prettier-ignore
    ['one comes twice', [...lines.slice(0, 2), lines[1]], ['Cart#2 comes twice', 'Cart: its sentences are not those of the interface']], // prettier-ignore
    ['one is of another text', [lines[0], lines[1], lines[2].replace(REAL[2].hash, 'f'.repeat(12))], ['Cart: its sentences are not those of the interface']], // prettier-ignore
    ['one has no rule', [lines[0], lines[1], `Cart#3 | ${REAL[2].hash} | no colour`], ['Cart#3 has neither a rule nor a reason to be out of scope']], // prettier-ignore
    ['one has no words of ours', [lines[0], `Cart#2 | ${REAL[1].hash} |  | Cart.PRICE`, lines[2]], ['Cart#2 is not told in our words']], // prettier-ignore
  ])('%s', (_what, sentences, faults) => {
    expect(faultsOf({}, { list: listOf(sentences) }).filter((fault) => !fault.startsWith('it does not end'))).toEqual(faults); // prettier-ignore
  });

  it('is held against the interface where someone has it', () => {
    expect(interfaceFaults(LIST.sections, INTERFACE)).toEqual([]);
    expect(interfaceFaults(LIST.sections, `${INTERFACE}It is blue.`)).toEqual([
      '"Cart" has a sentence that is not listed: It is blue.',
      'the interface has 4 sentences, 3 are listed',
    ]);
    expect(interfaceFaults(LIST.sections, INTERFACE.replace('no colour.', ''))).toEqual([
      'Cart#3 is no sentence of the interface',
      'the interface has 2 sentences, 3 are listed',
    ]);
  });

  it('is counted at the end of the document', () => {
    expect(faultsOf({}, { count: COUNT.replace('2 covered', '3 covered') })).toEqual([`it does not end with "${COUNT}"`]); // prettier-ignore
  });
});

it('production uses what services, pages and published libraries reach, not what tests and exports name', () => {
  const code = {
    'apps/shop/src/main.ts': `import { start } from '@tranche/kit'; import './side.js'; void start();`,
    'apps/shop/src/side.ts': `const used = 1; const spare = 2; run(used);`,
    'apps/shop/src/alone.ts': `export const alone = 1; alone;`,
    'libs/kit/src/index.ts': `export { begin as start } from './begin.js'; export * from './more.js';`,
    'libs/kit/src/begin.ts': `import { limit, other } from './more.js'; const deep = limit; export const begin = () => deep;`,
    'libs/kit/src/more.ts': `export const limit = 1; export const other = 2; const key = { other };`,
    'libs/client/src/index.ts': `export class Client { publish() { return helper(); } } function helper() {} function forgotten() {}`,
  };
  const used = productionUse(Object.keys(code), (file) => code[file]);
  const names = [
    ['apps/shop/src/side.ts', 'used', 'spare'],
    ['apps/shop/src/alone.ts', 'alone'],
    ['libs/kit/src/begin.ts', 'begin', 'deep'],
    ['libs/kit/src/more.ts', 'limit', 'other', 'key'],
    ['libs/client/src/index.ts', 'Client', 'helper'],
  ].flatMap(([file, ...all]) => all.filter((name) => used(file, name)));
  expect(names).toEqual(['used', 'begin', 'deep', 'limit', 'Client', 'helper']);
});

it('titles are those of tests that run, and of their tables', () => {
  expect(testTitles(SPEC)).toEqual(
    expect.arrayContaining(['merchants', 'is refused with %s', 'no currency', 'takes … of all']),
  );
  const nested =
    "const inner = ['deep']; const rows = [inner]; const inner2 = () => { const rows = ['other']; }; it.each(rows)('x', () => {})";
  expect(testTitles(nested)).toEqual(expect.arrayContaining(['deep', 'other', 'x']));
});
