import {
  EVENT_ALTERNATIVES,
  type CloudEvent,
  type EventType,
  type OperationKind,
  type PaymentEvent,
  type RequiredField,
  decodeCloudEvent,
  isEventType,
  validateEventData,
  type Fault,
} from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';

/** The data of an event of this type; its required fields are not optional. Of alternative fields (`EVENT_ALTERNATIVES`) it has one. */
export type EventData<T extends EventType> = T extends keyof typeof EVENT_ALTERNATIVES
  ? SureData<T> & OneOfFields<(typeof EVENT_ALTERNATIVES)[T][number]>
  : SureData<T>;

type SureData<T extends EventType> = PaymentEvent & {
  [Field in RequiredField<T>]-?: NonNullable<PaymentEvent[Field]>;
};

/** One of these fields is there, the others are not. */
type OneOfFields<Field extends keyof PaymentEvent> = {
  [There in Field]: { [One in There]-?: Exclude<PaymentEvent[One], false | undefined> } & {
    [Other in Exclude<Field, There>]?: never;
  };
}[Field];

/** A result event of this type; for a union of types, discriminated by `type`. */
export type EventOf<T extends EventType> = T extends EventType
  ? Omit<CloudEvent<EventData<T>>, 'type'> & { type: T }
  : never;

/** Types of events that can answer a command of this kind. */
export type ResultType<K extends OperationKind> =
  Extract<EventType, `payment.${K}.${string}`> | 'payment.command.rejected';

export type ResultOf<K extends OperationKind> = EventOf<ResultType<K>>;

const RESULT_TYPE = /^payment\.(?:authorize|capture|refund|void|pay)\./;

/** True for events that report a command's result. A closing capture window names a command too, but reports no result. */
export function isResultType(type: string): boolean {
  return RESULT_TYPE.test(type) || type === 'payment.command.rejected';
}

type ReadEvent =
  | { read: 'event'; event: EventOf<EventType> }
  /** A type without a handler; its data is not validated. */
  | { read: 'unwanted' }
  /** A type that this version does not know, from a later gateway. */
  | { read: 'unknown_type'; type: string }
  | { read: 'unreadable'; faults: readonly Fault[] };

/** Reads a record as an event. Unknown fields are removed; required fields of a known type are present. Never throws. */
export function readEvent(
  record: Pick<ConsumedRecord, 'headers' | 'value' | 'unreadable'>,
  isWanted: (type: EventType) => boolean,
): ReadEvent {
  if (record.unreadable !== undefined)
    return { read: 'unreadable', faults: [{ path: '', code: 'malformed_envelope', message: record.unreadable }] };
  const decoded = decodeCloudEvent(record);
  if (decoded.faults.length > 0) return { read: 'unreadable', faults: decoded.faults };
  const event = decoded.event as CloudEvent;
  const { type } = event;
  if (!isEventType(type)) return { read: 'unknown_type', type };
  if (!isWanted(type)) return { read: 'unwanted' };
  const { value, faults } = validateEventData(type, event.data);
  return value === undefined
    ? { read: 'unreadable', faults }
    : { read: 'event', event: { ...event, data: value } as EventOf<EventType> };
}

/**
 * HTML of the provider's form that a `payment.authorize.redirect_required` event carries in `redirectHtml`. Answer the cardholder's browser
 * with it as a page of its own (`text/html; charset=utf-8`), sandboxed as the README shows, because it is a third party's.
 */
export function decodeRedirectHtml(redirectHtml: string): string {
  return Buffer.from(redirectHtml, 'base64').toString('utf8');
}
