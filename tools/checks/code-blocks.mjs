/** Each block of code in a document is run, compiled, or held against what it names. A block that nothing checks is a fault. */
import { spawnSync } from 'node:child_process';

/** The files that hold the code of a document a second time: a test runs them, or the compiler reads them. */
const SOURCES = {
  'docs/pay-from-typescript.md': [
    'run: quickstart-example.e2e and packed-payment-on-every-runtime.nightly',
    ['examples/quickstart/quickstart.mjs', 'examples/quickstart/payment.mjs'],
  ],
  'libs/card-encryption/README.md': ['compiled', ['libs/card-encryption/test/readme-examples.ts']],
  'libs/client/README.md': ['compiled', ['libs/client/test/readme-examples.ts']],
  'libs/kafka/README.md': ['compiled', ['libs/kafka/test/readme-examples.ts']],
  'libs/service-kit/README.md': ['compiled', ['libs/service-kit/test/readme-examples.ts']],
  'docs/from-another-language.md': [
    'run: examples-in-other-languages and examples-as-written.nightly',
    ['examples/python/pay.py', 'examples/python/tranche.py'],
  ],
};
const LANGUAGES = new Set(['js', 'ts', 'python']);
const RUN_AS_WRITTEN = /^(docs\/from-another-language|examples\/(python|java|go)\/README)\.md$/;
/** Other checks hold these blocks against the product. */
const ELSEWHERE = {
  'deploy/README.md yaml': 'rendered: check-deploy',
  'docs/from-another-language.md text': 'compared with the test vectors: from-another-language.spec',
  'libs/card-encryption/README.md html': 'the same builds in a page: both-builds.browser.e2e',
  'libs/card-encryption/README.md ': 'the policy of both-builds.browser.e2e',
  'README.md mermaid': 'a picture: its services are folders of apps',
};

/** Returns `[{ document, line, language, code }]`. */
export function codeBlocks(document, text) {
  return [...text.matchAll(/^([ \t]*)```(\w*)[^\n]*\n([\s\S]*?)^\1```[ \t]*$/gm)].map(
    ({ index, 2: language, 3: code }) => ({
      document,
      language,
      code,
      line: text.slice(0, index).split('\n').length,
    }),
  );
}

/**
 * Says how a block is checked, as `{ how, faults }`. `known`: `{ files, textOf, scripts, commands, routes, tranche }` of the repository.
 */
export function checkOfBlock({ document, language, code }, known) {
  if (LANGUAGES.has(language)) return inSource(document, code, known);
  if (language === 'json') return { how: 'parsed', faults: jsonFaults(code) };
  if (language === 'sh') {
    const faults = [...syntaxFaults(code), ...code.split('\n').flatMap((line) => commandFaults(line, known))];
    const isRun = RUN_AS_WRITTEN.test(document);
    return {
      how: isRun
        ? 'run: examples-as-written.nightly, generated-types.nightly'
        : 'read by sh -n; scripts, options, routes and files exist',
      faults,
    };
  }
  const how = ELSEWHERE[`${document} ${language}`];
  if (language === 'mermaid' && how) return { how, faults: serviceFaults(code, known) };
  return how ? { how, faults: [] } : { how: 'nothing', faults: [`nothing checks this block of ${language || 'text'}`] };
}

/** Paragraphs of the block must stand in its sources; how far they are indented does not matter. */
function inSource(document, code, { textOf }) {
  const [how, sources] = SOURCES[document] ?? ['nothing', []];
  if (sources.length === 0) return { how, faults: ['no file that is compiled or run has this code'] };
  const all = sources.map((file) => unindented(textOf(file))).join('\n');
  const paragraphs = code
    .split(/\n\s*\n/)
    .map((paragraph) => unindented(paragraph).trim())
    .filter(Boolean);
  const isImport = (paragraph) => paragraph.startsWith('import ');
  const missing = paragraphs.filter((paragraph) => !isImport(paragraph) && !all.includes(paragraph));
  return {
    how: `${how} (${sources.map((file) => file.split('/').at(-1)).join(', ')})`,
    faults: missing.map((one) => `${sources.join(' and ')} lacks: ${one.split('\n')[0]}`),
  };
}

const unindented = (text) => text.replace(/^[ \t]+/gm, '');

function jsonFaults(code) {
  try {
    JSON.parse(code);
    return [];
  } catch (error) {
    return [`no JSON: ${error.message}`];
  }
}

function syntaxFaults(code) {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: code, encoding: 'utf8' });
  return status === 0 ? [] : [`sh -n: ${stderr.trim()}`];
}

/** Checks what a line names: npm scripts, commands of the tools and of `tranche` with their options, routes, files. */
function commandFaults(line, { files, scripts, commands, routes, tranche }) {
  const faults = [];
  for (const [, name] of line.matchAll(/\bnpm run (?:-s )?([\w-]+(?::[\w-]+)?)/g))
    if (!scripts.includes(name)) faults.push(`there is no script ${name}`);
  const [, tool, rest = ''] = /(?:npm run (?:-s )?|tools\/dev\.mjs )([\w-]+)([^#|]*)/.exec(line) ?? [];
  if (tool && commands[tool])
    for (const [, option] of rest.matchAll(/\s--([a-z][\w-]*)/g))
      if (!commands[tool].has(option)) faults.push(`${tool} has no option --${option}`);
  const [, more] = /\btranche ((?:journal|commands) [^#|]*)/.exec(line) ?? [];
  if (more !== undefined) {
    const [group, name] = more.split(/\s+/);
    if (!tranche.includes(`.command('${name}')`)) faults.push(`tranche ${group} has no ${name}`);
    for (const [option] of more.matchAll(/--[a-z][\w-]*/g))
      if (!tranche.includes(option)) faults.push(`tranche has no option ${option}`);
  }
  for (const [, path] of line.matchAll(/\$GATEWAY(\/v1\/[^"?\s]*)/g))
    if (!routes.some((route) => matches(route, path))) faults.push(`no service has the route ${path}`);
  for (const [, file] of line.matchAll(/\bnode ((?:examples|tools)\/[\w./-]+)/g))
    if (!files.has(file)) faults.push(`${file} does not exist`);
  return faults;
}

const matches = (route, path) => {
  const [one, other] = [route.split('/'), path.split('/')];
  return one.length === other.length && one.every((part, at) => part.startsWith('{') || part === other[at]);
};

function serviceFaults(code, { files }) {
  const named = [...code.matchAll(/\b([a-z]+(?:-[a-z]+)*-(?:service|gateway|ingest))\b/g)].map(([, name]) => name);
  return [...new Set(named)]
    .filter((name) => !files.has(`apps/${name}/README.md`))
    .map((name) => `there is no service ${name}`);
}

/** Checks the blocks of all documents: `[{ document, line, language, how, faults }]`. */
export function checkBlocks(documents, known) {
  return documents.flatMap((document) =>
    codeBlocks(document, known.textOf(document)).map((block) => ({ ...block, ...checkOfBlock(block, known) })),
  );
}
