import { Injectable } from '@nestjs/common';
import { encodeCloudEvent, orderKey, TOPICS, topicName, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import { journalPartition } from '@tranche/order-journal';
import { GatewayConfig } from '../gateway.config.js';

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

  /** Resolves when every event is acknowledged. */
  async publish(events: CloudEvent<PaymentEvent>[]): Promise<void> {
    await this.producer.sendAll(
      events.map((event) => {
        const key = orderKey(event.data.merchant, event.data.orderId);
        return { topic: this.#topic, partition: journalPartition(key), key, ...encodeCloudEvent(event) };
      }),
    );
  }
}
