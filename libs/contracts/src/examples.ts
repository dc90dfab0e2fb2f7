import type { PaymentEvent } from './events/payment-event.js';
import { EVENT_REQUIREMENTS } from './events/event-requirements.js';
import { PaymentEvent as EventClass } from './events/payment-event.js';
import { EVENT_TYPES, OPERATION_KINDS, type EventType } from './message-types.js';
import { fieldsOf } from './validation/check.js';
import { docOf } from './validation/doc.js';
import type { MessageClass } from './validation/doc.js';

type Example = Record<string, unknown>;

/** Fields that an ordinary message does not have, because each of them changes what the command or the record is about. */
const LEFT_OUT = new Set([
  'supersedes',
  'apiKeyId',
  'returnPage',
  'deliveryExpectedDelay',
  'code',
  'partition',
  'offset',
]);
const KEPT_IN = new Set(['EncryptionKeyRequest', 'CseEvent', 'ReportedFault']);

/** A whole valid message of the class, from the examples of its fields. */
export function exampleOf(type: MessageClass): Example {
  const isWhole = KEPT_IN.has(type.name);
  const fields = fieldsOf(type).filter(({ name, isUnsent }) => !isUnsent && (isWhole || !LEFT_OUT.has(name)));
  return Object.fromEntries(
    fields.map(({ name, nested, isList }) => {
      if (nested === undefined) return [name, docOf(type, name)?.example];
      const example = exampleOf(nested);
      return [name, isList ? [example] : example];
    }),
  );
}

type EventField = keyof PaymentEvent;
const PLATFORM: readonly EventField[] = ['method', 'amount', 'currency', 'execCode', 'message', 'transactionId'];

/** Fields beyond the required ones, and values other than those of the fields, by the ending of the type. */
const OF_ENDING: Readonly<Record<string, { fields?: readonly EventField[]; values?: Partial<PaymentEvent> }>> = {
  succeeded: { fields: [...PLATFORM, 'descriptor', 'extraData'] },
  refused: { fields: PLATFORM, values: { execCode: '4001', message: 'Refused by the bank' } },
  rejected: { fields: ['amount', 'currency'] },
  in_doubt: { fields: ['method', 'amount', 'currency', 'origin', 'flags'], values: { flags: ['timeout'] } },
  doubt_resolved: { fields: PLATFORM, values: { origin: 'notification' } },
  redirect_required: {
    fields: [...PLATFORM, 'origin', 'redirectHtml'],
    values: { execCode: '0002', message: 'Redirect the cardholder' },
  },
  pending: { fields: [...PLATFORM, 'origin'], values: { execCode: '0003', message: 'Waiting for approval' } },
  expired: { fields: ['method', 'amount', 'currency', 'origin'], values: { origin: 'timer' } },
  closing: { fields: ['operation', 'method', 'amount', 'currency', 'origin'], values: { origin: 'timer' } },
  external: {
    fields: ['operation', 'amount', 'transactionId', 'execCode'],
    values: { origin: 'notification', operation: 'refund' },
  },
  detected: { fields: ['commandId', 'operation', 'amount', 'otherAmount', 'transactionId', 'origin'] },
  settled: { fields: ['commandId', 'operation', 'amount', 'transactionId', 'outcome'], values: { origin: 'operator' } },
};

/** A whole valid event of the type. */
function eventExample(type: EventType): Example {
  const [, second = '', third = ''] = type.split('.');
  const isOfOperation = (OPERATION_KINDS as readonly string[]).includes(second);
  // A command that cannot be read has no order: the event about it has the faults only.
  const { fields = [], values = {} } = isOfOperation || third !== 'rejected' ? (OF_ENDING[third] ?? {}) : {};
  const names = new Set<EventField>(['merchant', 'orderId', ...EVENT_REQUIREMENTS[type], ...fields]);
  const whole = exampleOf(EventClass);
  const picked = [...names].map((name) => [name, whole[name]] as const);
  return { ...Object.fromEntries(picked), ...(isOfOperation && { operation: second }), ...values };
}

export const EVENT_EXAMPLES = Object.fromEntries(EVENT_TYPES.map((type) => [type, eventExample(type)])) as Readonly<
  Record<EventType, Example>
>;
