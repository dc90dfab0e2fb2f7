import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { encodeCloudEvent, orderKey, TOPICS, topicName, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { BatchingProducer, type ConsumedRecord } from '@tranche/kafka';
import { journalPartition } from '@tranche/order-journal';
import { Clock, isoTime } from './clock.js';
import type { Rejection } from './command/accepted-command.js';
import { GatewayConfig } from './gateway.config.js';
import { traceOf } from './trace-of.js';

/** `payments.events.v1`, keyed and partitioned by order. */
@Injectable()
export class EventsProducer {
  readonly #topic: string;

  constructor(
    config: GatewayConfig,
    private readonly producer: BatchingProducer,
    private readonly clock: Clock,
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

  /** A message that never became an operation. Its id comes from where it lies, so that a repeat is the same event; no sequence. */
  async commandRejected({ topic, partition, offset, headers }: ConsumedRecord, rejection: Rejection): Promise<void> {
    const { merchant, orderId, commandId, correlationId, faults } = rejection;
    const id = createHash('sha256').update(`${topic}/${partition}/${offset}`).digest('base64url').slice(0, 27);
    const event: CloudEvent<PaymentEvent> = {
      id,
      source: '/tranche/payment-gateway',
      type: 'payment.command.rejected',
      time: isoTime(this.clock),
      subject: orderKey(merchant, orderId),
      ...traceOf(headers),
      ...(correlationId === undefined ? {} : { correlationid: correlationId }),
      ...(commandId === undefined ? {} : { causationid: commandId }),
      data: { merchant, orderId, ...(commandId === undefined ? {} : { commandId }), faults },
    };
    await this.publish([event]);
  }
}
