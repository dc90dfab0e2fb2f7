import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { LogFollower, LogReader, waitForKafka, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import { adviceOnRecord } from '@tranche/order-journal';
import { pauseFor, reasonOf, untilUp } from '@tranche/runtime';
import { Health, Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { Database } from '../database/database.service.js';
import { JobRows } from './job-rows.js';
import { OperationsConfig } from '../operations.config.js';
import { BatchStore } from './batch.store.js';
import { callsOf, putCalls } from './calls.js';
import { foldBatch, journalRow } from './journal-fold.js';
import { SkippedRecords } from './skipped-records.js';
import { LISTED } from './stored-rows.js';
import { TopicProjector, type MakeRows, type PartitionProgress } from './topic-projector.js';

const LOOK_EVERY_MS = 2_000;
const SAY_EVERY_MS = 10_000;
const FORGET_EVERY_MS = 600_000;
/** The service has caught up once fewer records are left. */
const CAUGHT_UP = 500;

/** Reads Kafka into PostgreSQL for as long as the service runs. */
@Injectable()
export class Projection implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #projectors: TopicProjector[] = [];
  #decisions?: LogFollower;
  #starting = 'Kafka was not read yet';
  #hasCaughtUp = false;

  constructor(
    @InjectKafkaClient() private readonly client: KafkaClient,
    private readonly config: OperationsConfig,
    private readonly store: BatchStore,
    private readonly database: Database,
    private readonly skipped: SkippedRecords,
    private readonly jobs: JobRows,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
    private readonly metrics: Metrics,
    private readonly health: Health,
  ) {
    health.addReadiness('rebuild', () => (this.#hasCaughtUp ? undefined : (this.#rebuilding() ?? this.#starting)));
    const progress = () => this.progress();
    metrics.gauge({
      name: 'tranche_operations_behind_records',
      help: 'Records of a topic that are in Kafka and not yet in PostgreSQL',
      labelNames: ['topic'],
      collect() {
        this.reset();
        for (const { topic, behind } of progress()) this.inc({ topic }, behind);
      },
    });
    metrics.gauge({
      name: 'tranche_operations_stopped_partitions',
      help: 'Partitions of which nothing more is read, because a record can not be read or the log is another one',
      labelNames: ['topic'],
      collect() {
        this.reset();
        for (const { topic, stopped } of progress()) this.inc({ topic }, stopped === undefined ? 0 : 1);
      },
    });
  }

  progress(): PartitionProgress[] {
    return this.#projectors.flatMap((one) => one.progress());
  }

  /** Records of all topics that are not in PostgreSQL yet. */
  behind(): number {
    return this.progress().reduce((sum, { behind }) => sum + behind, 0);
  }

  onApplicationBootstrap(): void {
    const { stopping } = this.lifetime;
    void this.#run().catch((error: unknown) => {
      if (!stopping.aborted) this.log.error({ err: error }, `Kafka can not be read: ${reasonOf(error)}`);
    });
    void this.#forget();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.#decisions?.stop(), ...this.#projectors.map((one) => one.stop())]);
  }

  async #run(): Promise<void> {
    const { log, lifetime } = this;
    const { stopping: signal } = lifetime;
    await waitForKafka(this.client, { log, signal });
    // The topics are made by the services that write them.
    await untilUp('what is to be read of Kafka', () => this.#start(), { log, signal });
    let saidAtMs = performance.now();
    while (!signal.aborted) {
      await Promise.all(this.#projectors.map((one) => one.look())).catch((error: unknown) =>
        log.debug({ error: reasonOf(error) }, 'the ends of the topics could not be asked'),
      );
      const isDue = performance.now() - saidAtMs >= SAY_EVERY_MS;
      const rebuilding = this.#rebuilding();
      if (!this.#hasCaughtUp && rebuilding === undefined) log.info({}, 'What Kafka holds is in PostgreSQL');
      this.#hasCaughtUp ||= rebuilding === undefined;
      if (isDue && rebuilding !== undefined) log.info({}, rebuilding);
      if (isDue) saidAtMs = performance.now();
      await pauseFor(LOOK_EVERY_MS, signal);
    }
  }

  async #start(): Promise<void> {
    await this.#readDecisions();
    const topics = [
      { topic: TOPICS.journal, make: this.#foldJournal, isFolded: true },
      ...LISTED.map(({ topic, rowOf }) => ({
        topic,
        make: ((records) => Promise.resolve({ rows: records.map(rowOf) })) satisfies MakeRows,
        isFolded: false,
      })),
      { topic: TOPICS.jobs, make: this.jobs.fold, isFolded: false },
    ];
    const { store, log, health, lifetime } = this;
    for (const { topic, make, isFolded } of topics.slice(this.#projectors.length)) {
      const projector = new TopicProjector({
        ...{ client: this.client, topic, topicPrefix: this.config.kafkaTopicPrefix, store, make, isFolded },
        ...{ log, metrics: this.metrics.registry, health, stopping: lifetime.stopping },
        onDatabase: (error) => (error === undefined ? this.database.works() : this.database.failed(error)),
      });
      await projector.start();
      this.#projectors.push(projector);
    }
  }

  /** Skips must be known before the first record of the journal is read; later ones let a partition go on. */
  async #readDecisions(): Promise<void> {
    if (this.#decisions !== undefined) return;
    const { kafkaTopicPrefix: topicPrefix } = this.config;
    const topic = TOPICS.decisions.name;
    const reader = new LogReader({
      client: this.client,
      topic: topicPrefix + topic,
      log: this.log,
      takesUnreadable: true,
    });
    const { low, high } = await reader.bounds(0);
    try {
      for await (const records of reader.read(0, low, high)) records.forEach((record) => this.skipped.take(record));
    } finally {
      await reader.close();
    }
    const follower = new LogFollower({ client: this.client, topic, topicPrefix, log: this.log });
    const onRecords = (_: number, records: readonly ConsumedRecord[]) => {
      const hasSkip = records.map((record) => this.skipped.take(record)).includes(true);
      if (hasSkip) this.#projectors.forEach((projector) => projector.goOn());
    };
    await follower.start({ from: new Map([[0, high]]), onRecords, takesUnreadable: true });
    this.#decisions = follower;
  }

  readonly #foldJournal: MakeRows = async (records, stateOf) => {
    const orders = await stateOf(records.flatMap(({ key }) => key ?? []));
    const before = new Map(orders);
    const { stored, unreadable } = foldBatch(records, orders, this.skipped.substitute);
    const changed = [...orders].filter(([key, order]) => before.get(key) !== order);
    const partition = records[0]!.partition;
    const calls = callsOf(stored, orders, Date.now());
    return {
      rows: stored.map(journalRow),
      orders: new Map(changed),
      ...(calls.length > 0 && { also: (sql) => putCalls(sql, partition, calls) }),
      ...(unreadable && {
        stopsAt: {
          offset: unreadable.entry.offset,
          reason: unreadable.message + adviceOnRecord(partition, unreadable),
        },
      }),
    };
  };

  /** Says how much is left, as long as it is much. */
  #rebuilding(): string | undefined {
    if (this.#projectors.length < LISTED.length + 2) return this.#starting;
    const progress = this.progress().filter(({ stopped }) => stopped === undefined);
    const behind = progress.reduce((sum, one) => sum + one.behind, 0);
    if (behind < CAUGHT_UP) return undefined;
    const all = progress.reduce((sum, one) => sum + Number(one.end), 0);
    return `PostgreSQL is ${behind} of ${all} records behind Kafka`;
  }

  async #forget(): Promise<void> {
    const { stopping } = this.lifetime;
    while (!stopping.aborted) {
      await pauseFor(FORGET_EVERY_MS, stopping);
      try {
        while (!stopping.aborted && (await this.store.forget(this.config.keepDays)) > 0);
      } catch (error) {
        this.log.warn({ err: error }, 'What is older than is kept could not be deleted');
      }
    }
  }
}
