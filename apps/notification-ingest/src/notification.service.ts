import { Injectable } from '@nestjs/common';
import { readNotification, type PaymentNotification } from '@tranche/contracts';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { isSignedBy, valueOf } from '@tranche/platform';
import type { ReceivedTrace } from '@tranche/runtime';
import { IngestConfig } from './ingest.config.js';
import { namesAnOrder, NotificationProducer, OverloadedError } from './notification.producer.js';
import { QuarantineService } from './quarantine/quarantine.service.js';
import { asSigned, contentHash, type Parameters } from './received-parameters.js';
import type { ReceivedRequest } from './received-request.js';

/**
 * `accepted`: stored on all in-sync replicas. `refused`: no key of ours fits HASH. `unavailable`: signed but not stored, so the platform
 * must send it again.
 */
export type Outcome = 'accepted' | 'refused' | 'unavailable';

const RESULTS = [
  'published',
  'quarantined',
  'hash_mismatch',
  'unknown_identifier',
  'unreadable',
  'too_large',
  'not_found',
  'unavailable',
  'overloaded',
] as const;

interface Arrival {
  /** Address of the sender. */
  from: string;
  /** `performance.now()` at arrival: PUBLISH_TIMEOUT_MS runs from here. */
  startedAtMs: number;
  trace?: ReceivedTrace;
}

/** Finds the merchant, verifies HASH and publishes the event. */
@Injectable()
export class NotificationService {
  readonly #received;

  constructor(
    private readonly config: IngestConfig,
    private readonly producer: NotificationProducer,
    private readonly quarantine: QuarantineService,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#received = metrics.counterFromZero({
      name: 'ingest_notifications_total',
      help: 'Notifications by what became of them: published, quarantined (signed, without a usable ORDERID), hash_mismatch, unknown_identifier, unreadable, too_large (a body over 1 MiB or a query over 64 kB, which is lost unless the platform shortens it), not_found (no such path or method), unavailable (not stored in time), overloaded (too much waits)',
      labels: { result: RESULTS },
    });
  }

  async receive(received: Parameters, { from, startedAtMs, trace }: Arrival): Promise<Outcome> {
    const receivedAt = new Date().toISOString();
    const parameters = asSigned(this.config.merchants, received);
    const id = contentHash(parameters);
    const suspect = { id, parameters, receivedAt, from };
    const merchant = this.config.merchants.byIdentifier(valueOf(parameters, 'IDENTIFIER') ?? '');
    if (merchant === undefined || !isSignedBy(merchant, parameters)) {
      const reason = merchant ? 'hash_mismatch' : 'unknown_identifier';
      this.#received.inc({ result: reason });
      this.quarantine.keep(reason, { ...suspect, merchant: merchant?.merchant });
      return 'refused';
    }
    const notification = readNotification(
      merchant.merchant,
      parameters,
      receivedAt,
      merchant.keepsNotifiedClient ?? false,
    );
    const leftMs = startedAtMs + this.config.publishTimeoutMs - performance.now();
    try {
      if (namesAnOrder(notification)) await this.producer.publish(id, notification, leftMs, trace);
      else await this.producer.setAside({ ...suspect, merchant: merchant.merchant }, leftMs);
    } catch (error) {
      return this.#notStored(id, merchant.merchant, error);
    }
    this.#report(id, notification);
    return 'accepted';
  }

  refuseUnreadable(why: string, request: ReceivedRequest, from: string): void {
    this.#received.inc({ result: 'unreadable' });
    this.quarantine.keepRequest('unreadable', why, request, from);
  }

  /** Counts a request that failed before it was read as a notification. */
  refuseUnrouted(status: number, request: ReceivedRequest, from: string): void {
    // 413: the body is too large. 431: the query of a GET is too large, because Node.js counts it as a header.
    if (status === 413 || status === 431) return this.#refuseTooLarge(from);
    const isAstray = status === 404 || status === 405;
    if (!isAstray) return this.refuseUnreadable(`answered ${status}`, request, from);
    this.#received.inc({ result: 'not_found' });
    this.quarantine.keepRequest('not_found', `answered ${status}`, request, from);
  }

  /** The notification may have been signed, and every repeat has the same size: an operator must look at it, so this is an error. */
  #refuseTooLarge(from: string): void {
    this.#received.inc({ result: 'too_large' });
    this.quarantine.logTooLarge(from);
  }

  #notStored(id: string, merchant: string, error: unknown): Outcome {
    const isOverloaded = error instanceof OverloadedError;
    this.#received.inc({ result: isOverloaded ? 'overloaded' : 'unavailable' });
    // While Kafka is unreachable thousands may be refused per second. We log only those that waited for the timeout.
    this.log[isOverloaded ? 'debug' : 'error'](
      { notification: id, merchant, error: String(error) },
      'a notification was not stored; the platform is asked to send it again',
    );
    return 'unavailable';
  }

  #report(id: string, notification: PaymentNotification): void {
    const { merchant, orderId, operationType, execCode, flags } = notification;
    const about = { notification: id, merchant, orderId, operationType, execCode, flags };
    if (namesAnOrder(notification)) {
      this.#received.inc({ result: 'published' });
      this.log.debug(about, 'notification published');
    } else {
      this.#received.inc({ result: 'quarantined' });
      this.log.error(about, 'a signed notification names no order; it is in quarantine for a person to look at');
    }
  }
}
