import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeCloudEvent, parseOrderKey, TOPICS, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { LogFollower, topicOffsets, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';

type Event = CloudEvent<PaymentEvent>;

export interface Arrival {
  orderId: string;
  commandId: string | undefined;
  atMs: number;
}

const LOOK_EVERY_MS = 500;

/**
 * Collects the first publication of each event of the load's orders. Its reader is restarted at the same offsets if Kafka was away for too
 * long.
 */
export class LoadEvents {
  readonly arrivals: Arrival[] = [];
  readonly #byOrder = new Map<string, Event[]>();
  readonly #seen = new Set<string>();
  readonly #next = new Map<number, bigint>();
  /** Emits the order of each event. */
  readonly #arrived = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  #following?: Promise<void>;

  constructor(
    private readonly client: KafkaClient,
    private readonly topicPrefix: string,
    private readonly orderPrefix: string,
  ) {}

  start(): void {
    this.#following = this.#follow();
  }

  of(orderId: string): readonly Event[] {
    return this.#byOrder.get(orderId) ?? [];
  }

  /** Drops what is kept of the orders whose ids begin so; the arrivals stay. */
  forget(orderPrefix: string): void {
    for (const [orderId, events] of this.#byOrder) {
      if (!orderId.startsWith(orderPrefix)) continue;
      for (const { id } of events) this.#seen.delete(id);
      this.#byOrder.delete(orderId);
    }
  }

  /** Resolves to the order's first such event, to undefined after the timeout. */
  async next(orderId: string, isWanted: (event: Event) => unknown, timeoutMs: number): Promise<Event | undefined> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    const signal = AbortSignal.any([over.signal, this.#closing.signal]);
    try {
      for (;;) {
        const found = this.of(orderId).find(isWanted);
        if (found !== undefined || signal.aborted) return found;
        await once(this.#arrived, orderId, { signal }).catch(() => undefined);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { client, topicPrefix } = this;
    const topic = TOPICS.events.name;
    while (!this.#closing.signal.aborted) {
      let failure: () => string | undefined = () => undefined;
      const addLiveness = (_name: string, check: typeof failure) => void (failure = check);
      const health = { addLiveness, addReadiness: () => undefined };
      const follower = new LogFollower({ client, topic, topicPrefix, log: silentLog, health });
      try {
        for (const [partition, { low }] of await topicOffsets(client, topicPrefix + topic))
          if (!this.#next.has(partition)) this.#next.set(partition, low);
        await follower.start({
          from: this.#next,
          onRecords: (partition, records) => {
            for (const record of records) this.#take(record);
            this.#next.set(partition, (records.at(-1)?.offset ?? -1n) + 1n);
          },
        });
        while (!this.#closing.signal.aborted && failure() === undefined) await delay(LOOK_EVERY_MS);
      } catch {
        await delay(LOOK_EVERY_MS); // Kafka is away, and the next turn asks again
      }
      await follower.stop();
    }
  }

  #take(record: ConsumedRecord): void {
    const { orderId } = parseOrderKey(record.key ?? '') ?? {};
    const { event } = decodeCloudEvent(record);
    if (!orderId?.startsWith(this.orderPrefix) || event?.id === undefined || this.#seen.has(event.id)) return;
    this.#seen.add(event.id);
    this.#byOrder.set(orderId, [...this.of(orderId), event as Event]);
    this.arrivals.push({ orderId, commandId: (event as Event).data.commandId, atMs: Date.now() });
    this.#arrived.emit(orderId);
  }
}
