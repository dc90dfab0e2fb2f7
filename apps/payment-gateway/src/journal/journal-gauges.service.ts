import { Injectable } from '@nestjs/common';
import { isInDoubt } from '@tranche/order-journal';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock, RepeatedWork } from '../clock.js';
import { JournalTopic } from './journal-topic.service.js';
import { OrderIndexStore } from './order-index.store.js';
import { Journal } from './journal.service.js';

/** A journal end that the index has not reached yet, and when it was first seen. */
interface Goal {
  end: bigint;
  seenAtMs: number;
}

/** Measures for how long each partition's index has been behind the journal. The delay also grows while measuring fails. */
export class IndexDelays {
  readonly #goals = new Map<number, Goal>();

  /** `next`: offset of the first record that the index lacks; `end`: the journal's end now. */
  measured(partition: number, next: bigint, end: bigint): void {
    const goal = this.#goals.get(partition);
    if (goal === undefined || next >= goal.end) this.#goals.set(partition, { end, seenAtMs: performance.now() });
  }

  /** For a partition that was never measured, the delay starts with this call. */
  secondsOf(partition: number): number {
    const goal = this.#goals.get(partition) ?? { end: 0n, seenAtMs: performance.now() };
    this.#goals.set(partition, goal);
    return (performance.now() - goal.seenAtMs) / 1_000;
  }

  /** Drops partitions that this instance does not project any more. */
  keep(partitions: ReadonlySet<number>): void {
    for (const partition of this.#goals.keys()) if (!partitions.has(partition)) this.#goals.delete(partition);
  }
}

const READS_AT_ONCE = 100;

interface DoubtLabels {
  merchant: string;
  operation: string;
  /** The flag with the cause: `timeout`, `owner_lost` … (docs/operate/runbook.md, "What is in doubt?") */
  reason: string;
}

/** Each instance measures the partitions that it projects, so the sum over all instances counts each order once. */
@Injectable()
export class JournalGauges extends RepeatedWork {
  protected readonly everyMs = 5_000;
  readonly #doubts;
  readonly #oldest;
  readonly #behind;
  readonly #delays = new IndexDelays();

  constructor(
    private readonly index: OrderIndexStore,
    private readonly topic: JournalTopic,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    super();
    const labelNames = ['merchant', 'operation', 'reason'];
    this.#doubts = metrics.gauge({
      name: 'tranche_doubts',
      help: 'Operations in doubt, in the partitions of this instance',
      labelNames,
    });
    this.#oldest = metrics.gauge({
      name: 'tranche_doubt_oldest_age_seconds',
      help: 'Age of the oldest of them',
      labelNames,
    });
    this.#behind = metrics.gauge({
      name: 'tranche_index_behind_records',
      help: 'Journal records that the index does not have yet, by partition of this instance',
      labelNames: ['partition'],
    });
    metrics.gauge({
      name: 'tranche_journal_partition_stopped',
      help: '1 for each journal partition of this instance that is stopped; `tranche journal status` says why, and what to do',
      labelNames: ['partition'],
      collect() {
        this.reset();
        for (const partition of journal.view.stopped.keys()) this.set({ partition: String(partition) }, 1);
      },
    });
    const delays = this.#delays;
    const own = () => this.#own;
    metrics.gauge({
      name: 'tranche_index_behind_seconds',
      help: 'For how long the index lacks what the journal had, or cannot be asked, by partition of this instance; up to 10 while all is well',
      labelNames: ['partition'],
      collect() {
        this.reset();
        for (const partition of own()) this.set({ partition: String(partition) }, delays.secondsOf(partition));
      },
    });
  }

  get #own(): number[] {
    return this.journal.view.owners.map(({ partition }) => partition);
  }

  /** Never rejects: a gauge that could not be measured keeps its last value. */
  protected async run(): Promise<void> {
    const own = new Set(this.#own);
    try {
      // First, because the doubts of an index that is not whole can't be read: its owner would never compare it.
      await this.#measureDistance(own);
      await this.#measureDoubts(own);
    } catch (error) {
      this.log.debug({ err: error }, 'Doubts and the distance of the index could not be measured');
    }
  }

  async #measureDoubts(own: ReadonlySet<number>): Promise<void> {
    const keys = await this.index.ordersInDoubt([...own]);
    const found = new Map<string, { labels: DoubtLabels; count: number; oldestMs: number }>();
    for (let from = 0; from < keys.length; from += READS_AT_ONCE) {
      const read = await Promise.all(keys.slice(from, from + READS_AT_ONCE).map((key) => this.index.read(key)));
      for (const { order } of read) {
        for (const { operation, since = '', latest } of order?.operations.filter(isInDoubt) ?? []) {
          const labels = { merchant: order!.merchant, operation, reason: latest?.body.flags?.[0] ?? 'unknown' };
          const name = JSON.stringify(labels);
          const { count, oldestMs } = found.get(name) ?? { count: 0, oldestMs: Infinity };
          found.set(name, { labels, count: count + 1, oldestMs: Math.min(oldestMs, Date.parse(since)) });
        }
      }
    }
    this.#doubts.reset();
    this.#oldest.reset();
    for (const { labels, count, oldestMs } of found.values()) {
      this.#doubts.set({ ...labels }, count);
      this.#oldest.set({ ...labels }, Math.max(0, (this.clock.nowMs() - oldestMs) / 1000));
    }
  }

  async #measureDistance(own: ReadonlySet<number>): Promise<void> {
    const [ends, markers] = [await this.topic.offsets(), await this.index.markers()];
    this.#behind.reset();
    this.#delays.keep(own);
    for (const partition of own) {
      const { low = 0n, high = 0n } = ends.get(partition) ?? {};
      const marker = markers.get(partition);
      this.journal.view.ownerOf(partition)?.doubtIndex(marker);
      const next = marker === undefined ? low : marker + 1n;
      this.#behind.set({ partition: String(partition) }, Math.max(0, Number(high - next)));
      this.#delays.measured(partition, next, high);
    }
  }
}
