import { isEventType, type EventType, type Fault } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import type { EventOf } from './payment-events.js';

export interface EventContext {
  readonly group: string;
  /** From 1; above it the handler failed before. */
  readonly attempt: number;
  /** Aborted when the subscription is closed or the partition may go to another member: give waits up, throw, and the event comes again. */
  readonly signal: AbortSignal;
  /** `merchant/orderId`. */
  readonly key: string;
  readonly partition: number;
  readonly offset: bigint;
}

export type EventHandler<T extends EventType = EventType> = (event: EventOf<T>, context: EventContext) => unknown;

/** A handler for each type that is of interest; events of all other types are passed over. */
export type EventHandlers = { readonly [T in EventType]?: EventHandler<T> };

export interface Unreadable {
  readonly record: ConsumedRecord;
  readonly faults: readonly Fault[];
}

export interface SubscribeOptions {
  /** Members of a group share the events; each group gets all of them. */
  group: string;
  on: EventHandlers;
  /** Where a group begins that has never been there ('earliest': everything that is kept, 35 days). */
  from?: 'earliest' | 'latest';
  /** Orders handled at the same time at most (64). Events of one order come one after the other. */
  inFlight?: number;
  /** Without it a handler that throws is tried again for ever. `onGivenUp` must put the event where it is not lost; if it throws, it is called again. */
  giveUp?: {
    afterAttempts: number;
    onGivenUp: (event: EventOf<EventType>, error: unknown, context: EventContext) => unknown;
  };
  /** Gets what can not be read as an event, and is tried again until it does not throw. Without it such a record is logged with its place, counted and passed over. */
  onUnreadable?: (unreadable: Unreadable, context: EventContext) => unknown;
  /** Delay before a handler's first repeat, milliseconds (200); it doubles up to `maxRetryDelayMs` (30,000). */
  retryDelayMs?: number;
  maxRetryDelayMs?: number;
  /** Ids of handled events that are kept per partition to know a repeat by (5,000). */
  rememberedEvents?: number;
  /** How long close() waits for handlers that run, milliseconds (10,000). */
  drainTimeoutMs?: number;
  /** A member that was not heard of for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
}

export interface Subscription {
  readonly group: string;
  /** Takes no more, lets handlers that run end, commits, leaves the group. */
  close(): Promise<void>;
}

/** Mistakes that would otherwise show much later, or never. */
export function checkSubscribeOptions({ group, on, giveUp, inFlight = 1 }: SubscribeOptions): void {
  if (typeof group !== 'string' || group === '')
    throw new TypeError('a subscription needs the name of its consumer group');
  const types = Object.keys(on);
  if (types.length === 0) throw new TypeError(`the subscription of ${group} handles no event`);
  const unknown = types.filter((type) => !isEventType(type));
  if (unknown.length > 0)
    throw new TypeError(`the subscription of ${group} handles ${unknown.join(', ')}, which is no event type`);
  if (!Number.isInteger(inFlight) || inFlight < 1) throw new TypeError('inFlight must be an integer of at least 1');
  if (giveUp && !(giveUp.afterAttempts >= 1)) throw new TypeError('giveUp.afterAttempts must be at least 1');
}
