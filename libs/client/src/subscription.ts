import type { EventType, Fault } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { checkOptions, COUNT, FROM, FUNCTION, GIVE_UP, HANDLERS, MILLISECONDS, TEXT, type Rule } from './options.js';
import type { EventOf } from './payment-events.js';
import type { Publisher } from './publisher.js';

export interface EventContext {
  readonly group: string;
  /** Counts from 1; a higher value means that the handler failed before. */
  readonly attempt: number;
  /** Aborts when the subscription is closed or the partition may be reassigned: stop waiting and throw; the event is redelivered. */
  readonly signal: AbortSignal;
  /** `merchant/orderId`. */
  readonly key: string;
  readonly partition: number;
  readonly offset: bigint;
}

export type EventHandler<T extends EventType = EventType> = (event: EventOf<T>, context: EventContext) => unknown;

/** A handler for each wanted type; events of other types are skipped. */
export type EventHandlers = { readonly [T in EventType]?: EventHandler<T> };

export interface Unreadable {
  readonly record: ConsumedRecord;
  readonly faults: readonly Fault[];
}

export interface SubscribeOptions {
  /** Members of a group share the events; each group gets all of them. */
  group: string;
  on: EventHandlers;
  /** Start of a new group ('earliest': all events kept, 35 days). A group is new again if the topic was deleted while no member ran. */
  from?: 'earliest' | 'latest';
  /** Maximum orders handled concurrently (64). Events of one order are handled one after the other. */
  inFlight?: number;
  /** Without it, a failing handler is retried without limit. `onGivenUp` must store the event; if it throws, it is retried. */
  giveUp?: {
    afterAttempts: number;
    onGivenUp: (event: EventOf<EventType>, error: unknown, context: EventContext) => unknown;
  };
  /** Called with a record that is no event, and retried until it succeeds. Without it, such a record is logged, counted and skipped. */
  onUnreadable?: (unreadable: Unreadable, context: EventContext) => unknown;
  /** Milliseconds before a handler's first retry (200). The delay doubles up to `maxRetryDelayMs` (30,000). */
  retryDelayMs?: number;
  maxRetryDelayMs?: number;
  /** Number of handled event ids per partition that are kept to detect redeliveries (5,000). */
  rememberedEvents?: number;
  /** Milliseconds that close() waits for running handlers (10,000). */
  drainTimeoutMs?: number;
  /** Session timeout: a member that sends no heartbeat for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
}

export interface Subscription {
  readonly group: string;
  /** Takes no new events, lets running handlers end, commits, and leaves the group. */
  close(): Promise<void>;
}

/** @throws TypeError that names every fault: some would otherwise appear late or never */
export const checkSubscribeOptions = (options: SubscribeOptions): void =>
  checkOptions('subscribe', options, RULES, ['group', 'on']);

const RULES: { readonly [K in keyof Required<SubscribeOptions>]: Rule } = {
  group: TEXT,
  on: HANDLERS,
  from: FROM,
  inFlight: COUNT,
  giveUp: GIVE_UP,
  onUnreadable: FUNCTION,
  retryDelayMs: MILLISECONDS,
  maxRetryDelayMs: MILLISECONDS,
  rememberedEvents: COUNT,
  drainTimeoutMs: MILLISECONDS,
  sessionTimeoutMs: MILLISECONDS,
};

export interface ClientHealth {
  /** False if the client cannot recover by itself; restart the process. */
  readonly isLive: boolean;
  /** False if commands cannot be published, or events do not arrive, at the moment. */
  readonly isReady: boolean;
  readonly reasons: readonly string[];
}

/** The common interface of `Tranche` and `InMemoryTranche`; services should depend on it. */
export interface TrancheClient {
  readonly publisher: Publisher;
  /** Resolves when the group has been joined. */
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  health(): ClientHealth;
  /** Ends subscriptions, sends the queue, and disconnects. Pending waits reject with ClientClosedError. */
  close(): Promise<void>;
}
