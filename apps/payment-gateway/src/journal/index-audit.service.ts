import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { IndexAuditor, JournalReplacedError, type AuditResult } from '@tranche/order-journal';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal } from './journal.service.js';
import { JournalReaderConsumer } from './journal-reader.consumer.js';
import { OrderIndexStore } from './order-index.store.js';
import { ProjectorService } from './projector.service.js';

const STOP_MS = 2_000;

/** Compares sampled orders of the index with the journal, for one of this instance's partitions at a time. */
@Injectable()
export class IndexAudit {
  readonly #auditor: IndexAuditor;
  readonly #audited;
  readonly #differing;
  readonly #closing = new AbortController();
  #finishedMs = performance.now();
  #isReplaced: string | undefined;
  #running = Promise.resolve();

  constructor(
    private readonly config: GatewayConfig,
    index: OrderIndexStore,
    private readonly reader: JournalReaderConsumer,
    { projector }: ProjectorService,
    private readonly journal: Journal,
    clock: Clock,
    metrics: Metrics,
    private readonly log: ServiceLogger,
    health: Health,
  ) {
    this.#auditor = new IndexAuditor({
      ...{ projector, index, journal: reader, timing: clock, logger: log },
      random: Math.random,
      recordsPerSecond: config.indexAuditRecordsPerSecond,
      onAudited: (result) => this.#take(result),
    });
    this.#audited = metrics.counter({
      name: 'tranche_index_audited_orders_total',
      help: 'Orders of the index that were folded anew from the journal and compared',
    });
    this.#differing = metrics.counter({
      name: 'tranche_index_audit_differences_total',
      help: 'Of these, orders that differed in the index; they were repaired',
    });
    const age = () => (performance.now() - this.#finishedMs) / 1000;
    metrics.gauge({
      name: 'tranche_index_audit_age_seconds',
      help: 'Since this instance finished an audit, or was started',
      collect() {
        this.set(age());
      },
    });
    health.addReadiness('index audit', () => this.#isReplaced);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Aborts the audit's own requests to Kafka and Redis. A rebuild that it started ends with the projector. */
  async stop(): Promise<void> {
    this.#closing.abort(new Error('the audit is closing'));
    await this.reader.close();
    await Promise.race([this.#running, delay(STOP_MS, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // The random factor keeps instances that started together from auditing at the same time.
      const waitMs = this.config.indexAuditEveryMs * (0.5 + Math.random());
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#audit(signal);
    }
  }

  async #audit(signal: AbortSignal): Promise<void> {
    try {
      await this.#auditor.auditNext(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof JournalReplacedError) {
        // Only this partition is affected; the audit of the others continues.
        this.#isReplaced = error.message;
        this.log.error({ err: error }, 'An audit ended: the journal is not the one that the index was made from');
      } else this.log.warn({ err: error }, 'The index could not be audited; it will be tried again');
    }
  }

  async #take({ orders, differing }: AuditResult): Promise<void> {
    this.#finishedMs = performance.now();
    this.#audited.inc(orders);
    this.#differing.inc(differing.length);
    // Orders in memory may have been loaded from the wrong index entries, so they are dropped.
    if (differing.length > 0) await this.journal.forgetIndexed();
  }
}
