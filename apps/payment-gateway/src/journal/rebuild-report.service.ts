import { Injectable } from '@nestjs/common';
import type { RebuildProgress } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';

const LOG_EVERY_MS = 2_000;

/** Reports the progress of an index rebuild to log and metrics. */
@Injectable()
export class RebuildReport {
  readonly #records;
  readonly #remaining;
  readonly #own = new Set<number>();
  readonly #toGo = new Map<number, number>();
  #startedMs = 0;
  #loggedMs = 0;
  #folded = 0;

  constructor(
    metrics: Metrics,
    private readonly clock: Clock,
    readonly log: ServiceLogger,
  ) {
    this.#records = metrics.counter({
      name: 'tranche_index_rebuild_records_total',
      help: 'Journal records that were folded to build the index anew',
    });
    this.#remaining = metrics.gauge({
      name: 'tranche_index_rebuild_remaining_records',
      help: 'Journal records that rebuilds under way have still to fold, by partition',
      labelNames: ['partition'],
    });
  }

  /** This process owns the partition now, so reports of another process's rebuild are outdated. */
  begin(partition: number): void {
    this.#own.add(partition);
  }

  /** Another process may continue the rebuild from now on. */
  end(partition: number): void {
    this.#own.delete(partition);
    if (this.#toGo.delete(partition)) this.#remaining.set({ partition }, 0);
  }

  step({ partition, records, remaining }: RebuildProgress): void {
    if (!this.#own.has(partition)) return this.#records.inc(records);
    const nowMs = this.clock.monotonicMs();
    if (this.#toGo.size === 0) [this.#startedMs, this.#loggedMs, this.#folded] = [nowMs, nowMs, 0];
    this.#folded += records;
    this.#records.inc(records);
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
