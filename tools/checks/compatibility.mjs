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
const DERIVED = ['Event'];

/** Version of the newest release that has its schemas in the folder. */
export function lastRelease(folder = RELEASED) {
  const numbers = (version) => version.split('.').map(Number);
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name)) : [];
  const isAfter = ([a, b, c], [x, y, z]) => a - x || b - y || c - z;
  return versions.sort((one, other) => isAfter(numbers(one), numbers(other))).at(-1);
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
    return READ_BY_OTHERS.includes(name) ? ofReaders(name, before, after) : ofWriters(name, before, after);
  });
}

function ofWriters(name, before, after) {
  const breaks = `writers of ${name}: what the release let them send is refused`;
  return refusedBy(before, after).map((found) => ({ ...found, at: name + found.at, breaks }));
}

function ofReaders(name, before, after) {
  const all = [
    [refusedBy(before, after), `readers of this version: they refuse records of ${name} that the release has written`],
    [
      refusedBy(after, before, true),
      `readers of ${name} that were made for the release: they get what its schema excludes`,
    ],
    [removed(before, after), `readers of ${name} that use it`],
  ];
  return all.flatMap(([found, breaks]) => found.map((one) => ({ ...one, at: name + one.at, breaks })));
}

/**
 * Lists how the schema `to` refuses what `from` accepts.
 * @param isBack `to` is the older one; event types that it does not know are skipped by its readers
 */
function refusedBy(from, to, isBack = false) {
  const found = [];
  const note = (at, was, is) => found.push({ at, change: isBack ? `${is}, now ${was}` : `${was}, now ${is}` });
  const context = { from, to, isBack, note };
  compare(from, to, '', context);
  for (const [name, schema] of definitionsOf(from)) {
    const other = to.$defs?.[name];
    if (other !== undefined) compare(schema, other, `#/$defs/${name}`, context);
  }
  return found;
}

const definitionsOf = ({ $defs = {} }) => Object.entries($defs).filter(([name]) => !DERIVED.includes(name));

const LOWER_LIMITS = ['minimum', 'minLength', 'minItems'];
const UPPER_LIMITS = ['maximum', 'maxLength', 'maxItems'];
const UNDERSTOOD = [
  ...['type', 'enum', 'required', 'properties', 'additionalProperties', 'items', 'allOf', 'oneOf', 'anyOf'],
  ...LOWER_LIMITS,
  ...UPPER_LIMITS,
];
const ANNOTATIONS = ['$defs', 'title', 'description', 'examples', 'x-known-values'];

function compare(given, taken, at, context) {
  const [one, other] = [schemaOf(given), schemaOf(taken)];
  // The same definition on both sides is compared once, by its name; what stands beside the reference is compared here.
  if (one.$ref !== undefined && one.$ref === other.$ref) compareResolved(beside(one), beside(other), at, context);
  else compareResolved(resolved(one, context.from), resolved(other, context.to), at, context);
}

function compareResolved(one, other, at, context) {
  compareValues(one, other, at, context);
  compareFields(one, other, at, context);
  compareBranches(one, other, at, context);
  if (other.items !== undefined) compare(one.items ?? {}, other.items, `${at}/items`, context);
}

function compareValues(one, other, at, { note }) {
  const lost = typesOf(one).filter(
    (type) => !typesOf(other).includes(type) && !(type === 'integer' && typesOf(other).includes('number')),
  );
  if (lost.length > 0) note(`${at}/type`, `${typesOf(one).join(' or ')}`, `${typesOf(other).join(' or ')}`);
  for (const name of LOWER_LIMITS)
    if ((other[name] ?? -Infinity) > (one[name] ?? naturalLimit(name)))
      note(`${at}/${name}`, shown(one[name]), shown(other[name]));
  for (const name of UPPER_LIMITS)
    if ((other[name] ?? Infinity) < (one[name] ?? Infinity))
      note(`${at}/${name}`, shown(one[name]), shown(other[name]));
  // Nobody can say what a change of another keyword lets through, such as `pattern`, `not` or one that is new here.
  for (const name of Object.keys(other))
    if (![...UNDERSTOOD, ...ANNOTATIONS].includes(name) && JSON.stringify(other[name]) !== JSON.stringify(one[name]))
      note(`${at}/${name}`, shown(one[name]), shown(other[name]));
  if (other.enum === undefined) return;
  const values = (one.enum ?? ['any other']).filter((value) => !other.enum.includes(value));
  if (values.length > 0) note(`${at}/enum`, `with ${values.join(', ')}`, `without ${values.join(', ')}`);
}

function compareFields(one, other, at, context) {
  const { note } = context;
  const missing = (other.required ?? []).filter((name) => !(one.required ?? []).includes(name));
  for (const name of missing) note(`${at}/required`, `${name} may be absent`, `${name} is required`);
  const { properties = {}, additionalProperties: rest = true } = other;
  for (const [name, schema] of Object.entries(one.properties ?? {})) {
    if (properties[name] !== undefined) compare(schema, properties[name], `${at}/properties/${name}`, context);
    else if (rest === false) note(`${at}/properties/${name}`, 'a field', 'no field');
  }
  // A field that only the other side describes narrows what was free before, or narrows a field of `allOf`.
  if (one.properties !== undefined && one.additionalProperties === undefined)
    for (const [name, schema] of Object.entries(properties))
      if (one.properties[name] === undefined) compare({}, schema, `${at}/properties/${name}`, context);
  if (rest === false && (one.additionalProperties ?? true) !== false)
    note(at, 'unknown fields are ignored', 'unknown fields are refused');
  if (typeof rest === 'object')
    compare(objectOr(one.additionalProperties), rest, `${at}/additionalProperties`, context);
}

const objectOr = (value) => (typeof value === 'object' ? value : {});

function compareBranches(one, other, at, { from, isBack, note }) {
  for (const kind of ['allOf', 'oneOf', 'anyOf']) {
    const texts = (schema) => (schema[kind] ?? []).map((branch) => JSON.stringify(branch));
    const [given, taken] = [texts(one), texts(other)];
    const unmet =
      kind === 'allOf' ? taken.filter((text) => !given.includes(text)) : given.filter((text) => !taken.includes(text));
    if (kind !== 'allOf' && taken.length === 0) continue;
    if (kind !== 'allOf' && given.length === 0) note(`${at}/${kind}`, 'no alternatives', 'alternatives');
    // A reader of the release skips a type that it does not know, so a new type is no fault.
    const isNewType = (text) => isBack && kind === 'anyOf' && from.$defs?.[nameOf(text)] !== undefined;
    for (const text of unmet)
      if (!isNewType(text))
        note(
          `${at}/${kind}`,
          kind === 'allOf' ? 'without' : `with ${text}`,
          kind === 'allOf' ? `with ${text}` : 'without',
        );
  }
}

const nameOf = (branch) => /^\{"\$ref":"#\/\$defs\/([^"]+)"\}$/.exec(branch)?.[1];

/** Fields and definitions that readers may use and that are gone. */
function removed(before, after) {
  const pairs = [
    ['', before, after],
    ...Object.entries(before.$defs ?? {}).map(([name, schema]) => [`#/$defs/${name}`, schema, after.$defs?.[name]]),
  ];
  return pairs.flatMap(([at, was, is]) => {
    if (is === undefined) return [{ at, change: 'the definition is gone' }];
    const gone = Object.keys(was.properties ?? {}).filter((name) => is.properties?.[name] === undefined);
    return gone.map((name) => ({ at: `${at}/properties/${name}`, change: 'the field is gone' }));
  });
}

/** Follows references, and adds what stands beside them. */
function resolved({ $ref, ...rest }, root) {
  if ($ref === undefined) return rest;
  const target = root.$defs?.[$ref.replace('#/$defs/', '')];
  if (target === undefined) throw new Error(`${$ref} is not in ${root.$id}`);
  return { ...resolved(target, root), ...rest };
}

const beside = ({ $ref: _, ...rest }) => rest;
const schemaOf = (schema) => (schema === false ? { not: {} } : schema === true ? {} : schema);

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const typesOf = ({ type }) => (type === undefined ? TYPES : [type].flat());
const naturalLimit = (name) => (name === 'minimum' ? -Infinity : 0);
const shown = (value) => (value === undefined ? 'any' : JSON.stringify(value));
