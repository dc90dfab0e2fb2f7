import { randomUUID } from 'node:crypto';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { AUDIT_TYPE, encodeCloudEvent, TOPICS, topicName, type AuditRecord } from '@tranche/contracts';
import { BatchingProducer, EventAnnouncer } from '@tranche/kafka';
import { Metrics, Problem, ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../../clock.js';
import { GatewayConfig } from '../../gateway.config.js';

const SOURCE = 'payment-gateway';
/** Maximum time that a change waits for its audit record. Milliseconds. */
const DEADLINE_MS = 5_000;
/** Requests without a valid key can be unlimited, so at most one of them is recorded in this time. Milliseconds. */
const STRANGERS_EVERY_MS = 1_000;
const STRANGER = 'unknown';

/** Writes `operations.audit.v1`: reads, changes, proposals, approvals, rejections and refusals, with the person. docs/decisions/0075. */
@Injectable()
export class Audit implements BeforeApplicationShutdown {
  readonly #announcer: EventAnnouncer;
  readonly #topic: string;
  #noStrangerBeforeMs = 0;

  constructor(
    { kafkaTopicPrefix: topicPrefix }: GatewayConfig,
    private readonly producer: BatchingProducer,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#topic = topicName(topicPrefix, TOPICS.operationsAudit);
    this.#announcer = new EventAnnouncer({ producer, topicPrefix, source: SOURCE, log, metrics: metrics.registry });
  }

  /** Must be called before a change. @throws Problem 503 where the record can't be written: the change must not be made then */
  async before(data: AuditRecord): Promise<void> {
    const event = { id: randomUUID(), source: SOURCE, type: AUDIT_TYPE, time: isoTime(this.clock), data };
    const record = { topic: this.#topic, key: data.operator ?? STRANGER, ...encodeCloudEvent(event) };
    try {
      await this.producer.send(record, { deadlineMs: DEADLINE_MS });
    } catch (cause) {
      this.log.error({ err: cause, action: data.action }, 'An action was not done: it could not be audited');
      const detail = 'It can not be written down who asked for this, so it is not done. Try again later.';
      throw new Problem({ status: 503, code: 'audit_unavailable', detail, cause });
    }
  }

  /** Records a read or a result. Best effort: a record that Kafka does not take is counted. */
  note(data: AuditRecord): void {
    if (data.operator === undefined) {
      const nowMs = this.clock.monotonicMs();
      if (nowMs < this.#noStrangerBeforeMs) return;
      this.#noStrangerBeforeMs = nowMs + STRANGERS_EVERY_MS;
    }
    this.#announcer.announce(TOPICS.operationsAudit, data.operator ?? STRANGER, { type: AUDIT_TYPE, data });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#announcer.close();
  }
}
