/**
 * Checks docs/reference/spec-coverage.md against the rules of the interface, the code and the tests. A row is: | `Section.rule` ids | the rule, _an
 * assumption_ and its decision record | `code files` and names in them | `spec file` "title of a test" |
 */
import { symbolFaults } from './coverage-symbols.mjs';
import { countSentences, expanded, listFaults } from './interface-sentences.mjs';
import { testTitles } from './test-titles.mjs';

const DECISION = /\]\((?:\.\.\/)?decisions\/\d{4}-[\w-]+\.md\)/;
const SHORTEST_FRAGMENT = 4;
const OURS = /^Ours\./;

/**
 * Returns faults, one line each. `list` comes from `readSentences`; `known` has `files` (all paths of the repository), `textOf` (reads one)
 * and `isUsed` (whether production code uses a name).
 */
export function coverageFaults(document, text, list, { files, textOf, isUsed }) {
  const shorthands = definitions(text);
  const rows = coverageRows(text);
  const known = {
    files,
    textOf,
    isUsed,
    shorthands,
    titlesOf: remembered((spec, table) => testTitles(textOf(spec), table && textOf(table))),
  };
  const rules = new Set(list.sections.flatMap(({ sentences }) => sentences.flatMap((sentence) => sentence.rules)));
  return [
    ...listFaults(list.sections),
    ...[...shorthands.values()].flat().filter((file) => !files.has(file)).map((file) => `${document}: ${file} does not exist`), // prettier-ignore
    ...rows.flatMap((row) => rowFaults(row, known).map((fault) => `${document}:${row.line}: ${fault}`)),
    ...idFaults(rows, rules, list.notShown).map((fault) => `${document}: ${fault}`),
    ...countFaults(text, list.sections, rows).map((fault) => `${document}: ${fault}`),
  ];
}

function countFaults(text, sections, rows) {
  const { covered, assumption, outOfScope } = countSentences(sections, assumedRules(rows));
  const total = covered + assumption + outOfScope;
  const line = `${total} sentences and table rows: ${covered} covered, ${assumption} with an assumption, ${outOfScope} out of scope.`;
  return text.trimEnd().endsWith(line) ? [] : [`it does not end with "${line}"`];
}

/** Reads `- _name_ = `spec file``, with ` over `table file`` if a table makes its tests. */
export function definitions(text) {
  const lines = text.matchAll(/^- _([\w-]+)_ = `([^`]+)`(?: over `([^`]+)`)?/gm);
  return new Map([...lines].map(([, name, spec, table]) => [name, table ? [spec, table] : [spec]]));
}

export function coverageRows(text) {
  return text.split('\n').flatMap((source, index) => {
    if (!source.startsWith('|') || /^\|[\s|:-]+$/.test(source) || /^\| *interface *\|/.test(source)) return [];
    const [ids = '', rule = '', code = '', tests = '', ...more] = source.replace(/^\||\|\s*$/g, '').split('|').map((cell) => cell.trim()); // prettier-ignore
    return [
      {
        line: index + 1,
        ids: codeSpans(ids).flatMap(expanded),
        rule,
        code,
        tests,
        isWhole: tests !== '' && more.length === 0,
      },
    ];
  });
}

function rowFaults(row, known) {
  if (!row.isWhole || row.ids.length === 0) return ['a row has ids, a rule, code and tests'];
  const hasDecision = DECISION.test(row.rule) && assumes(row.rule);
  const hasCode = codeSpans(row.code).some(isPath);
  const hasTest = /`[^`]+`|_[\w-]+_/.test(row.tests);
  return [
    ...(/not (?:yet )?built|\bto be done\b/i.test(`${row.rule} ${row.code} ${row.tests}`)
      ? ['a rule that is not built']
      : []),
    ...(hasCode || hasDecision ? [] : ['neither code nor a decision record with its assumption']),
    ...(hasTest || hasDecision ? [] : ['neither a test nor a decision record with its assumption']),
    ...(assumes(row.rule) && !hasDecision ? ['an assumption without its decision record'] : []),
    ...(hasDecision && !/(?:Switch|Fixed): \S/.test(row.rule)
      ? ['an assumption that names neither its switch nor why it has none (Switch: …, Fixed: …)']
      : []),
    ...codeFaults(row.code, known),
    ...symbolFaults(row, known),
    ...testFaults(row.tests, known),
  ];
}

function codeFaults(cell, { files }) {
  const paths = codeSpans(cell).filter(isPath);
  return paths.filter((path) => !files.has(path)).map((path) => `${path} does not exist`);
}

const NAMED_TESTS = /(?:`([^`]+)`|_([\w-]+)_)((?:[,\s]*"[^"]*")*)/g;

/**
 * Returns the tests that a cell names: `[{ spec, table, fragment }]`. An unknown short name has no `spec`, a spec without a test no
 * `fragment`.
 */
export function testsOf(cell, shorthands) {
  return [...cell.matchAll(NAMED_TESTS)].flatMap(([, path, shorthand, quoted]) => {
    const [spec, table] = path ? [path] : (shorthands.get(shorthand) ?? []);
    const fragments = [...quoted.matchAll(/"([^"]*)"/g)].map(([, fragment]) => fragment);
    return (fragments.length > 0 ? fragments : [undefined]).map((fragment) => ({ shorthand, spec, table, fragment }));
  });
}

function testFaults(cell, { files, shorthands, titlesOf }) {
  const rest = cell.replace(NAMED_TESTS, '').replace(/[;,–\s]/g, '');
  return [
    ...(rest === '' ? [] : [`"${rest}" among the tests is neither a spec file nor the title of a test`]),
    ...testsOf(cell, shorthands).flatMap(({ shorthand, spec, table, fragment }) => {
      if (spec === undefined) return [`${shorthand} is defined nowhere`];
      if (!files.has(spec) || (table && !files.has(table))) return [`${spec} does not exist`];
      if (!/\.spec\.(ts|mjs|cjs)$/.test(spec)) return [`${spec} is no spec file`];
      if (fragment === undefined) return [`${spec} is named without a test of it`];
      return fragmentFaults(fragment, spec, titlesOf(spec, table));
    }),
  ];
}

function fragmentFaults(fragment, spec, titles) {
  if ([...fragment].length < SHORTEST_FRAGMENT) return [`"${fragment}" is too short for the title of a test`];
  return titles.some((title) => title.includes(fragment)) ? [] : [`${spec} has no test "${fragment}"`];
}

function idFaults(rows, rules, notShown) {
  const covered = new Set(rows.flatMap(({ ids }) => ids));
  const assumed = assumedRules(rows);
  return [
    ...[...rules].filter((id) => !covered.has(id)).map((id) => `${id} has no row`),
    ...[...covered].filter((id) => !rules.has(id) && !OURS.test(id)).map((id) => `${id} is no rule of the interface`),
    ...notShown.filter((id) => !rules.has(id)).map((id) => `${id} is not shown, and no rule`),
    ...notShown
      .filter((id) => rules.has(id) && !assumed.has(id))
      .map((id) => `${id} is not shown: what do we assume, and where is it decided?`),
  ];
}

/** Returns the rules whose row states an assumption and its decision record. */
export const assumedRules = (rows) =>
  new Set(rows.filter(({ rule }) => DECISION.test(rule) && assumes(rule)).flatMap(({ ids }) => ids));

const codeSpans = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span]) => span);
const assumes = (rule) => /(?:^|[\s(])_[^_]+_(?=$|[\s.,;:)])/.test(rule.replace(/`[^`]*`/g, '·'));
const isPath = (span) => span.includes('/') && !span.includes(' = ');

function remembered(make) {
  const made = new Map();
  return (...key) => {
    const name = key.join('\n');
    if (!made.has(name)) made.set(name, make(...key));
    return made.get(name);
  };
}
