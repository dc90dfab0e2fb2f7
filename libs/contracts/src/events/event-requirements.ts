import { fault } from '../faults.js';
import { EVENT_TYPES, isEventType, OPERATION_KINDS, type EventType } from '../message-types.js';
import { check, type Checked } from '../validation/check.js';
import { PaymentEvent } from './payment-event.js';

type EventField = keyof PaymentEvent;

const ORDER: readonly EventField[] = ['merchant', 'orderId'];
const OPERATION: readonly EventField[] = [...ORDER, 'commandId', 'operation'];

/** What each ending adds to the operation's own fields. An operator or a timer knows no EXECCODE, so that is never demanded. */
const BY_ENDING: Readonly<Record<string, readonly EventField[]>> = {
  succeeded: ['attempt', 'origin'],
  refused: ['attempt', 'origin'],
  rejected: ['faults'],
  in_doubt: ['attempt'],
  doubt_resolved: ['attempt', 'outcome', 'origin'],
  redirect_required: ['attempt'],
  pending: ['attempt'],
  expired: ['attempt'],
};

const OTHERS: Readonly<Record<string, readonly EventField[]>> = {
  'payment.capture_window.closing': [...ORDER, 'commandId'],
  // Its OPERATIONTYPE may be one that no operation of ours has, or be missing.
  'payment.operation.external': ORDER,
  'payment.conflict.detected': ORDER,
  'payment.command.rejected': ['faults'],
};

/** The fields that an event of each type has at least, not empty. */
export const EVENT_REQUIREMENTS = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, OTHERS[type] ?? [...OPERATION, ...(BY_ENDING[endingOf(type)] ?? [])]]),
) as Readonly<Record<EventType, readonly EventField[]>>;

/** For consumers of `payments.events.v1`. Never throws; fields that we don't know are left out. */
export function validateEventData(type: string, data: unknown): Checked<PaymentEvent> {
  if (!isEventType(type)) return { faults: [fault('type', 'unknown_type', 'is not an event type')] };
  const checked = check(PaymentEvent, data, 'ignored');
  if (checked.value === undefined) return checked;
  const { value } = checked;
  const missing = EVENT_REQUIREMENTS[type].filter((name) => value[name] === undefined || value[name] === '');
  if (missing.length === 0) return checked;
  return { faults: missing.map((name) => fault(name, 'required', `is required of ${type}`)) };
}

function endingOf(type: EventType): string {
  const [, operation, ending] = type.split('.');
  return (OPERATION_KINDS as readonly string[]).includes(operation ?? '') ? (ending ?? '') : '';
}
