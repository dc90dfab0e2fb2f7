import { setTimeout as delay } from 'node:timers/promises';
import { decodeCloudEvent, parseOrderKey, TOPICS, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { LogFollower, topicOffsets, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';

type Event = CloudEvent<PaymentEvent>;

export interface Arrival {
  orderId: string;
  type: string;
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
  readonly #waiting = new Map<string, Set<() => void>>();
  #isClosed = false;
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

  /** Resolves to the first result of `find` on the order's events that is not undefined; to undefined after the timeout. */
  async next<T>(
    orderId: string,
    find: (events: readonly Event[]) => T | undefined,
    timeoutMs: number,
  ): Promise<T | undefined> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const found = find(this.of(orderId));
      const leftMs = deadline - performance.now();
      if (found !== undefined || leftMs <= 0 || this.#isClosed) return found;
      await this.#newEvent(orderId, leftMs);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const orderId of [...this.#waiting.keys()]) this.#wake(orderId);
    await this.#following;
  }

  #newEvent(orderId: string, atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(orderId) ?? new Set();
      this.#waiting.set(orderId, waiting);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, atMostMs);
      waiting.add(wake);
    });
  }

  #wake(orderId: string): void {
    for (const wake of this.#waiting.get(orderId) ?? []) wake();
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      let failure: () => string | undefined = () => undefined;
      const tail = await this.#open((check) => (failure = check)).catch(() => undefined);
      while (tail && !this.#isClosed && failure() === undefined) await delay(LOOK_EVERY_MS);
      await (tail ? tail.stop() : delay(LOOK_EVERY_MS));
    }
  }

  async #open(onLiveness: (check: () => string | undefined) => void): Promise<LogFollower> {
    const { client, topicPrefix } = this;
    const topic = TOPICS.events.name;
    for (const [partition, { low }] of await topicOffsets(client, topicPrefix + topic))
      if (!this.#next.has(partition)) this.#next.set(partition, low);
    const health = {
      addLiveness: (_name: string, check: () => string | undefined) => onLiveness(check),
      addReadiness: () => undefined,
    };
    const follower = new LogFollower({ client, topic, topicPrefix, log: silentLog, health });
    await follower.start({
      from: this.#next,
      onRecords: (partition, records) => {
        for (const record of records) this.#take(record);
        this.#next.set(partition, (records.at(-1)?.offset ?? -1n) + 1n);
      },
    });
    return follower;
  }

  #take(record: ConsumedRecord): void {
    const { orderId } = parseOrderKey(record.key ?? '') ?? {};
    const { event } = decodeCloudEvent(record);
    if (!orderId?.startsWith(this.orderPrefix) || event?.id === undefined || this.#seen.has(event.id)) return;
    this.#seen.add(event.id);
    this.#byOrder.set(orderId, [...this.of(orderId), event as Event]);
    this.arrivals.push({ orderId, type: event.type ?? '', atMs: Date.now() });
    this.#wake(orderId);
  }
}
