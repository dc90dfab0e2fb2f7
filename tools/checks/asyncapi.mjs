/** Generates the AsyncAPI document of all topics from the built library, its JSON Schemas and the header tables. */
import { readFileSync } from 'node:fs';

export const ASYNCAPI_FILE = 'libs/contracts/asyncapi.json';

const SCHEMAS = '#/components/schemas/';
const BINDING = { bindingVersion: '0.5.0' };
const { version, license } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Without MESSAGES: records that hold what was refused, or close it, and those that only the gateway reads. */
export const OTHERS = {
  commandsDeadLetter: {
    name: 'dead-letter',
    summary:
      'A command that was not taken: original key, value and headers, with the reason in further headers. Card data is left out.',
    headers: {
      'dead-letter-topic': ['Topic of the original record.', 'payments.commands.card.v1'],
      'dead-letter-partition': ['Partition of the original record.', '3'],
      'dead-letter-offset': ['Offset of the original record.', '42'],
      'dead-letter-timestamp': ['Time-stamp of the original record, milliseconds since 1970.', '1803895200000'],
      'dead-letter-code': ['Stable code of the reason.', 'malformed_envelope'],
      'dead-letter-message': ['Reason for people.', 'ce_time is missing'],
      'dead-letter-attempts': ['Number of tries.', '1'],
      'dead-letter-withheld': ['Parts that were left out: key, value, headers.', 'value'],
    },
    payload: { description: 'The original value; null if it was withheld.' },
  },
  notificationsQuarantine: [
    {
      name: 'payment.notification.quarantined',
      summary: 'A notification whose HASH did not fit, or a request that could not be read, for people to check.',
      payload: {
        type: 'object',
        required: ['reason', 'from', 'receivedAt', 'altered'],
        properties: {
          reason: {
            type: 'string',
            description: 'Why it was put aside.',
            examples: ['hash_mismatch', 'unknown_identifier', 'unreadable', 'not_found'],
          },
          why: { type: 'string', description: 'Fault of a request that could not be read.' },
          merchant: { type: 'string', description: 'Merchant, if IDENTIFIER names one.' },
          from: { type: 'string', description: 'Address of the sender.' },
          receivedAt: { type: 'string', format: 'date-time', description: 'Time at which it came.' },
          altered: {
            type: 'boolean',
            description: 'True if card data was taken out, so that no HASH can fit any more.',
          },
          parameters: { type: 'array', description: 'Parameters in their order, each as name and value.' },
          request: { type: 'object', description: 'The request as it came, one character per byte.' },
        },
      },
    },
    {
      name: 'payment.notification.reverified',
      summary:
        'Closes an entry of the quarantine in its own partition: it was verified again, and its event is published.',
      payload: {
        type: 'object',
        required: ['partition', 'offset', 'verdict', 'event', 'closedAt'],
        properties: {
          partition: { type: 'integer', description: 'Partition of the entry.' },
          offset: { type: 'string', description: 'Offset of the entry.', examples: ['42'] },
          verdict: { type: 'string', description: 'What became of it. Others may follow.', examples: ['published'] },
          event: { type: 'string', description: 'Id of the event; a repeat of the run publishes the same one.' },
          closedAt: { type: 'string', format: 'date-time', description: 'Time of the run.' },
        },
      },
    },
  ],
};
const INTERNAL = {
  name: 'internal',
  summary: 'Record of payment-gateway alone. Its content is no contract and changes without notice.',
};

export function asyncapiDocument(library, schemas) {
  const { TOPICS, MESSAGES } = library;
  const messagesOf = (topic) => MESSAGES.filter((message) => message.topic === topic);
  const messages = {};
  const channels = Object.entries(TOPICS).map(([topic, definition]) => {
    const own = messagesOf(topic).map((message) => [message.type, messageOf(message, definition, library)]);
    const others = [OTHERS[topic] ?? INTERNAL].flat();
    const all = own.length > 0 ? own : others.map((other) => otherOf(other, definition));
    for (const [name, message] of all) messages[`${topic}.${name}`] = message;
    const refs = all.map(([name]) => [name, { $ref: `#/components/messages/${topic}.${name}` }]);
    return [topic, { ...channelOf(definition), messages: Object.fromEntries(refs) }];
  });
  // From the point of view of Tranche: shops send commands, which Tranche receives.
  const operations = Object.entries(TOPICS).map(([topic, { writtenBy }]) => {
    const action = writtenBy === 'commerce' ? 'receive' : 'send';
    return [`${action}.${topic}`, { action, channel: { $ref: `#/channels/${topic}` } }];
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tranche',
      version,
      license: { name: license },
      description:
        'Payment commands over Kafka, and their results. Generated by `npm run generate-schemas`. Topic names may have a prefix (TOPIC_PREFIX). Records are CloudEvents 1.0 in binary mode. The record key of an order is merchant/orderId; the partition is murmur2 of the key, as in Kafka’s Java client: librdkafka needs partitioner=murmur2_random, else the commands of one order lose their order. A command that is refused for its signature, or whose order cannot be read, gets no event: it is in the dead-letter topic.',
    },
    defaultContentType: 'application/json',
    servers: {
      kafka: { host: 'kafka.example.com:9092', protocol: 'kafka', description: 'The brokers (KAFKA_BROKERS).' },
    },
    channels: Object.fromEntries(channels),
    operations: Object.fromEntries(operations),
    components: { schemas: { ...headerSchemas(library), ...componentsOf(schemas, MESSAGES) }, messages },
  };
}

function channelOf({ name, partitions, key, writtenBy, readBy, cleanupPolicy, retentionMs, ...rest }) {
  const { retentionBytes, maxMessageBytes } = rest;
  return {
    address: name,
    description: `Written by ${writtenBy}, read by ${readBy}.`,
    bindings: {
      kafka: {
        partitions,
        topicConfiguration: {
          'cleanup.policy': [cleanupPolicy],
          'retention.ms': retentionMs,
          ...(retentionBytes && { 'retention.bytes': retentionBytes }),
          'max.message.bytes': maxMessageBytes,
        },
        ...BINDING,
      },
    },
    'x-key': key,
    'x-partitioner': 'murmur2',
  };
}

function messageOf({ type, source, definition, summary, example, topic }, { key }, { ENVELOPE_HEADERS, TOPICS }) {
  const usual = ENVELOPE_HEADERS.filter(({ required }) => required).map(({ header, example: one }) => [header, one]);
  return {
    ...{ name: type, title: type, summary, contentType: 'application/json' },
    headers: { $ref: `${SCHEMAS}${TOPICS[topic].writtenBy === 'commerce' ? 'CommandHeaders' : 'EventHeaders'}` },
    payload: { $ref: SCHEMAS + (definition ?? source.name) },
    bindings: { kafka: { key: keyOf(key), ...BINDING } },
    examples: [{ name: 'whole', headers: { ...Object.fromEntries(usual), ce_type: type }, payload: example }],
  };
}

function otherOf({ name, summary, headers = {}, payload = {} }, { key }) {
  const properties = Object.entries(headers).map(([header, [description, example]]) => [
    header,
    { type: 'string', description, examples: [example] },
  ]);
  const own = { type: 'object', properties: Object.fromEntries(properties) };
  const message = {
    ...{ name, title: name, summary },
    headers: name.startsWith('payment.') ? { $ref: `${SCHEMAS}EventHeaders` } : own,
    payload,
    bindings: { kafka: { key: keyOf(key), ...BINDING } },
  };
  return [name, message];
}

const keyOf = (key) =>
  key === 'merchant/orderId' ? { $ref: `${SCHEMAS}OrderKey` } : { type: 'string', description: `Key: ${key}.` };

function headerSchemas({ ENVELOPE_HEADERS, SIGNATURE_HEADER }) {
  const schemaOf = ({ max, example }, description) => ({
    type: 'string',
    minLength: 1,
    maxLength: max,
    description,
    examples: [example],
  });
  const envelope = ENVELOPE_HEADERS.map((one) => [one.header, schemaOf(one, one.description)]);
  const ofCommands = ENVELOPE_HEADERS.filter((one) => one.ofCommands).map((one) => [
    one.header,
    schemaOf(one, `${one.description} ${one.ofCommands}`),
  ]);
  const text = (description, ...examples) => ({
    type: 'string',
    description,
    ...(examples.length > 0 && { examples }),
  });
  const properties = {
    ...Object.fromEntries(envelope),
    traceparent: text('W3C Trace Context.', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
    tracestate: text('W3C Trace Context of vendors.'),
  };
  const required = ENVELOPE_HEADERS.filter((one) => one.required).map(({ header }) => header);
  const headers = (description, more) => ({
    description,
    type: 'object',
    required,
    properties: { ...properties, ...more },
  });
  return {
    OrderKey: {
      ...text(
        'Order key: name of the merchant, a slash, and the order number. All records of an order have it.',
        'shop-fr/order-1',
      ),
      minLength: 3,
      maxLength: 73,
    },
    EventHeaders: headers('Kafka headers of an event: CloudEvents in binary mode.', {}),
    CommandHeaders: headers('Kafka headers of a command: CloudEvents in binary mode.', {
      ...Object.fromEntries(ofCommands),
      [SIGNATURE_HEADER]: text(
        'Detached JWS (Ed25519) over topic, key, headers and value. Merchants with requireSignatures need it.',
      ),
    }),
  };
}

/** The definitions of all schemas side by side. A definition that two schemas have must be the same. */
function componentsOf(schemas, messages) {
  const found = {};
  const add = (name, schema) => {
    const text = JSON.stringify(schema);
    if (found[name] !== undefined && JSON.stringify(found[name]) !== text)
      throw new Error(`two definitions of ${name}`);
    found[name] = schema;
  };
  for (const name of new Set(messages.map(({ source }) => source.name))) {
    const { $schema, $id, $defs = {}, ...root } = schemas.get(name);
    add(name, { ...inDocument(root), 'x-schema-id': $id, 'x-schema-dialect': $schema });
    for (const [definition, schema] of Object.entries($defs)) add(definition, inDocument(schema));
  }
  return found;
}

/** AsyncAPI ignores what stands beside `$ref`, so a description goes beside `allOf` in its place. */
function inDocument(schema) {
  if (Array.isArray(schema)) return schema.map(inDocument);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, inDocument(value)]),
  );
  if ($ref === undefined) return rest;
  const ref = { $ref: $ref.replace('#/$defs/', SCHEMAS) };
  return Object.keys(rest).length === 0 ? ref : { allOf: [ref], ...rest };
}
