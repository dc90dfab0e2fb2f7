import { Inject, Injectable } from '@nestjs/common';
import {
  encodeCloudEvent,
  NOTIFICATION_TYPE,
  orderKey,
  parseOrderKey,
  TOPICS,
  type EncodedEvent,
  type PaymentNotification,
} from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import { partitionForKey, type ReceivedTrace } from '@tranche/runtime';
import { Metrics } from '@tranche/service-kit';
import { IngestConfig } from './ingest.config.js';
import { closingRecord, quarantineRecord, type Entry, type Suspect } from './quarantine-record.js';

/** Bounds the records and bytes kept in memory while Kafka is slow or unreachable. */
export class WaitingLimit {
  #records = 0;
  #bytes = 0;

  constructor(
    private readonly maxRecords: number,
    private readonly maxBytes: number,
  ) {}

  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reserves room until `work` ends. Returns undefined, without starting `work`, if there is no room. A record that is alone is accepted
   * at any size: otherwise one larger than the limit would be refused on every repeat.
   */
  enter<T>(bytes: number, work: () => Promise<T>): Promise<T> | undefined {
    const isAlone = this.#records === 0;
    if (this.#records >= this.maxRecords || (!isAlone && this.#bytes + bytes > this.maxBytes)) return undefined;
    this.#records++;
    this.#bytes += bytes;
    return work().finally(() => {
      this.#records--;
      this.#bytes -= bytes;
    });
  }
}

/** The queue for Kafka is full; the record was not sent. */
export class OverloadedError extends Error {}

/** Share of the queue for unsigned notifications, so that they never use the room of signed ones. */
const QUARANTINE_PART = 1 / 8;

/** Each method resolves when all in-sync replicas have the record. After a rejection by timeout the record may still be stored. */
@Injectable()
export class NotificationProducer {
  readonly #waiting: WaitingLimit;
  readonly #suspectsWaiting: WaitingLimit;

  constructor(
    private readonly producer: BatchingProducer,
    @Inject(IngestConfig)
    private readonly config: Pick<
      IngestConfig,
      'kafkaTopicPrefix' | 'publishTimeoutMs' | 'maxWaitingNotifications' | 'maxWaitingBytes'
    >,
    metrics: Metrics,
  ) {
    const { maxWaitingNotifications: records, maxWaitingBytes: bytes } = config;
    this.#waiting = new WaitingLimit(records, bytes);
    this.#suspectsWaiting = new WaitingLimit(Math.ceil(records * QUARANTINE_PART), bytes * QUARANTINE_PART);
    this.#observe(metrics);
  }

  /** `deadlineMs`: time left for the webhook's answer. */
  async publish(
    id: string,
    notification: PaymentNotification,
    deadlineMs = this.config.publishTimeoutMs,
    trace: ReceivedTrace = {},
  ): Promise<void> {
    const { merchant, orderId, receivedAt } = notification;
    const key = orderKey(merchant, orderId);
    const event = {
      id,
      source: 'notification-ingest',
      type: NOTIFICATION_TYPE,
      time: receivedAt,
      subject: key,
      data: notification,
      ...trace,
    };
    await this.#send(TOPICS.notifications.name, key, encodeCloudEvent(event), deadlineMs, this.#waiting);
  }

  /** Publishes a signed notification without a usable order to the quarantine topic, with the same durability as an event. */
  async setAside(suspect: Suspect, deadlineMs: number): Promise<void> {
    await this.#send(
      TOPICS.notificationsQuarantine.name,
      suspect.id,
      quarantineRecord('no_order', suspect),
      deadlineMs,
      this.#waiting,
    );
  }

  /** `record` comes from `quarantineRecord`, `id` from the suspect. */
  async quarantine(id: string, record: EncodedEvent): Promise<void> {
    const { publishTimeoutMs } = this.config;
    await this.#send(TOPICS.notificationsQuarantine.name, id, record, publishTimeoutMs, this.#suspectsWaiting);
  }

  /** Closes an entry of the quarantine, in its own partition: readers find this behind it. */
  async close(entry: Entry, event: string): Promise<void> {
    const { publishTimeoutMs } = this.config;
    const { key, partition } = entry;
    const record = closingRecord(entry, event);
    await this.#send(TOPICS.notificationsQuarantine.name, key, record, publishTimeoutMs, this.#waiting, partition);
  }

  async #send(
    topic: string,
    key: string,
    { headers, value }: EncodedEvent,
    deadlineMs: number,
    limit: WaitingLimit,
    // That of the order's journal; so a partition that takes no records delays no other.
    partition = partitionForKey(key, TOPICS.notifications.partitions),
  ): Promise<void> {
    const record = { topic: this.config.kafkaTopicPrefix + topic, partition, key, headers, value };
    const sent = limit.enter(value.length, () => this.producer.send(record, { deadlineMs: Math.max(deadlineMs, 1) }));
    if (sent === undefined) throw new OverloadedError('as much waits for Kafka as may');
    await sent;
  }

  #observe(metrics: Metrics): void {
    const waiting = this.#waiting;
    metrics.gauge({
      name: 'ingest_waiting_notifications',
      help: 'Signed notifications that wait for Kafka',
      collect() {
        this.set(waiting.records);
      },
    });
    metrics.gauge({
      name: 'ingest_waiting_bytes',
      help: 'Bytes of signed notifications that wait for Kafka',
      collect() {
        this.set(waiting.bytes);
      },
    });
  }
}

export function namesAnOrder({ merchant, orderId }: PaymentNotification): boolean {
  return parseOrderKey(orderKey(merchant, orderId)) !== undefined;
}
