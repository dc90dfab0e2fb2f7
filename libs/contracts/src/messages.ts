import { commandClass } from './commands/validate-command.js';
import { AUDIT_TYPE } from './events/audit-record.js';
import { CONTROL_TYPE } from './events/control-record.js';
import { JOB_TYPE } from './events/job-record.js';
import { EVENT_EXAMPLES, exampleOf } from './examples.js';
import {
  AUTH_EVENT_TYPES,
  COMMAND_TYPES,
  CSE_EVENT_TYPES,
  EVENT_TYPES,
  NOTIFICATION_TYPE,
  type EventName,
  type EventType,
  type OperationKind,
  type PaymentKind,
} from './message-types.js';
import { RAILS } from './methods.js';
import { SCHEMA_SOURCES, type SchemaSource } from './schemas.js';
import { TOPICS } from './topics.js';
import { docOf } from './validation/doc.js';

type TopicId = keyof typeof TOPICS;

interface MessageDefinition {
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

type OtherType = Exclude<EventType, `payment.${OperationKind}.${EventName<PaymentKind>}`>;

/** Texts of the events, by the name behind their operation, else by their type. A type without a text does not compile. */
const SUMMARIES: Readonly<Record<EventName<PaymentKind> | OtherType, string>> = {
  succeeded: 'The platform executed the operation.',
  refused: 'The platform refused the operation.',
  rejected: 'The gateway rejected the command; nothing was executed.',
  in_doubt: 'Whether the operation was executed is not known: wait for the event that resolves it.',
  doubt_resolved: 'The doubt has ended; outcome says how.',
  redirect_required: 'The cardholder must act on the page in redirectHtml.',
  pending: 'The payment waits for an approval.',
  expired:
    'Nobody decided in time: an approval ends after 6 days, a form or 3-D Secure after 7. A later success follows.',
  'payment.capture_window.closing': 'An authorization can be captured for one more day.',
  'payment.operation.external': 'The platform reports an operation that no command asked for.',
  'payment.conflict.detected': 'Reports that can not all be true, or not what was asked for: a person decides.',
  'payment.conflict.settled': 'Two people stated what a conflict came to; settlement says how.',
  'payment.command.rejected':
    'The command could not be read, or its id was used for another one; nothing was executed.',
};

const summaryOf = (type: EventType): string =>
  SUMMARIES[(type in SUMMARIES ? type : type.split('.')[2]) as keyof typeof SUMMARIES];

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
    summary: summaryOf(type),
    example: EVENT_EXAMPLES[type],
  })),
  message('notifications', NOTIFICATION_TYPE, sourceOf('payment-notification')),
  message('operationsAudit', AUDIT_TYPE, sourceOf('audit-record')),
  message('controls', CONTROL_TYPE, sourceOf('control-record')),
  message('jobs', JOB_TYPE, sourceOf('job-record')),
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
