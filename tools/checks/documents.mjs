/** Checks the links of documents, the files that they name, and that no tracked file depends on this machine. Faults are one line each. */
import { readFileSync, readdirSync } from 'node:fs';
import { extname, posix } from 'node:path';
import { checkBlocks } from './code-blocks.mjs';
import { headingAnchors, withoutCode } from './heading-anchors.mjs';

const NOT_TRACKED = new Set(['node_modules', 'dist', '.nx', '.infra', '.git', 'coverage', '.env']);
const TEXTS = new Set(['.md', '.mjs', '.cjs', '.js', '.ts', '.json', '.yml', '.yaml', '.html', '']);
const read = (file) => readFileSync(file, 'utf8');

/** Resolves to `{ count, faults, blocks }`: the number of files, one line per fault, and how each block of code is checked. */
export async function checkDocuments() {
  const files = new Set(walk('.'));
  const documents = [...files].filter((file) => file.endsWith('.md'));
  const texts = [...files].filter((file) => TEXTS.has(extname(file)) && file !== 'package-lock.json');
  const blocks = checkBlocks(documents, await whatIsThere(files));
  const faults = [
    ...blocks.flatMap(({ document, line, faults: own }) => own.map((fault) => `${document}:${line}: ${fault}`)),
    ...documents.flatMap((file) => linkFaults(file, read(file), files, read)),
    ...documents.flatMap((file) => namedFileFaults(file, read(file), files)),
    ...texts.flatMap((file) => machineFaults(file, read(file))),
    ...lockFileFaults(read('package-lock.json')),
  ];
  return { count: files.size, faults, blocks };
}

/** Collects everything that a block of code may name. */
async function whatIsThere(files) {
  const { COMMANDS, commandOf } = await import('../commands/list.mjs');
  const commands = await Promise.all(
    COMMANDS.map(async (name) => [name, new Set(Object.keys((await commandOf(name)).options ?? {}))]),
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

/** Checks links to files and headings. `files` are all paths of the repository, `textOf` reads one. */
export function linkFaults(document, text, files, textOf) {
  const faults = [];
  for (const [, target] of withoutCode(text).matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
    const [path, anchor] = target.split('#');
    const file = path === '' ? document : posix.join(posix.dirname(document), decodeURI(path));
    const isFolder = [...files].some((known) => known.startsWith(`${file.replace(/\/$/, '')}/`));
    if (!files.has(file) && !isFolder) faults.push(`${document}: ${target} does not exist`);
    else if (anchor && file.endsWith('.md') && !headingAnchors(textOf(file)).has(anchor))
      faults.push(`${document}: ${target} has no such heading`);
  }
  return faults;
}

/** Reports files that a document names in backticks and that do not exist. Patterns, placeholders and built files are left out. */
export function namedFileFaults(document, text, files) {
  const names = withoutCode(text).matchAll(/`((?:apps|libs|tools|docs|config|verification|examples)\/[\w./-]+\.\w+)`/g);
  const missing = [...names].map(([, name]) => name).filter((name) => !files.has(name) && !/\/(dist|NAME|NNNN)\b/.test(name)); // prettier-ignore
  return [...new Set(missing)].map((name) => `${document}: ${name} does not exist`);
}

const MACHINE_PATH = /(?:^|[\s"'`(=:])(\/(?:work|root|Users|home\/(?!node\b))\b[\w./-]*)/m;
const REGISTRY_HOST = new RegExp(
  `https?://[\\w.-]*(?:${['regi' + 'stry', 'artifact' + 'ory', 'ne' + 'xus'].join('|')})[\\w.-]*`,
  'i',
);

/** Paths and registry hosts of a machine must not be committed: they exist nowhere else. */
export function machineFaults(file, text) {
  const [, path] = MACHINE_PATH.exec(text) ?? [];
  const [host] = REGISTRY_HOST.exec(text) ?? [];
  return [
    ...(path ? [`${file}: names the path ${path}`] : []),
    ...(host ? [`${file}: names the package host ${host}`] : []),
  ];
}

/** npm can use a lock file that records its sources only while those addresses can be reached. */
export function lockFileFaults(text) {
  return /"resolved": "http/.test(text)
    ? ['package-lock.json: has "resolved" addresses (.npmrc: omit-lockfile-registry-resolved)']
    : [];
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (NOT_TRACKED.has(entry.name)) return [];
    return entry.isDirectory() ? walk(path) : [path];
  });
}
