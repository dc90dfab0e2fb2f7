import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  decodeCloudEvent,
  NOTIFICATION_TYPE,
  orderKey,
  parseOrderKey,
  TOPICS,
  validateNotificationData,
} from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { KafkaHandler, RetryableError, TerminalError } from '@tranche/kafka/nest';
import { notificationEvidence } from '@tranche/order-journal';
import { notifiedResult } from '@tranche/platform';
import { traceHeadersOf } from '@tranche/runtime';
import { Clock, isoTime } from '../clock.js';
import { Journal } from '../journal/journal.service.js';

/** Consumes verified notifications. Each becomes EVIDENCE; the fold decides what it proves. */
@Controller()
export class NotificationConsumer {
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
  ) {}

  @KafkaHandler(TOPICS.notifications.name, { types: [NOTIFICATION_TYPE] })
  async take(@Payload() record: ConsumedRecord): Promise<void> {
    const { event, faults } = decodeCloudEvent(record);
    if (event?.data === undefined || faults.length > 0) {
      throw new TerminalError('unreadable', faults.map(({ path, message }) => `${path}: ${message}`).join('; '));
    }
    const { value: notification, faults: faultsOfData } = validateNotificationData(event.data);
    const isOrder =
      notification !== undefined && parseOrderKey(orderKey(notification.merchant, notification.orderId)) !== undefined;
    if (notification === undefined || !isOrder) {
      throw new TerminalError(
        'unreadable',
        faultsOfData.map(({ path, message }) => `${path}: ${message}`).join('; ') || 'it names no order',
      );
    }
    const evidence = notificationEvidence(notification, notifiedResult(notification), isoTime(this.clock));
    await this.journal.append(evidence, traceHeadersOf(record.headers)).catch((cause: unknown) => {
      throw new RetryableError('The notification could not be journaled', { cause });
    });
  }
}
