/**
 * Compares the JSON Schemas with those of the last release. Whoever was made for the release must go on working: writers of commands, readers
 * of events, and readers of this version that find records of the release in a topic.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'libs/contracts/schemas';
export const RELEASED = 'libs/contracts/released';

/** Messages that we write and others read. The others are written by shops, or by services of the interface. */
const READ_BY_OTHERS = ['payment-event', 'payment-notification', 'auth-event', 'cse-event', 'audit-record'];
/** Its conditions repeat the definitions of the event types, which are compared by themselves. */
const DERIVED = '#/$defs/Event';
const ANNOTATIONS = ['$id', '$schema', 'title', 'description', 'examples', 'x-known-values'];
const SETS = ['type', 'enum', 'required', 'allOf', 'anyOf', 'oneOf'];
const OF_NAMES = ['properties', '$defs'];
const OF_SCHEMAS = ['items', 'additionalProperties'];

/** Version of the newest release that has its schemas in the folder. */
export function lastRelease(folder = RELEASED) {
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name)) : [];
  return versions.sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
}

/** Keeps the schemas of today as those of a release. */
export function keepRelease(version) {
  mkdirSync(join(RELEASED, version), { recursive: true });
  for (const file of filesIn(FOLDER)) cpSync(join(FOLDER, file), join(RELEASED, version, file));
}

const filesIn = (folder) => readdirSync(folder).filter((file) => file.endsWith('.json'));
export const schemasIn = (folder = FOLDER) =>
  new Map(
    filesIn(folder).map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(folder, file), 'utf8'))]),
  );

/** Returns `[{ at, change, breaks }]`; both maps hold schemas by name. */
export function breakingChanges(released, present) {
  return [...released].flatMap(([name, before]) => {
    const after = present.get(name);
    if (after === undefined) return [{ at: name, change: 'the schema is gone', breaks: `everyone who uses ${name}` }];
    const whoBreaks = READ_BY_OTHERS.includes(name) ? brokenReaders(name) : brokenWriters(name);
    return differences(before, after, '').flatMap(({ at, was, is, how }) =>
      how in whoBreaks ? [{ at: name + at, change: `${shown(was)}, now ${shown(is)}`, breaks: whoBreaks[how] }] : [],
    );
  });
}

function brokenWriters(name) {
  const breaks = `writers of ${name}: what the release let them send is refused`;
  return { narrows: breaks, removes: breaks };
}

const brokenReaders = (name) => ({
  narrows: `readers of this version: they refuse records of ${name} that the release has written`,
  widens: `readers of ${name} that were made for the release: they get what its schema excludes`,
  removes: `readers of ${name} that use it`,
});

/** Returns `[{ at, was, is, how }]`: each difference removes a field or definition, or narrows or widens what is accepted. */
function differences(before, after, at) {
  if (typeof before !== 'object' || typeof after !== 'object') return changed(before, after, at);
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords]
    .filter((keyword) => !ANNOTATIONS.includes(keyword))
    .flatMap((keyword) => {
      const place = at === '' && keyword === '$defs' ? '#/$defs' : `${at}/${keyword}`;
      const [was, is] = [before[keyword], after[keyword]];
      if (OF_NAMES.includes(keyword)) return ofNames(was ?? {}, is ?? {}, place);
      if (was === undefined || is === undefined) return changed(was, is, place);
      if (OF_SCHEMAS.includes(keyword)) return differences(was, is, place);
      if (SETS.includes(keyword)) return ofSets([was].flat(), [is].flat(), place, keyword);
      const isLimit = /^(min|max)/.test(keyword) && typeof was === 'number' && was !== is;
      if (isLimit) return [{ at: place, was, is, how: keyword.startsWith('min') === is > was ? 'narrows' : 'widens' }];
      return JSON.stringify(was) === JSON.stringify(is) ? [] : changed(was, is, place);
    });
}

/** A new field or definition breaks a publisher only if it is required; the list `required` is compared by itself. */
const ofNames = (before, after, at) =>
  Object.keys(before).flatMap((name) => {
    const place = `${at}/${name}`;
    if (!(name in after)) return [{ at: place, was: name, is: undefined, how: 'removes' }];
    return place === DERIVED ? [] : differences(before[name], after[name], place);
  });

/** More requirements narrow, more values widen. A new branch of `anyOf` is a new event type, which older readers skip. */
function ofSets(before, after, at, keyword) {
  const [was, is] = [before, after].map((all) => new Set(all.map((one) => JSON.stringify(one))));
  const lost = [...was].filter((one) => !is.has(one));
  const gained = [...is].filter((one) => !was.has(one));
  const isRequirement = keyword === 'required' || keyword === 'allOf';
  return [
    ...lost.map((one) => ({ at, was: `with ${one}`, is: 'without', how: isRequirement ? 'widens' : 'narrows' })),
    ...(keyword === 'anyOf' ? [] : gained).map((one) => ({ at, was: 'without', is: `with ${one}`, how: isRequirement ? 'narrows' : 'widens' })), // prettier-ignore
  ];
}

/** Nobody can say what a change of any other keyword lets through, such as `pattern` or `$ref`, so it breaks both sides. */
function changed(was, is, at) {
  if (was === is) return [];
  const hows = [...(is === undefined ? [] : ['narrows']), ...(was === undefined ? [] : ['widens'])];
  return hows.map((how) => ({ at, was, is, how }));
}

const shown = (value) => (value === undefined ? 'any' : typeof value === 'string' ? value : JSON.stringify(value));
