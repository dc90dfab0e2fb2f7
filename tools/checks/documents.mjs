import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname } from 'node:path';
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
 * Returns `{ count, faults }`: the number of files and one line per fault. `interfaceFile` is the interface's own text, which only some
 * people have.
 */
export function checkDocuments(interfaceFile) {
  const files = new Set(walk('.'));
  const list = readSentences(JSON.parse(read(SENTENCES)));
  const isUsed = productionUse(productionFiles(files), read);
  const faults = [
    ...[...files].filter((file) => file.endsWith('.md')).flatMap((file) => linkFaults(file, read(file), files, read)),
    ...[...files].filter((file) => file.endsWith('.md')).flatMap((file) => tableFaults(file, read(file))),
    ...[...files].filter((file) => file.endsWith('.md')).flatMap((file) => namedFileFaults(file, read(file), files)),
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
  return { count: files.size, faults };
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
