import { Injectable } from '@nestjs/common';
import type { PaymentEvent } from '@tranche/contracts';
import { CONFLICT_REASONS, conflictReasonOf, type PublishedEvent, type SnapshotMismatch } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';

/** Seconds. A card payment takes less than one; a call that times out, with its doubt, about thirty. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/** Logs one line per event, counts conflicts, and measures the time from its command to its event. No personal data. */
@Injectable()
export class OutcomeReport {
  readonly #seconds;
  readonly #conflicts;
  readonly #mismatches;

  constructor(
    metrics: Metrics,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
    { merchants }: GatewayConfig,
  ) {
    this.#seconds = metrics.histogram({
      name: 'tranche_command_to_event_seconds',
      help: 'From when Kafka had a command until its event was acknowledged, by type of the event; the clocks of Kafka and of this instance count',
      labelNames: ['type'],
      buckets: BUCKETS,
    });
    this.#conflicts = metrics.counter({
      name: 'tranche_conflicts_total',
      help: 'Conflicts that were published, by merchant and gravest reason: `two_payments_succeeded` is a customer who may be charged twice',
      labelNames: ['merchant', 'reason'],
    });
    this.#mismatches = metrics.counter({
      name: 'tranche_snapshot_mismatches_total',
      help: 'Snapshots of orders that are not the state of their records, by what became of the order: `adopted` as written, or `frozen`',
      labelNames: ['order'],
    });
    for (const order of ['adopted', 'frozen']) this.#mismatches.inc({ order }, 0);
    // An alert on an increase would not see the first conflict of a series that begins with it.
    for (const { merchant } of merchants.all)
      for (const reason of CONFLICT_REASONS) this.#conflicts.inc({ merchant, reason }, 0);
  }

  published(all: readonly PublishedEvent[]): void {
    for (const { event, commandTimeMs } of all) {
      const { merchant, orderId, commandId, operation, attempt, outcome, execCode } = event.data;
      const durationMs = commandTimeMs === undefined ? undefined : Math.max(0, this.clock.nowMs() - commandTimeMs);
      if (durationMs !== undefined) this.#seconds.observe({ type: event.type }, durationMs / 1000);
      const facts = {
        merchant,
        orderId,
        commandId,
        operation,
        attempt,
        outcome,
        execCode: execCode?.slice(0, 64),
        durationMs,
      };
      if (event.type === 'payment.conflict.detected') this.#conflicted(event.data, facts);
      else this.log.info(facts, event.type);
    }
  }

  /** A snapshot of an order is not the state of its records: one of two releases is wrong. */
  snapshotDiffers({ merchant, orderId, fields, isFrozen }: SnapshotMismatch): void {
    this.#mismatches.inc({ order: isFrozen ? 'frozen' : 'adopted' });
    this.log.error(
      { merchant, orderId, fields },
      isFrozen
        ? 'A snapshot differs from the records of its order in what was done. Nothing is sent for the order any more (order_frozen): compare it with the platform'
        : 'A snapshot differs from the records of its order; what is written counts. Report it with the versions of all instances',
    );
  }

  /** The alert counts by reason only; this line has the order and the amount. */
  #conflicted(
    { merchant, amount, otherAmount, currency, otherCurrency, transactionId, flags }: PaymentEvent,
    facts: object,
  ): void {
    const reason = conflictReasonOf(flags);
    this.#conflicts.inc({ merchant, reason });
    this.log.error(
      { ...facts, reason, flags, amount, otherAmount, currency, otherCurrency, transactionId },
      'The platform contradicts itself about this order: docs/operate/runbook.md, "A conflict: what to do" says what to do',
    );
  }
}
