import { Injectable } from '@nestjs/common';
import { parseOrderKey, orderKey, readNotification, type PaymentNotification } from '@tranche/contracts';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { contentHash } from './content-hash.js';
import { IngestConfig } from './ingest.config.js';
import { NotificationProducer } from './notification.producer.js';
import type { Suspect } from './quarantine-record.js';
import { isSignedBy } from './notification-signature.js';
import type { Parameters } from './received-parameters.js';

/** `accepted`: stored for good. `refused`: nobody we know signed it. `unavailable`: signed, but not stored; it must come again. */
export type Outcome = 'accepted' | 'refused' | 'unavailable';

/** From the received parameters to the answer: whose is it, is it signed, is it stored. */
@Injectable()
export class NotificationService {
  private readonly received;

  constructor(
    private readonly config: IngestConfig,
    private readonly producer: NotificationProducer,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.received = metrics.counter({
      name: 'ingest_notifications_total',
      help: 'Notifications by what became of them: published, quarantined (signed, without a usable ORDERID), hash_mismatch, unknown_identifier, unavailable',
      labelNames: ['result'],
    });
  }

  async receive(parameters: Parameters, from: string): Promise<Outcome> {
    const receivedAt = new Date().toISOString();
    const id = contentHash(parameters);
    const merchant = this.config.merchants.byIdentifier(parameters.find(([name]) => name === 'IDENTIFIER')?.[1] ?? '');
    if (!merchant || !isSignedBy(merchant, parameters)) {
      return this.refuse(merchant ? 'hash_mismatch' : 'unknown_identifier', {
        id,
        parameters,
        receivedAt,
        from,
        merchant: merchant?.merchant,
      });
    }
    const notification = readNotification(merchant.merchant, parameters, receivedAt);
    try {
      if (namesAnOrder(notification)) await this.producer.publish(id, notification);
      else await this.producer.quarantine('no_order', { id, parameters, receivedAt, from, merchant: merchant.merchant });
    } catch (error) {
      this.received.inc({ result: 'unavailable' });
      this.log.error(
        { notification: id, merchant: merchant.merchant, error: String(error) },
        'a notification was not stored; the platform is asked to send it again',
      );
      return 'unavailable';
    }
    this.report(id, notification);
    return 'accepted';
  }

  /** Kept for people, who may find that our key was wrong; the answer does not wait for it. */
  private refuse(reason: 'hash_mismatch' | 'unknown_identifier', suspect: Suspect): Outcome {
    this.received.inc({ result: reason });
    this.log.warn({ notification: suspect.id, merchant: suspect.merchant, reason, from: suspect.from }, 'a notification was refused');
    this.producer.quarantine(reason, suspect).catch((error: unknown) => {
      this.log.error({ notification: suspect.id, error: String(error) }, 'a refused notification was not quarantined');
    });
    return 'refused';
  }

  private report(id: string, notification: PaymentNotification): void {
    const { merchant, orderId, operationType, execCode, flags } = notification;
    const about = { notification: id, merchant, orderId, operationType, execCode, flags };
    if (namesAnOrder(notification)) {
      this.received.inc({ result: 'published' });
      this.log.info(about, 'notification published');
    } else {
      this.received.inc({ result: 'quarantined' });
      this.log.error(about, 'a signed notification names no order; it is in quarantine for a person to look at');
    }
  }
}

function namesAnOrder({ merchant, orderId }: PaymentNotification): boolean {
  return parseOrderKey(orderKey(merchant, orderId)) !== undefined;
}
