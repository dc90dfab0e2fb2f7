import { Injectable } from '@nestjs/common';
import { HIGHEST_JOURNAL_EPOCH, TOPICS, topicName } from '@tranche/contracts';
import {
  committedOffsets,
  PartitionConsumer,
  TailBuffer,
  type KafkaClient,
  type PartitionHandler,
} from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import { adviceOnLoss, LogUnsureError, Projector, stoppedReason } from '@tranche/order-journal';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { EventsProducer } from './events.producer.js';
import { JournalReaderConsumer } from './journal-reader.consumer.js';
import { OrderIndexStore } from './order-index.store.js';
import { OutcomeReport } from './outcome-report.service.js';
import { RebuildReport } from './rebuild-report.service.js';
import { Recovery } from './recovery.service.js';

/** Consumer group of the projectors. A committed offset means that the events before it were published. */
export const projectorGroup = ({ kafkaTopicPrefix }: Pick<GatewayConfig, 'kafkaTopicPrefix'>): string =>
  `${kafkaTopicPrefix}payment-gateway.projector`;

/** Interval at which indexes of own partitions without new records are checked. */
const POLL_EVERY_MS = 1_000;
/** Interval at which indexes of partitions that other instances project are checked. */
const POLL_OTHERS_EVERY_MS = 5_000;

/**
 * Feeds the projector of libs/order-journal: journal in, events to Kafka, index to Redis. Records that this process's tail has read are not fetched
 * again.
 */
@Injectable()
export class ProjectorService {
  readonly projector: Projector;
  #consumer?: PartitionConsumer;
  #timer?: NodeJS.Timeout;
  #timerOfOthers?: NodeJS.Timeout;
  #polling = Promise.resolve();
  readonly #stopped = new Map<number, string>();

  constructor(
    private readonly config: GatewayConfig,
    @InjectKafkaClient() private readonly client: KafkaClient,
    private readonly journal: JournalReaderConsumer,
    index: OrderIndexStore,
    events: EventsProducer,
    clock: Clock,
    private readonly report: RebuildReport,
    outcomes: OutcomeReport,
    private readonly log: ServiceLogger,
    private readonly health: Health,
    private readonly metrics: Metrics,
    private readonly tail: TailBuffer,
    private readonly recovery: Recovery,
  ) {
    this.projector = new Projector({
      index,
      events,
      journal,
      timing: clock,
      logger: log,
      // Sequences of events begin anew with each resume, and resumes are read after this constructor.
      get epoch() {
        return Math.min(config.journalEpoch + recovery.resumes.count, HIGHEST_JOURNAL_EPOCH);
      },
      onRebuild: (step) => report.step(step),
      onStopped: (partition, why) => this.#afterStop(partition, why),
      onPublished: (published) => outcomes.published(published),
    });
    health.addReadiness('projection', () => this.#notReadyBecause());
  }

  async start(): Promise<void> {
    const { config, client, tail, log, health, metrics } = this;
    this.#consumer = new PartitionConsumer({
      client,
      groupId: this.#groupId,
      topicPrefix: config.kafkaTopicPrefix,
      topic: TOPICS.journal.name,
      sessionTimeoutMs: config.kafkaSessionTimeoutMs,
      assigned: (partition, signal) => this.assign(partition, signal),
      // The tail verifies the log then, and reports by itself where that takes long.
      isWait: (error) => error instanceof LogUnsureError,
      // Empty where this process has no tail; then every record is fetched.
      ...{ tail, log, health, metrics: metrics.registry },
    });
    await this.#consumer.start();
    this.#timer = setInterval(() => {
      this.#polling = this.#polling.then(() => this.#poll());
    }, POLL_EVERY_MS);
    this.#timerOfOthers = setInterval(() => {
      this.#polling = this.#polling.then(() => this.#pollOthers());
    }, POLL_OTHERS_EVERY_MS);
  }

  /** Partitions of this instance at which projection has stopped, and the reasons. */
  get stopped(): ReadonlyMap<number, string> {
    return this.#stopped;
  }

  /** Committed offsets of the group, over all instances: the offset behind the last record whose events were published, per partition. */
  published(): Promise<Map<number, bigint>> {
    const { client, config } = this;
    return committedOffsets(client, this.#groupId, topicName(config.kafkaTopicPrefix, TOPICS.journal));
  }

  assign(partition: number, signal: AbortSignal): PartitionHandler {
    const projection = this.projector.assign(partition, signal);
    this.report.begin(partition);
    signal.addEventListener(
      'abort',
      () => {
        this.report.end(partition);
        this.#stopped.delete(partition);
      },
      { once: true },
    );
    return {
      startOffset: async (committed) => projection.startOffset(committed, await this.journal.firstKept(partition)),
      onBatch: (records) => projection.project(records.map((record) => this.recovery.skipped.substitute(record))),
    };
  }

  /** Abandons a running rebuild. The consumer stops last, because a batch that waits for its index would not end by itself. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearInterval(this.#timerOfOthers);
    this.projector.close();
    await this.journal.close();
    await this.#consumer?.close();
  }

  async #poll(): Promise<void> {
    try {
      await this.projector.poll();
    } catch (error) {
      this.log.debug({ err: error }, 'The index could not be asked for its markers');
    }
  }

  get #groupId(): string {
    return projectorGroup(this.config);
  }

  /** Builds other instances' indexes up to the committed offset where their projector, of another release, does not write this format. */
  async #pollOthers(): Promise<void> {
    try {
      await this.projector.pollOthers(await this.published());
    } catch (error) {
      this.log.debug({ err: error }, 'The indexes of other instances could not be looked after');
    }
  }

  #afterStop(partition: number, why: string | undefined): void {
    if (why === undefined) return void this.#stopped.delete(partition);
    const reason = stoppedReason(partition, `${why}${adviceOnLoss(partition)}`);
    if (this.#stopped.get(partition) !== reason) this.log.error({ partition }, reason);
    this.#stopped.set(partition, reason);
  }

  #notReadyBecause(): string | undefined {
    if (this.#stopped.size > 0) return [...this.#stopped.values()].join('; ');
    const { restoring } = this.projector;
    return restoring.length === 0
      ? undefined
      : `the index of journal partitions ${restoring.join(', ')} is being built from the journal`;
  }
}
