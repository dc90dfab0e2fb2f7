import { Injectable } from '@nestjs/common';
import type { PaymentEvent } from '@tranche/contracts';
import {
  CONFLICT_REASONS,
  conflictReasonOf,
  type PublishedEvent,
  type SnapshotMismatch,
  type RebuildProgress,
} from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';

/** Seconds. A card payment takes less than one; a call that times out, with its doubt, about thirty. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

const LOG_EVERY_MS = 2_000;

/**
 * Reports about what owners of partitions publish and rebuild: logs one line per event, counts conflicts, and measures the time from its command to
 * its event. No personal data.
 */
@Injectable()
export class JournalReports {
  readonly #seconds;
  readonly #conflicts;
  readonly #mismatches;
  readonly #rebuilt;
  readonly #remaining;
  /** Partitions of this instance that are being rebuilt: records to go. */
  readonly #toGo = new Map<number, number>();
  readonly #own = new Set<number>();
  #startedMs = 0;
  #loggedMs = 0;
  #folded = 0;

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
    this.#conflicts = metrics.counterFromZero({
      name: 'tranche_conflicts_total',
      help: 'Conflicts that were published, by merchant and gravest reason: `two_payments_succeeded` is a customer who may be charged twice',
      labels: { merchant: merchants.all.map(({ merchant }) => merchant), reason: CONFLICT_REASONS },
    });
    this.#mismatches = metrics.counterFromZero({
      name: 'tranche_snapshot_mismatches_total',
      help: 'Snapshots of orders that are not the state of their records, by what became of the order: `adopted` as written, or `frozen`',
      labels: { order: ['adopted', 'frozen'] },
    });
    this.#rebuilt = metrics.counter({
      name: 'tranche_index_rebuild_records_total',
      help: 'Journal records that were folded to build the index anew',
    });
    this.#remaining = metrics.gauge({
      name: 'tranche_index_rebuild_remaining_records',
      help: 'Journal records that rebuilds under way have still to fold, by partition',
      labelNames: ['partition'],
    });
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

  /** This process owns the partition now, so reports of another process's rebuild are outdated. */
  owned(partition: number): void {
    this.#own.add(partition);
  }

  /** Another process may continue the rebuild from now on. */
  disowned(partition: number): void {
    this.#own.delete(partition);
    if (this.#toGo.delete(partition)) this.#remaining.set({ partition }, 0);
  }

  rebuilt({ partition, records, remaining }: RebuildProgress): void {
    if (!this.#own.has(partition)) return this.#rebuilt.inc(records);
    const nowMs = this.clock.monotonicMs();
    if (this.#toGo.size === 0) [this.#startedMs, this.#loggedMs, this.#folded] = [nowMs, nowMs, 0];
    this.#folded += records;
    this.#rebuilt.inc(records);
    this.#remaining.set({ partition }, remaining);
    if (remaining > 0) this.#toGo.set(partition, remaining);
    else this.#toGo.delete(partition);
    const isDone = this.#toGo.size === 0;
    if (!isDone && nowMs - this.#loggedMs < LOG_EVERY_MS) return;
    this.#loggedMs = nowMs;
    const toGo = [...this.#toGo.values()].reduce((sum, left) => sum + left, 0);
    const seconds = Math.round(nowMs - this.#startedMs) / 1000;
    this.log.info(
      { records: this.#folded, toGo, seconds },
      `The index is being built from the journal: ${this.#folded} records done, ${toGo} to go`,
    );
  }
}
