// JSON Schemas of libs/contracts from its classes: writes libs/contracts/schemas; with --check writes nothing and exits 1 when they are stale.
// Reads the built library: run `npm run build` first.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import 'reflect-metadata';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
import transformer from 'class-transformer/cjs/storage.js';

const root = new URL('../', import.meta.url);
const folder = new URL('libs/contracts/schemas/', root);
const library = new URL('libs/contracts/dist/index.js', root);

if (!existsSync(library)) {
  console.error('libs/contracts is not built: run `npm run build` first');
  process.exit(1);
}
const { EVENT_REQUIREMENTS, FIELD_RULE, SCHEMA_SOURCES } = await import(library.href);

const wanted = new Map(SCHEMA_SOURCES.map((source) => [`${source.name}.json`, `${JSON.stringify(schemaOf(source), null, 2)}\n`]));
const committed = new Map(existing().map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
const stale = [...new Set([...wanted.keys(), ...committed.keys()])].filter((file) => wanted.get(file) !== committed.get(file)).sort();

if (process.argv.includes('--check')) check();
else write();

function check() {
  if (stale.length > 0) {
    console.error(`stale: ${stale.join(', ')}\nrun \`npm run build && npm run generate-schemas\` and commit libs/contracts/schemas`);
    process.exit(1);
  }
  console.log(`${wanted.size} schemas are current`);
}

function write() {
  mkdirSync(folder, { recursive: true });
  for (const file of stale) {
    if (wanted.has(file)) writeFileSync(new URL(file, folder), wanted.get(file));
    else rmSync(new URL(file, folder));
  }
  console.log(`${wanted.size} schemas in ${fileURLToPath(folder)}, ${stale.length} changed`);
}

function existing() {
  return existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
}

function schemaOf({ name, type, unknown }) {
  const all = validationMetadatasToSchemas({
    classTransformerMetadataStorage: transformer.defaultMetadataStorage,
    refPointerPrefix: '#/definitions/',
    additionalConverters: { [FIELD_RULE]: (rule) => rule.context.schema },
  });
  const complete = (className) => ({ ...all[className], additionalProperties: unknown === 'ignored', ...eitherOf(className) });
  const definitions = Object.fromEntries(reachable(all, type.name).map((className) => [className, complete(className)]));
  if (name === 'payment-event') Object.assign(definitions, byEventType());
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${name}.json`,
    title: type.name,
    ...complete(type.name),
    ...(Object.keys(definitions).length > 0 && { definitions }),
  };
}

/** Classes that a class refers to, at any depth. */
function reachable(all, className, found = []) {
  for (const [, next] of JSON.stringify(all[className]).matchAll(/"#\/definitions\/(\w+)"/g)) {
    if (!found.includes(next)) reachable(all, next, found.push(next) && found);
  }
  return found;
}

/** `@RequiredUnless`: at least one of the two must be there. */
function eitherOf(className) {
  const rules = [...getMetadataStorage().validationMetadatas.values()].flat();
  const pairs = rules
    .filter(
      ({ target, type, context }) =>
        target.name === className && type === ValidationTypes.CONDITIONAL_VALIDATION && context?.requiredUnless,
    )
    .map(({ propertyName }) => ({ required: [propertyName] }));
  return pairs.length === 0 ? {} : { anyOf: pairs };
}

/** What each event type has at least: `#/definitions/payment.authorize.succeeded`. */
function byEventType() {
  const typed = ([eventType, required]) => {
    const texts = required.filter((field) => field === 'merchant' || field === 'orderId' || field === 'commandId');
    const properties = Object.fromEntries(texts.map((field) => [field, { minLength: 1 }]));
    return [eventType, { allOf: [{ $ref: '#' }], required, ...(texts.length > 0 && { properties }) }];
  };
  return Object.fromEntries(Object.entries(EVENT_REQUIREMENTS).map(typed));
}
