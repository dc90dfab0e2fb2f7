/** Each check of documents and tracked files takes texts and returns faults, one line each. */
import { posix } from 'node:path';

/** Checks a document's links to files and headings. `files` are all paths of the repository, `textOf` reads one. */
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

/** GitHub makes an anchor in lower case, without punctuation, with dashes for spaces. */
export function headingAnchors(text) {
  const headings = [...withoutCode(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading]) => heading);
  return new Set(headings.map((heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-'))); // prettier-ignore
}

const withoutCode = (text) => text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '');

/** Reports files that a document names in backticks and that do not exist. Patterns, placeholders and built files are left out. */
export function namedFileFaults(document, text, files) {
  const names = [
    ...withoutCode(text).matchAll(/`((?:apps|libs|tools|docs|config|verification|examples)\/[\w./-]+\.\w+)`/g),
  ].map(([, name]) => name);
  const missing = names.filter((name) => !files.has(name) && !/\/(dist|NAME|NNNN)\b/.test(name));
  return [...new Set(missing)].map((name) => `${document}: ${name} does not exist`);
}

/**
 * Reports table rows without a head and its line of dashes, as a blank line inside a table leaves them: GitHub shows these as plain text.
 */
export function tableFaults(document, text) {
  const blocks = withoutCode(text).matchAll(/^(\|.*)(?:\n(\|.*))?(?:\n\|.*)*/gm);
  return [...blocks]
    .filter(([, , dashes = '']) => !/^\|[|:\- ]+$/.test(dashes))
    .map(([, first]) => `${document}: no table begins with ${first.slice(0, 60)}`);
}

const WAY = { heading: 'The way of a capture', files: 25, shapes: 10 };

/**
 * Checks a document's list of the files that a capture passes: each exists, none is listed twice, and neither files nor record shapes
 * exceed their limit.
 */
export function wayFaults(document, text, files) {
  const [, section] = new RegExp(`^## ${WAY.heading}\\s*$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(text) ?? [];
  if (section === undefined) return [`${document}: has no section "${WAY.heading}"`];
  const listed = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => path);
  const [, named = ''] = /^Shapes on the way: ([^]*?)\.$/m.exec(section) ?? [];
  const shapes = [...named.matchAll(/`(\w+)`/g)];
  const faults = [
    ...listed.filter((path) => !files.has(path)).map((path) => `${path} does not exist`),
    ...listed.filter((path, at) => listed.indexOf(path) < at).map((path) => `${path} comes twice`),
    ...(listed.length === 0 || shapes.length === 0 ? ['no files or no shapes are listed'] : []),
    ...(listed.length > WAY.files ? [`${listed.length} files, at most ${WAY.files}`] : []),
    ...(shapes.length > WAY.shapes ? [`${shapes.length} shapes, at most ${WAY.shapes}`] : []),
  ];
  return faults.map((fault) => `${document}, "${WAY.heading}": ${fault}`);
}

const ROOMS = 'Where is what';

/** Checks that a document lists exactly the subfolders that exist. A folder with no listed subfolder is not checked. */
export function roomFaults(document, text, files) {
  const [, section = ''] = new RegExp(`^## ${ROOMS}\\s*$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(text) ?? [];
  const listed = new Map();
  let folder;
  for (const [, first, second] of section.matchAll(/^\|([^|]*)\|([^|]*)\|/gm)) {
    folder = /`([^`]+)`/.exec(first)?.[1] ?? /\[(\w+)\]/.exec(first)?.[1] ?? folder;
    const rooms = [...second.matchAll(/`([^`]+)`/g)].map(([, room]) => room);
    if (folder !== undefined && rooms.length > 0) listed.set(folder, [...(listed.get(folder) ?? []), ...rooms]);
  }
  if (listed.size === 0) return [`${document}: lists no rooms under "${ROOMS}"`];
  return [...listed].flatMap(([folder, rooms]) => {
    const within = /^(libs|apps)\//.test(folder) ? `${folder}/src/` : `${folder}/`;
    const inside = [...files].filter((file) => file.startsWith(within)).map((file) => file.slice(within.length));
    const there = new Set(inside.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
    there.delete('test');
    return [
      ...rooms
        .filter((room) => !there.has(room))
        .map((room) => `${document}, "${ROOMS}": ${within}${room} does not exist`),
      ...[...there]
        .filter((room) => !rooms.includes(room))
        .map((room) => `${document}, "${ROOMS}": ${within}${room} is not listed`),
    ];
  });
}

/** Finds the environment variables of a configuration file: `@Env('NAME'` in a class, `{ name: 'NAME'` in a table. */
export function configVariables(source) {
  return [...source.matchAll(/(?:@Env\(\s*|\{\s*name:\s*)'([A-Z][A-Z0-9_]+)'/g)].map(([, name]) => name);
}

export function documentedVariables(readme) {
  const [, settings = ''] = /^##\s+Settings\s*$([\s\S]*?)(?=^##\s|(?![\s\S]))/m.exec(readme) ?? [];
  const firstColumns = [...settings.matchAll(/^\|([^|]*)\|/gm)].map(([, column]) => column);
  return firstColumns.flatMap((column) => [...column.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
}

/** Every variable of the code must be documented, and no other. An app may leave `shared` variables to service-kit's README. */
export function settingsFaults(document, readme, own, shared) {
  const documented = new Set(documentedVariables(readme));
  const known = new Set([...own, ...shared, ...[...own, ...shared].map((name) => `${name}_FILE`)]);
  return [
    ...own.filter((name) => !documented.has(name)).map((name) => `${document}: ${name} is not under Settings`),
    ...[...documented]
      .filter((name) => !known.has(name))
      .map((name) => `${document}: ${name} is no setting of the code`),
  ];
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
