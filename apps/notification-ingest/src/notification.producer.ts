import { Injectable } from '@nestjs/common';
import { encodeCloudEvent, NOTIFICATION_TYPE, orderKey, topicName, TOPICS, type PaymentNotification } from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import { IngestConfig } from './ingest.config.js';
import { quarantineRecord, type QuarantineReason, type Suspect } from './quarantine-record.js';

/** Resolves when every replica in sync has the record; rejects when that took too long, and then it may still get there. */
@Injectable()
export class NotificationProducer {
  constructor(
    private readonly producer: BatchingProducer,
    private readonly config: IngestConfig,
  ) {}

  async publish(id: string, notification: PaymentNotification): Promise<void> {
    const { merchant, orderId, receivedAt } = notification;
    const key = orderKey(merchant, orderId);
    const event = { id, source: 'notification-ingest', type: NOTIFICATION_TYPE, time: receivedAt, subject: key, data: notification };
    await this.send(TOPICS.notifications, key, encodeCloudEvent(event));
  }

  async quarantine(reason: QuarantineReason, suspect: Suspect): Promise<void> {
    await this.send(TOPICS.notificationsQuarantine, suspect.id, quarantineRecord(reason, suspect));
  }

  private async send(
    topic: (typeof TOPICS)['notifications'],
    key: string,
    content: { headers: Record<string, string>; value: Buffer },
  ): Promise<void> {
    const { kafkaTopicPrefix, publishTimeoutMs } = this.config;
    await this.producer.send({ topic: topicName(kafkaTopicPrefix, topic), key, ...content }, { deadlineMs: publishTimeoutMs });
  }
}
