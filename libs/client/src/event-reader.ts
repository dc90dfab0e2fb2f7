import {
  decodeCloudEvent,
  isEventType,
  validateEventData,
  type CloudEvent,
  type EventType,
  type Fault,
} from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import type { EventOf } from './payment-events.js';

export type ReadEvent =
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
