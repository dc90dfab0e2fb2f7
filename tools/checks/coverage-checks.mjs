/**
 * docs/spec-coverage.md against the rules of the interface, the code and the tests. A row:
 * | `Section.rule` ids | the rule, _an assumption_ and its decision record | `code files` and names in them | `spec file` "title of a test" |
 */
import { testTitles } from './test-titles.mjs';

const DECISION = /\]\(decisions\/\d{4}-[\w-]+\.md\)/;
/** Records of small assumptions: each row says which setting changes its own, or why none does. */
const SMALL = /\]\(decisions\/(?:0004|0032|0044)-/;
const SHORTEST_FRAGMENT = 4;
/** Rules of our own, beside the interface's. */
const OURS = /^Ours\./;

/** `rules`: { rules: { Section: [names] }, notShown: [ids] }; `files`: all paths of the repository; `textOf` reads one. Faults, a line each. */
export function coverageFaults(document, text, rules, files, textOf) {
  const shorthands = definitions(text);
  const rows = coverageRows(text);
  const known = {
    files,
    textOf,
    shorthands,
    titlesOf: remembered((spec, table) => testTitles(textOf(spec), table && textOf(table))),
  };
  return [
    ...[...shorthands.values()].flat().filter((file) => !files.has(file)).map((file) => `${document}: ${file} does not exist`), // prettier-ignore
    ...rows.flatMap((row) => rowFaults(row, known).map((fault) => `${document}:${row.line}: ${fault}`)),
    ...idFaults(rows, rules).map((fault) => `${document}: ${fault}`),
  ];
}

/** `- _name_ = `spec file``, and ` over `table file`` where its tests are made from a table. */
function definitions(text) {
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

/** `Cart.{NAME,PRICE}` is Cart.NAME and Cart.PRICE. */
function expanded(id) {
  const [, before, list, after] = /^(.*)\{(.*)\}(.*)$/.exec(id) ?? [];
  return list === undefined ? [id] : list.split(',').map((name) => `${before}${name.trim()}${after}`);
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
    ...(assumes(row.rule) && SMALL.test(row.rule) && !/(?:Switch|Fixed): \S/.test(row.rule)
      ? ['an assumption that names neither its switch nor why it has none (Switch: …, Fixed: …)']
      : []),
    ...codeFaults(row.code, known),
    ...testFaults(row.tests, known),
  ];
}

/** Files that are there; what else stands in backticks is a name that one of them holds. */
function codeFaults(cell, { files, textOf }) {
  const paths = codeSpans(cell).filter(isPath);
  const there = paths.filter((path) => files.has(path));
  const names = codeSpans(cell).filter((name) => !isPath(name) && !there.some((path) => textOf(path).includes(name)));
  return [
    ...paths.filter((path) => !files.has(path)).map((path) => `${path} does not exist`),
    ...names.map((name) => `${name} is in none of the files of its row`),
  ];
}

function testFaults(cell, { files, shorthands, titlesOf }) {
  const rest = cell.replace(/(?:`[^`]+`|_[\w-]+_)((?:[,\s]*"[^"]*")*)/g, '').replace(/[;,–\s]/g, '');
  const named = [...cell.matchAll(/(?:`([^`]+)`|_([\w-]+)_)((?:[,\s]*"[^"]*")*)/g)];
  return [
    ...(rest === '' ? [] : [`"${rest}" among the tests is neither a spec file nor the title of a test`]),
    ...named.flatMap(([, path, shorthand, quoted]) => {
      const [spec, table] = path ? [path] : (shorthands.get(shorthand) ?? []);
      if (spec === undefined) return [`${shorthand} is defined nowhere`];
      if (!files.has(spec) || (table && !files.has(table))) return [`${spec} does not exist`];
      if (!/\.spec\.(ts|mjs|cjs)$/.test(spec)) return [`${spec} is no spec file`];
      const fragments = [...quoted.matchAll(/"([^"]*)"/g)].map(([, fragment]) => fragment);
      if (fragments.length === 0) return [`${spec} is named without a test of it`];
      return fragments.flatMap((fragment) => fragmentFaults(fragment, spec, titlesOf(spec, table)));
    }),
  ];
}

function fragmentFaults(fragment, spec, titles) {
  if ([...fragment].length < SHORTEST_FRAGMENT) return [`"${fragment}" is too short for the title of a test`];
  return titles.some((title) => title.includes(fragment)) ? [] : [`${spec} has no test "${fragment}"`];
}

function idFaults(rows, { rules, notShown }) {
  const known = new Set(Object.entries(rules).flatMap(([section, names]) => names.map((name) => `${section}.${name}`)));
  const covered = new Set(rows.flatMap(({ ids }) => ids));
  const assumed = new Set(rows.filter(({ rule }) => DECISION.test(rule) && assumes(rule)).flatMap(({ ids }) => ids));
  return [
    ...[...known].filter((id) => !covered.has(id)).map((id) => `${id} has no row`),
    ...[...covered].filter((id) => !known.has(id) && !OURS.test(id)).map((id) => `${id} is no rule of the interface`),
    ...notShown.filter((id) => !known.has(id)).map((id) => `${id} is not shown, and no rule`),
    ...notShown
      .filter((id) => known.has(id) && !assumed.has(id))
      .map((id) => `${id} is not shown: what do we assume, and where is it decided?`),
  ];
}

const codeSpans = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span]) => span);
const assumes = (rule) => /(?:^|[\s(])_[^_]+_(?=$|[\s.,;:)])/.test(rule.replace(/`[^`]*`/g, '·'));
const isPath = (span) => span.includes('/');

function remembered(make) {
  const made = new Map();
  return (...key) => {
    const name = key.join('\n');
    if (!made.has(name)) made.set(name, make(...key));
    return made.get(name);
  };
}
