import { Injectable } from '@nestjs/common';
import type { PublishedEvent } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';

/** Seconds. A card payment takes less than one; a call that times out, with its doubt, about thirty. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/** Logs one line per operation that ended, and measures the time from its command to its event. No personal data. */
@Injectable()
export class OutcomeReport {
  readonly #seconds;

  constructor(
    metrics: Metrics,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {
    this.#seconds = metrics.histogram({
      name: 'tranche_command_to_event_seconds',
      help: 'From when Kafka had a command until its event was acknowledged, by type of the event; the clocks of Kafka and of this instance count',
      labelNames: ['type'],
      buckets: BUCKETS,
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
      this.log.info(facts, event.type);
    }
  }
}
