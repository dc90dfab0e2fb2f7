import type { EventType } from '@tranche/contracts';
import { errorText, type Log, keepNewest } from '@tranche/runtime';
import type { ConsumedRecord, HandledCall } from '@tranche/kafka';
import type { ClientMetrics } from './telemetry.js';
import { readEvent, type EventOf } from './payment-events.js';
import type { EventContext, EventHandler, SubscribeOptions, Unreadable } from './subscription.js';

const defaultRememberedEvents = 5_000;

/** Handles the records of one subscription, from Kafka or from memory. If it rejects, the order waits and the record is retried. */
export class EventDelivery {
  readonly #seen: SeenEvents;
  readonly #unknownTypes = new Set<string>();
  /** Events whose handler has had its last attempt. */
  readonly #givenUp = new WeakMap<ConsumedRecord, { error: unknown }>();

  constructor(
    private readonly options: SubscribeOptions,
    private readonly log: Log,
    private readonly metrics: ClientMetrics,
  ) {
    this.#seen = new SeenEvents(options.rememberedEvents ?? defaultRememberedEvents);
  }

  async handle(record: ConsumedRecord, call: HandledCall): Promise<void> {
    const { group, on } = this.options;
    const context = contextOf(group, record, call);
    const read = readEvent(record, (type) => on[type] !== undefined);
    switch (read.read) {
      case 'unwanted':
        return this.metrics.event(group, 'unwanted');
      case 'unknown_type':
        return this.#passOver(read.type);
      case 'unreadable':
        return this.#putAside({ record, faults: read.faults }, context);
      case 'event':
        return this.#deliver(record, read.event, context);
    }
  }

  /** Logs a handler's error, without the event's data. */
  failed(
    record: ConsumedRecord,
    { error, attempt, retryMs }: { error: unknown; attempt: number; retryMs: number },
  ): void {
    const { group } = this.options;
    const type = record.headers['ce_type'] ?? 'unknown';
    this.metrics.failures.inc({ group, type });
    const at = { group, type, eventId: record.headers['ce_id'], orderKey: record.key, partition: record.partition };
    this.log.warn(
      { ...at, offset: String(record.offset), attempt, retryMs, error: errorText(error) },
      'a handler failed; its order waits',
    );
  }

  async #deliver(record: ConsumedRecord, event: EventOf<EventType>, context: EventContext): Promise<void> {
    const { group, on, giveUp } = this.options;
    const { partition } = record;
    if (this.#seen.has(partition, event.id)) return this.metrics.event(group, 'repeated');
    let givenUp = this.#givenUp.get(record);
    if (!givenUp) {
      try {
        await (on[event.type] as EventHandler)(event, context);
        this.#seen.add(partition, event.id);
        return this.metrics.event(group, 'handled');
      } catch (error) {
        // A handler that stopped waiting because of its signal has not failed.
        if (!giveUp || context.attempt < giveUp.afterAttempts || context.signal.aborted) throw error;
        givenUp = { error };
        this.#givenUp.set(record, givenUp);
      }
    }
    await giveUp?.onGivenUp(event, givenUp.error, context);
    this.#seen.add(partition, event.id);
    this.metrics.event(group, 'given_up');
    this.log.error(
      { group, type: event.type, eventId: event.id, orderKey: context.key, error: errorText(givenUp.error) },
      'an event was given up',
    );
  }

  async #putAside(unreadable: Unreadable, context: EventContext): Promise<void> {
    const { group, onUnreadable } = this.options;
    await onUnreadable?.(unreadable, context);
    const { partition, offset, topic, headers } = unreadable.record;
    const faults = unreadable.faults.map(({ path, code }) => `${path} ${code}`);
    this.metrics.event(group, 'unreadable');
    this.log.error(
      {
        group,
        topic,
        partition,
        offset: String(offset),
        eventId: headers['ce_id'],
        faults,
        isPutAside: onUnreadable !== undefined,
      },
      'a record can not be read as an event; the subscription goes on behind it',
    );
  }

  #passOver(type: string): void {
    const { group } = this.options;
    this.metrics.event(group, 'unknown_type');
    if (this.#unknownTypes.has(type) || this.#unknownTypes.size >= 100) return;
    this.#unknownTypes.add(type);
    this.log.warn({ group, type }, 'events of a type that this version does not know are passed over');
  }
}

function contextOf(
  group: string,
  { key, partition, offset }: ConsumedRecord,
  { attempt, signal }: HandledCall,
): EventContext {
  return { group, attempt, signal, key: key ?? '', partition, offset };
}

/** Ids of recently handled events, bounded per partition: a redelivered event has the same partition. */
export class SeenEvents {
  readonly #idsOf = new Map<number, Set<string>>();

  constructor(private readonly limitPerPartition: number) {}

  has(partition: number, id: string): boolean {
    return this.#idsOf.get(partition)?.has(id) ?? false;
  }

  add(partition: number, id: string): void {
    const ids = this.#idsOf.get(partition) ?? new Set();
    this.#idsOf.set(partition, ids);
    ids.delete(id);
    ids.add(id);
    keepNewest(ids, this.limitPerPartition);
  }
}
