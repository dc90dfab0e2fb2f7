import { Injectable } from '@nestjs/common';
import {
  encodeCloudEvent,
  EVENT_TYPES,
  orderKey,
  TOPICS,
  topicName,
  type CloudEvent,
  type EventType,
  type PaymentEvent,
} from '@tranche/contracts';
import { BatchingProducer, type ProducerRecord } from '@tranche/kafka';
import { journalPartition } from '@tranche/order-journal';
import { Metrics } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { merchantLabel, merchantLabels } from '../merchant-label.js';

/** Bytes of events that are sent at once. */
const PART_BYTES = 4 * 1024 * 1024;

type Rejection = Extract<EventType, `${string}.rejected`>;
const isRejection = (type: string): type is Rejection => type.endsWith('.rejected');

/** Publishes to `payments.events.v1`, keyed and partitioned by order. */
@Injectable()
export class EventsProducer {
  readonly #topic: string;
  readonly #rejected;

  constructor(
    private readonly config: GatewayConfig,
    private readonly producer: BatchingProducer,
    metrics: Metrics,
  ) {
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.events);
    this.#rejected = metrics.counterFromZero({
      name: 'tranche_commands_rejected_total',
      help: 'Commands that were rejected without a call, by merchant and type of the event: payment.command.rejected where the command itself is wrong, else its order does not allow it',
      labels: {
        merchant: merchantLabels(config.merchants),
        type: EVENT_TYPES.filter(isRejection),
      },
    });
  }

  /**
   * Resolves when every event is acknowledged. A batch with many pages is sent in parts, because the producer refuses what exceeds its queue, and
   * INTENTs share that queue.
   */
  async publish(events: CloudEvent<PaymentEvent>[]): Promise<void> {
    let part: ProducerRecord[] = [];
    let bytes = 0;
    for (const event of events) {
      const key = orderKey(event.data.merchant, event.data.orderId);
      const record = { topic: this.#topic, partition: journalPartition(key), key, ...encodeCloudEvent(event) };
      if (part.length > 0 && bytes + record.value.length > PART_BYTES) {
        await this.producer.sendAll(part);
        [part, bytes] = [[], 0];
      }
      part.push(record);
      bytes += record.value.length;
    }
    await this.producer.sendAll(part);
    for (const { type, data } of events)
      if (isRejection(type))
        this.#rejected.inc({ merchant: merchantLabel(this.config.merchants, data.merchant), type });
  }
}
