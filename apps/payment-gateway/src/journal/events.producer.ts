import { Injectable } from '@nestjs/common';
import { encodeCloudEvent, orderKey, TOPICS, topicName, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { BatchingProducer, type ProducerRecord } from '@tranche/kafka';
import { journalPartition } from '@tranche/order-journal';
import { GatewayConfig } from '../gateway.config.js';

/** Bytes of events that are sent at once. */
const PART_BYTES = 4 * 1024 * 1024;

/** Publishes to `payments.events.v1`, keyed and partitioned by order. */
@Injectable()
export class EventsProducer {
  readonly #topic: string;

  constructor(
    config: GatewayConfig,
    private readonly producer: BatchingProducer,
  ) {
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.events);
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
  }
}
