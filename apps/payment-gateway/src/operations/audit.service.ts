import { randomUUID } from 'node:crypto';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  AUDIT_TYPE,
  SETTLEMENTS,
  encodeCloudEvent,
  TOPICS,
  topicName,
  type AuditRecord,
  holdsHiddenCardData,
  parseOrderKey,
  orderKey,
  type AuditResult,
} from '@tranche/contracts';
import { BatchingProducer, EventAnnouncer } from '@tranche/kafka';
import { Metrics, Problem, ServiceLogger, problemOf } from '@tranche/service-kit';
import { compact, parseOperationId } from '@tranche/order-journal';
import { Clock, isoTime } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { OUTCOMES } from '../decisions/manual-resolution.js';

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

export type About = Omit<AuditRecord, 'action' | 'result' | 'operator' | 'role' | 'code'>;

interface AuditedRequest {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Extracts the subject of a request. Its values are not validated yet, so a value that does not have the form of such a name is left out. */
export function aboutRequest({ params, query, body }: AuditedRequest): About {
  const { id, merchant, orderId } = (params ?? {}) as Record<string, string | undefined>;
  const named = parseOperationId(id ?? '');
  const { outcome } = (body ?? {}) as { outcome?: unknown };
  const ofQuery = (query as { merchant?: unknown } | undefined)?.merchant;
  return compact({
    ...(named ? aboutOrder(named.merchant, named.orderId) : aboutOrder(merchant ?? ofQuery, orderId)),
    commandId: named && UUID.test(named.commandId) ? named.commandId : undefined,
    outcome: [...OUTCOMES, ...SETTLEMENTS].find((known) => known === outcome),
    proposal: id !== undefined && UUID.test(id) ? id : undefined,
  });
}

/** Says of a resolution that the owner of its partition has not judged yet what is known. A result of its own would break readers of the release. */
const NOT_JUDGED = { result: 'asked', code: 'recorded' } as const;

/** Extracts facts that only the answer has: the order of a proposal, the id of a new one. */
export function aboutAnswer(answer: unknown): About & { result: AuditResult; code?: string } {
  const { id, operation, conflict, proposedBy, state, recorded } = (answer ?? {}) as Record<string, unknown>;
  const isProposal = proposedBy !== undefined && state === 'open';
  const name = [operation, conflict, id]
    .map((one) => parseOperationId(typeof one === 'string' ? one : ''))
    .find(Boolean);
  return compact({
    ...(recorded === undefined ? { result: isProposal ? ('proposed' as const) : ('done' as const) } : NOT_JUDGED),
    ...(name ? aboutOrder(name.merchant, name.orderId) : {}),
    proposal: typeof id === 'string' && UUID.test(id) ? id : undefined,
  });
}

export function aboutError(error: unknown): { result: AuditResult; code: string } {
  const { status, code } = problemOf(error);
  return { result: status < 500 ? 'refused' : 'failed', code };
}

function aboutOrder(merchant: unknown, orderId: unknown): Pick<AuditRecord, 'merchant' | 'orderId'> {
  if (typeof merchant !== 'string' || parseOrderKey(orderKey(merchant, '1')) === undefined) return {};
  if (typeof orderId !== 'string' || holdsHiddenCardData(orderId)) return { merchant };
  return parseOrderKey(orderKey(merchant, orderId)) === undefined ? { merchant } : { merchant, orderId };
}
