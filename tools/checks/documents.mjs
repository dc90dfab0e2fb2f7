import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { checkBlocks } from './code-blocks.mjs';
import { coverageFaults } from './coverage-checks.mjs';
import { interfaceFaults, readSentences } from './interface-sentences.mjs';
import { productionFiles, productionUse } from './production-use.mjs';
import { recoveryFaults } from './recovery.mjs';
import {
  configVariables,
  linkFaults,
  lockFileFaults,
  machineFaults,
  namedFileFaults,
  tableFaults,
  settingsFaults,
  roomFaults,
  wayFaults,
} from './docs-checks.mjs';

const NOT_TRACKED = new Set(['node_modules', 'dist', '.nx', '.infra', '.git', 'coverage', '.env']);
const TEXTS = new Set(['.md', '.mjs', '.cjs', '.js', '.ts', '.json', '.yml', '.yaml', '.html', '']);
const COVERAGE = 'docs/reference/spec-coverage.md';
const SETTINGS = 'docs/reference/settings.md';
const KAFKA = { title: 'Services that use Kafka', anchor: '#services-that-use-kafka' };
const SENTENCES = 'tools/checks/interface-sentences.json';
const ARCHITECTURE = 'docs/guide/1-a-payment.md';
const RUNBOOK = 'docs/operate/runbook.md';
const read = (file) => readFileSync(file, 'utf8');

/**
 * Resolves to `{ count, faults, blocks }`: the number of files, one line per fault, and how each block of code is checked. `interfaceFile` is the interface's own text, which only some
 * people have.
 */
export async function checkDocuments(interfaceFile) {
  const files = new Set(walk('.'));
  const list = readSentences(JSON.parse(read(SENTENCES)));
  const isUsed = productionUse(productionFiles(files), read);
  const documents = [...files].filter((file) => file.endsWith('.md'));
  const blocks = checkBlocks(documents, await whatIsThere(files));
  const faults = [
    ...blocks.flatMap(({ document, line, faults: own }) => own.map((fault) => `${document}:${line}: ${fault}`)),
    ...documents.flatMap((file) => linkFaults(file, read(file), files, read)),
    ...documents.flatMap((file) => tableFaults(file, read(file))),
    ...documents.flatMap((file) => namedFileFaults(file, read(file), files)),
    ...coverageFaults(COVERAGE, read(COVERAGE), list, { files, textOf: read, isUsed }),
    ...(interfaceFile ? interfaceFaults(list.sections, read(interfaceFile)) : []),
    ...wayFaults(ARCHITECTURE, read(ARCHITECTURE), files),
    ...roomFaults(ARCHITECTURE, read(ARCHITECTURE), files),
    ...recoveryFaults(RUNBOOK, read(RUNBOOK), files, read),
    ...readdirSync('apps').flatMap((app) => appFaults(app, files)),
    ...[...files]
      .filter((file) => TEXTS.has(extname(file)) && file !== 'package-lock.json')
      .flatMap((file) => machineFaults(file, read(file))),
    ...lockFileFaults(read('package-lock.json')),
  ];
  return { count: files.size, faults, blocks };
}

/** Collects everything that a block of code may name. */
async function whatIsThere(files) {
  const { COMMANDS } = await import('../commands/list.mjs');
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => [name, new Set(Object.keys((await load()).options ?? {}))]),
  );
  const routesOf = (file) => Object.keys(JSON.parse(read(file)).paths);
  const tranche = [...files].filter((file) => /^apps\/cli\/src\/.*\.command\.ts$/.test(file)).map(read);
  return {
    files,
    textOf: read,
    scripts: Object.keys(JSON.parse(read('package.json')).scripts),
    commands: Object.fromEntries(commands),
    routes: [...files].filter((file) => /^apps\/[\w-]+\/openapi\.json$/.test(file)).flatMap(routesOf),
    tranche: tranche.join('\n'),
  };
}

function appFaults(app, files) {
  const readme = `apps/${app}/README.md`;
  if (!existsSync(readme)) return [`${readme} does not exist`];
  const own = settingsOf(app);
  const documented = own.includes(`(${KAFKA.anchor})`) ? own + settingsOf(KAFKA.title) : own;
  const configs = [...files].filter((file) => file.startsWith(`apps/${app}/src/`) && file.endsWith('.config.ts'));
  const inCode = [...new Set(configs.flatMap((file) => variablesOf(read(file))))];
  return settingsFaults(`${SETTINGS}, ${app}`, `## Settings\n${documented}`, inCode, []);
}

const settingsOf = (title) =>
  new RegExp(`^## ${title}$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(read(SETTINGS))?.[1] ?? '';

/** A class that extends KafkaConfig inherits its variables. */
function variablesOf(source) {
  const inherited = source.includes(' extends KafkaConfig ')
    ? configVariables(read('libs/service-kit/src/kafka.config.ts'))
    : [];
  return [...configVariables(source), ...inherited];
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (NOT_TRACKED.has(entry.name)) return [];
    return entry.isDirectory() ? walk(path) : [path];
  });
}
