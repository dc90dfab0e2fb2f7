import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const readings = new WeakMap<Gauge, Map<string, () => number>>();

/** Metrics of this library. Consumers and producers of a process share them, each with its own label. */
export class KafkaMetrics {
  readonly handled: Counter<'group' | 'topic' | 'result'>;
  readonly retries: Counter<'group' | 'topic' | 'kind'>;
  readonly deadLetters: Counter<'group' | 'topic' | 'code'>;
  readonly missed: Counter<'group' | 'topic'>;
  readonly rebalances: Counter<'group'>;
  readonly crashes: Counter<'group'>;
  readonly inFlight: Gauge<'group'>;
  readonly queued: Gauge<'group'>;
  readonly oldestAge: Gauge<'group'>;
  readonly frontierSpan: Gauge<'group'>;
  readonly queueWait: Histogram<'group'>;
  readonly drainSeconds: Histogram<'group'>;
  readonly lag: Gauge<'group' | 'topic' | 'partition'>;
  readonly fetchedRecords: Histogram<'group'>;
  readonly logRecords: Counter<'topic'>;
  readonly produced: Counter<'result'>;
  readonly producedBatchRecords: Histogram;
  readonly produceSeconds: Histogram;

  constructor(private readonly registry: Registry = new Registry()) {
    this.handled = this.counter('kafka_records_handled_total', 'Records whose handling ended', [
      'group',
      'topic',
      'result',
    ]);
    this.retries = this.counter('kafka_record_retries_total', 'Repeats of a handler, by kind of error', [
      'group',
      'topic',
      'kind',
    ]);
    this.deadLetters = this.counter('kafka_dead_letters_total', 'Records written to the dead-letter topic', [
      'group',
      'topic',
      'code',
    ]);
    this.missed = this.counter('kafka_records_missed_total', 'Offsets that were deleted before the group read them', [
      'group',
      'topic',
    ]);
    this.rebalances = this.counter('kafka_rebalances_total', 'Assignments received', ['group']);
    this.crashes = this.counter('kafka_consumer_crashes_total', 'Times the consumer stopped by itself', ['group']);
    this.inFlight = this.gauge('kafka_records_in_flight', 'Records being handled now', ['group']);
    this.queued = this.gauge('kafka_records_queued', 'Records fetched and not yet done', ['group']);
    this.oldestAge = this.gauge(
      'kafka_oldest_record_age_seconds',
      'Since when the oldest record fetched and not done waits',
      ['group'],
    );
    this.frontierSpan = this.gauge(
      'kafka_frontier_span_offsets',
      'From the committed frontier to the last record fetched, the largest',
      ['group'],
    );
    this.queueWait = this.histogram(
      'kafka_queue_wait_seconds',
      'From the fetch of a record to the first run of its handler',
      [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60],
      ['group'],
    );
    this.drainSeconds = this.histogram(
      'kafka_drain_seconds',
      'At a rebalance, until what ran had ended and was committed',
      [0.01, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 3],
      ['group'],
    );
    this.lag = this.gauge('kafka_partition_lag', 'Records behind the end of the partition when it was last read', [
      'group',
      'topic',
      'partition',
    ]);
    this.logRecords = this.counter('kafka_log_records_total', 'Records read without a group', ['topic']);
    this.fetchedRecords = this.histogram(
      'kafka_fetched_batch_records',
      'Records in one fetched batch',
      [1, 10, 100, 500, 1000, 5000],
      ['group'],
    );
    this.produced = this.counter('kafka_records_produced_total', 'Records by what became of them', ['result']);
    this.producedBatchRecords = this.histogram(
      'kafka_produced_batch_records',
      'Records in one produce request',
      [1, 5, 20, 50, 100, 250, 500],
      [],
    );
    this.produceSeconds = this.histogram(
      'kafka_produce_seconds',
      'From send to acknowledgement',
      [0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 2, 10],
      [],
    );
  }

  /** The gauge is read when the metrics are scraped, instead of being set with every record. */
  watch(gauge: Gauge<'group'>, group: string, read: () => number): void {
    readings.get(gauge)!.set(group, read);
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return (
      (this.registry.getSingleMetric(name) as Counter<Label> | undefined) ??
      new Counter({ name, help, labelNames, registers: [this.registry] })
    );
  }

  private gauge<Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> {
    const existing = this.registry.getSingleMetric(name) as Gauge<Label> | undefined;
    if (existing) return existing;
    const watched = new Map<string, () => number>();
    const collect = () => {
      for (const [group, read] of watched) gauge.set({ group } as unknown as Record<Label, string>, read());
    };
    const gauge: Gauge<Label> = new Gauge({ name, help, labelNames, registers: [this.registry], collect });
    readings.set(gauge, watched);
    return gauge;
  }

  private histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[],
  ): Histogram<Label> {
    return (
      (this.registry.getSingleMetric(name) as Histogram<Label> | undefined) ??
      new Histogram({ name, help, buckets, labelNames, registers: [this.registry] })
    );
  }
}
