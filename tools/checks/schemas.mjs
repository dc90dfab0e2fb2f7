/** Makes JSON Schemas from the classes of libs/contracts. It loads the built library. */
import 'reflect-metadata';
import { validationMetadatasToSchemas } from 'class-validator-jsonschema';
import transformer from 'class-transformer/cjs/storage.js';
import { built } from '../infra/built.mjs';

/** Returns the schemas by their names. */
export async function schemas() {
  const library = await built('libs/contracts/dist/index.js');
  return new Map(library.SCHEMA_SOURCES.map((source) => [source.name, schemaOf(source, library)]));
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const DEFS = '#/$defs/';

function schemaOf(source, library) {
  const { name, type, unknown } = source;
  const all = validationMetadatasToSchemas({
    classTransformerMetadataStorage: transformer.defaultMetadataStorage,
    refPointerPrefix: DEFS,
    additionalConverters: {
      [library.FIELD_RULE]: (rule) => structuredClone(rule.context.schema),
      [library.THERE_RULE]: () => ({}),
    },
  });
  const shared = {};
  const complete = (one) => documented(one, all[one.name], unknown, shared, library);
  const classes = Object.fromEntries(nestedIn(type, library).map((one) => [one.name, complete(one)]));
  const root = complete(type);
  const isEvent = name === 'payment-event';
  const $defs = {
    ...(isEvent && { [EVENT_FIELDS]: root, ...byEventType(library), Event: eventByType(library) }),
    ...classes,
    ...shared,
  };
  return {
    $schema: DIALECT,
    $id: library.schemaId(source),
    title: type.name,
    ...(isEvent ? anyKnownEvent(root, library) : root),
    ...(Object.keys($defs).length > 0 && { $defs }),
  };
}

/** Adds what the decorators say to the schema of a class, and moves the formats that fields share into `shared`. */
function documented(type, schema, unknown, shared, { docOf, SHARED_FORMATS }) {
  const properties = Object.entries(schema.properties).map(([name, { title, ...rule }]) => {
    const doc = docOf(type, name);
    if (doc === undefined) throw new Error(`${type.name}.${name} has no @Doc`);
    const { description, example, known } = doc;
    if (title !== undefined) {
      const { description: meaning, example: usual } = SHARED_FORMATS[title];
      shared[title] = { description: meaning, ...rule, examples: [usual] };
    }
    const format = title === undefined ? rule : { $ref: DEFS + title };
    if (known && format.items) format.items = withKnown(format.items, known);
    const isOpen = known !== undefined && format.items === undefined;
    const examples = example === undefined ? {} : { examples: [example] };
    return [name, { description, ...(isOpen ? withKnown(format, known) : { ...format, ...examples }) }];
  });
  return {
    ...(docOf(type) && { description: docOf(type).description }),
    ...schema,
    properties: Object.fromEntries(properties),
    additionalProperties: unknown === 'ignored',
  };
}

/** An open set: a later version may write other values, so there is no `enum`. */
const withKnown = (format, known) => {
  const values = Array.isArray(known) ? known : Object.keys(known);
  return { ...format, examples: [...values], 'x-known-values': [...values] };
};

function nestedIn(type, library, found = []) {
  for (const { nested } of library.fieldsOf(type))
    if (nested !== undefined && !found.includes(nested)) nestedIn(nested, library, found.push(nested) && found);
  return found;
}

const EVENT_FIELDS = 'PaymentEventFields';

/** The root takes what at least one type of this version allows. A type that a reader does not know is to be skipped, not checked. */
function anyKnownEvent({ description }, { EVENT_TYPES, eventDefinition }) {
  return { description, type: 'object', anyOf: EVENT_TYPES.map((type) => ({ $ref: DEFS + eventDefinition(type) })) };
}

/** Makes the fields that each event type requires into a definition: `#/$defs/PaymentAuthorizeSucceeded`. */
function byEventType({ EVENT_REQUIREMENTS, EVENT_ALTERNATIVES, eventDefinition }) {
  const typed = ([eventType, required]) => {
    const texts = required.filter((field) => field === 'merchant' || field === 'orderId' || field === 'commandId');
    const properties = Object.fromEntries(texts.map((field) => [field, { type: 'string', minLength: 1 }]));
    const oneOf = EVENT_ALTERNATIVES[eventType] && pageOrNone(...EVENT_ALTERNATIVES[eventType]);
    return [
      eventDefinition(eventType),
      {
        description: `Data of ${eventType}.`,
        allOf: [{ $ref: DEFS + EVENT_FIELDS }],
        required,
        ...(texts.length > 0 && { properties }),
        ...(oneOf && { oneOf }),
      },
    ];
  };
  return Object.fromEntries(Object.entries(EVENT_REQUIREMENTS).map(typed));
}

const pageOrNone = (page, none) => [
  { required: [page], properties: { [page]: { type: 'string', minLength: 1 } } },
  { required: [none], properties: { [none]: { const: true } }, not: { required: [page] } },
];

/** An event with its type: known types must have their fields, and types of a later version pass with the fields that all events have. */
function eventByType({ EVENT_TYPES, eventDefinition }) {
  return {
    description:
      'An event with its type. Data of a type that this version knows must have the fields of the type; a type of a later version is accepted, and readers skip it.',
    type: 'object',
    required: ['type', 'data'],
    properties: {
      type: withKnown({ description: 'Header ce_type.', type: 'string', minLength: 1 }, EVENT_TYPES),
      data: { description: 'Data of the event.', $ref: DEFS + EVENT_FIELDS },
    },
    additionalProperties: true,
    allOf: EVENT_TYPES.map((type) => ({
      if: { properties: { type: { const: type } } },
      then: { properties: { data: { $ref: DEFS + eventDefinition(type) } } },
    })),
  };
}
