import { commandClass } from './commands/validate-command.js';
import { AUDIT_TYPE } from './events/audit-record.js';
import { EVENT_EXAMPLES, exampleOf } from './examples.js';
import { AUTH_EVENT_TYPES, COMMAND_TYPES, CSE_EVENT_TYPES, EVENT_TYPES, NOTIFICATION_TYPE } from './message-types.js';
import { RAILS } from './methods.js';
import { SCHEMA_SOURCES, type SchemaSource } from './schemas.js';
import { TOPICS } from './topics.js';
import { docOf } from './validation/doc.js';

export type TopicId = keyof typeof TOPICS;

/** A message type on a topic. */
export interface MessageDefinition {
  readonly topic: TopicId;
  /** Header `ce_type`. */
  readonly type: string;
  readonly source: SchemaSource;
  /** Definition within the schema, for schemas of several types. */
  readonly definition?: string;
  readonly summary: string;
  /** A whole valid message. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** Name of an event type's definition, which generators of code take for a class: `PaymentCaptureInDoubt` of `payment.capture.in_doubt`. */
export function eventDefinition(type: string): string {
  return type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** All messages with a schema, by topic and type. The journal and the decisions are the gateway's own; their content is no contract. */
export const MESSAGES: readonly MessageDefinition[] = [
  ...RAILS.flatMap((rail) =>
    COMMAND_TYPES.flatMap((type) => {
      const found = SCHEMA_SOURCES.find((source) => source.type === commandClass(rail, type));
      return found ? [message(rail, type, found)] : [];
    }),
  ),
  ...EVENT_TYPES.map((type) => ({
    ...message('events', type, sourceOf('payment-event')),
    definition: eventDefinition(type),
    summary: `Result event ${type}.`,
    example: EVENT_EXAMPLES[type],
  })),
  message('notifications', NOTIFICATION_TYPE, sourceOf('payment-notification')),
  message('operationsAudit', AUDIT_TYPE, sourceOf('audit-record')),
  ...AUTH_EVENT_TYPES.map((type) => message('authEvents', type, sourceOf('auth-event'))),
  ...CSE_EVENT_TYPES.map((type) => message('cseEvents', type, sourceOf('cse-event'))),
];

function sourceOf(name: string): SchemaSource {
  const found = SCHEMA_SOURCES.find((source) => source.name === name);
  if (found === undefined) throw new Error(`no schema is named ${name}`);
  return found;
}

function message(topic: TopicId, type: string, source: SchemaSource): MessageDefinition {
  return { topic, type, source, summary: docOf(source.type)?.description ?? '', example: exampleOf(source.type) };
}
