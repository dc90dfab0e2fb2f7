import { fault } from '../error-codes.js';
import { EVENT_TYPES, isEventType, type EventType, type OperationKind } from '../message-types.js';
import { check, type Checked } from '../validation/check.js';
import { PaymentEvent } from './payment-event.js';

type EventField = keyof PaymentEvent;

const ORDER = ['merchant', 'orderId'] as const;
const OPERATION = [...ORDER, 'commandId', 'operation'] as const;

/** Additional required fields per ending. `execCode` is never required, because results of operators and timers have none. */
const BY_ENDING = {
  succeeded: ['attempt', 'origin'],
  refused: ['attempt', 'origin'],
  rejected: ['faults'],
  in_doubt: ['attempt'],
  doubt_resolved: ['attempt', 'outcome', 'origin'],
  redirect_required: ['attempt'],
  pending: ['attempt'],
  expired: ['attempt'],
} as const satisfies Record<string, readonly EventField[]>;

const OTHERS = {
  'payment.capture_window.closing': [...ORDER, 'commandId'],
  // OPERATIONTYPE may be missing or unknown to us, so neither operation nor operationType is required.
  'payment.operation.external': [...ORDER, 'origin'],
  'payment.conflict.detected': [...ORDER, 'flags'],
  'payment.conflict.settled': [...ORDER, 'flags', 'settlement', 'origin'],
  'payment.command.rejected': ['faults'],
} as const satisfies Partial<Record<EventType, readonly EventField[]>>;

/** Fields that an event of the type always has. */
export type RequiredField<T extends EventType> = T extends keyof typeof OTHERS
  ? (typeof OTHERS)[T][number]
  : T extends `payment.${OperationKind}.${infer Ending extends keyof typeof BY_ENDING}`
    ? (typeof OPERATION)[number] | (typeof BY_ENDING)[Ending][number]
    : never;

/** Fields that an event of each type always has, with a value that is not empty. */
export const EVENT_REQUIREMENTS = Object.fromEntries(EVENT_TYPES.map((type) => [type, requiredOf(type)])) as {
  readonly [T in EventType]: readonly EventField[];
};

function requiredOf(type: EventType): readonly EventField[] {
  if (Object.hasOwn(OTHERS, type)) return OTHERS[type as keyof typeof OTHERS];
  return [...OPERATION, ...BY_ENDING[type.split('.')[2] as keyof typeof BY_ENDING]];
}

/** An event of the type has at least one of these fields: `redirectHtml`, the page to show, or `redirectHtmlDropped` if there is none. */
export const EVENT_ALTERNATIVES = {
  'payment.authorize.redirect_required': ['redirectHtml', 'redirectHtmlDropped'],
  'payment.pay.redirect_required': ['redirectHtml', 'redirectHtmlDropped'],
} as const satisfies Partial<Record<EventType, readonly EventField[]>>;
const ALTERNATIVES: Partial<Record<EventType, readonly EventField[]>> = EVENT_ALTERNATIVES;

/** Checks the data of an event of `payments.events.v1`. Returns an instance or all faults; never throws. Unknown fields are dropped. */
export function validateEventData(type: string, data: unknown): Checked<PaymentEvent> {
  if (!isEventType(type)) return { faults: [fault('type', 'unknown_type', 'is not an event type')] };
  const checked = check(PaymentEvent, data, 'ignored');
  if (checked.value === undefined) return checked;
  const { value } = checked;
  const missing = EVENT_REQUIREMENTS[type].filter((name) => value[name] === undefined || value[name] === '');
  const anyOf = ALTERNATIVES[type];
  if (anyOf !== undefined && !anyOf.some((name) => Boolean(value[name])))
    return { faults: [fault(anyOf[0] ?? '', 'required', `or ${anyOf[1]} is required of ${type}`)] };
  if (missing.length === 0) return checked;
  return { faults: missing.map((name) => fault(name, 'required', `is required of ${type}`)) };
}
