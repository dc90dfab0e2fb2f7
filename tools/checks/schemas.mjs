/** Makes JSON Schemas from the classes of libs/contracts. It loads the built library. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import 'reflect-metadata';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
import transformer from 'class-transformer/cjs/storage.js';

const FOLDER = 'libs/contracts/schemas';

/** Returns `{ wanted, stale }`: the text of each file, and the names of those that differ on disk. */
export async function schemas() {
  const library = await import(pathToFileURL(resolve('libs/contracts/dist/index.js')).href);
  const wanted = new Map(
    library.SCHEMA_SOURCES.map((source) => [`${source.name}.json`, textOf(schemaOf(source, library))]),
  );
  const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith('.json')) : [];
  const committed = new Map(names.map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]));
  const stale = [...new Set([...wanted.keys(), ...committed.keys()])]
    .filter((file) => wanted.get(file) !== committed.get(file))
    .sort();
  return { wanted, stale };
}

export function writeSchemas({ wanted, stale }) {
  mkdirSync(FOLDER, { recursive: true });
  for (const file of stale) {
    if (wanted.has(file)) writeFileSync(join(FOLDER, file), wanted.get(file));
    else rmSync(join(FOLDER, file));
  }
}

const textOf = (schema) => `${JSON.stringify(schema, null, 2)}\n`;

function schemaOf({ name, type, unknown }, { EVENT_REQUIREMENTS, FIELD_RULE, THERE_RULE }) {
  const all = validationMetadatasToSchemas({
    classTransformerMetadataStorage: transformer.defaultMetadataStorage,
    refPointerPrefix: '#/definitions/',
    additionalConverters: { [FIELD_RULE]: (rule) => rule.context.schema, [THERE_RULE]: () => ({}) },
  });
  const complete = (className) => ({ ...all[className], additionalProperties: unknown === 'ignored' });
  const definitions = Object.fromEntries(
    reachable(all, type.name).map((className) => [className, complete(className)]),
  );
  if (name === 'payment-event') Object.assign(definitions, byEventType(EVENT_REQUIREMENTS));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${name}.json`,
    title: type.name,
    ...complete(type.name),
    ...(Object.keys(definitions).length > 0 && { definitions }),
  };
}

function reachable(all, className, found = []) {
  for (const [, next] of JSON.stringify(all[className]).matchAll(/"#\/definitions\/(\w+)"/g)) {
    if (!found.includes(next)) reachable(all, next, found.push(next) && found);
  }
  return found;
}

/** Makes the fields that each event type requires into a definition: `#/definitions/payment.authorize.succeeded`. */
function byEventType(requirements) {
  const typed = ([eventType, required]) => {
    const texts = required.filter((field) => field === 'merchant' || field === 'orderId' || field === 'commandId');
    const properties = Object.fromEntries(texts.map((field) => [field, { minLength: 1 }]));
    return [eventType, { allOf: [{ $ref: '#' }], required, ...(texts.length > 0 && { properties }) }];
  };
  return Object.fromEntries(Object.entries(requirements).map(typed));
}
