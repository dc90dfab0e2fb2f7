import { Injectable } from '@nestjs/common';
import type { PartitionHandler } from '@tranche/kafka';
import { Projector } from '@tranche/order-journal';
import { Health } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { EventsProducer } from '../events.producer.js';
import { JournalReaderConsumer } from './journal-reader.consumer.js';
import { OrderIndexStore } from './order-index.store.js';
import { RebuildReport } from './rebuild-report.service.js';

/** How often an index that nobody writes to is looked after. */
const POLL_EVERY_MS = 1_000;

/** What the projector moves: events in Kafka, the index in Redis. */
@Injectable()
export class ProjectionOutlets {
  constructor(
    readonly index: OrderIndexStore,
    readonly events: EventsProducer,
  ) {}
}

/** The projector at this process's edges, and the rebuild of an index that was lost. */
@Injectable()
export class ProjectionService {
  readonly projector: Projector;
  #timer?: NodeJS.Timeout;
  #polling = Promise.resolve();

  constructor(
    private readonly journal: JournalReaderConsumer,
    outlets: ProjectionOutlets,
    clock: Clock,
    private readonly report: RebuildReport,
    health: Health,
  ) {
    const { index, events } = outlets;
    this.projector = new Projector({ index, events, journal, timing: clock, logger: report.log, onRebuild: (step) => report.step(step) });
    health.addReadiness('projection', () => this.#notReadyBecause());
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#polling = this.#polling.then(() => this.#poll());
    }, POLL_EVERY_MS);
  }

  assign(partition: number, signal: AbortSignal): PartitionHandler {
    const projection = this.projector.assign(partition, signal);
    this.report.begin(partition);
    signal.addEventListener('abort', () => this.report.end(partition), { once: true });
    return {
      startOffset: async (committed) => projection.startOffset(committed, await this.journal.firstKept(partition)),
      onBatch: (records) => projection.project(records),
    };
  }

  /** A rebuild under way is given up; whoever projects the partition next begins it again. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.projector.close();
    await this.journal.close();
  }

  async #poll(): Promise<void> {
    try {
      await this.projector.poll();
    } catch (error) {
      this.report.log.debug({ err: error }, 'The index could not be asked for its markers');
    }
  }

  #notReadyBecause(): string | undefined {
    const { restoring } = this.projector;
    return restoring.length === 0 ? undefined : `the index of journal partitions ${restoring.join(', ')} is being built from the journal`;
  }
}
