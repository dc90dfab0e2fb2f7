import { combinations } from '@tranche/runtime';
import { Counter, Gauge, Histogram, Registry, type GaugeConfiguration } from 'prom-client';

/** Codes of the dead letters that this library writes by itself; handlers throw further ones. */
const OWN_CODES = ['unreadable_batch', 'unknown_type', 'handler_failed'] as const;

const readings = new WeakMap<Gauge, Map<string, () => number>>();

export type KafkaMetrics = ReturnType<typeof kafkaMetrics>;

/** Metrics of this library. Consumers and producers of a process share them, each with its own label. */
export function kafkaMetrics(registry: Registry = new Registry()) {
  const counter = <L extends string>(name: string, help: string, labels: L[]) =>
    counterOf(registry, name, help, labels);
  const gauge = (name: string, help: string, labelNames: ['group']) =>
    existing(registry, name, () => watchedGauge({ name, help, labelNames, registers: [registry] }));
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[]) =>
    existing(registry, name, () => new Histogram({ name, help, buckets, labelNames, registers: [registry] }));
  const deadLetters = counter('kafka_dead_letters_total', 'Records written to the dead-letter topic', [
    'group',
    'topic',
    'code',
  ]);
  const missed = counter('kafka_records_missed_total', 'Offsets that were deleted before the group read them', [
    'group',
    'topic',
  ]);
  const replaced = counter(
    'kafka_logs_replaced_total',
    'Partitions read from their beginning, because their topic was deleted and made again, or cut',
    ['group', 'topic'],
  );
  const crashes = counter('kafka_consumer_crashes_total', 'Times the consumer stopped by itself', ['group']);
  return {
    handled: counter('kafka_records_handled_total', 'Records whose handling ended', ['group', 'topic', 'result']),
    retries: counter('kafka_record_retries_total', 'Repeats of a handler, by kind of error', [
      'group',
      'topic',
      'kind',
    ]),
    deadLetters,
    missed,
    replaced,
    rebalances: counter('kafka_rebalances_total', 'Assignments received', ['group']),
    crashes,
    /** Counters that alerts read are there from the start, at 0, because `increase` does not see one that begins with 1. */
    fromZero(group: string, topic: readonly string[]) {
      for (const series of combinations({ group: [group], topic, code: OWN_CODES })) deadLetters.inc(series, 0);
      for (const series of combinations({ group: [group], topic })) {
        missed.inc(series, 0);
        replaced.inc(series, 0);
      }
      crashes.inc({ group }, 0);
    },
    inFlight: gauge('kafka_records_in_flight', 'Records being handled now', ['group']),
    queued: gauge('kafka_records_queued', 'Records fetched and not yet done', ['group']),
    oldestAge: gauge('kafka_oldest_record_age_seconds', 'Since when the oldest record fetched and not done waits', [
      'group',
    ]),
    frontierSpan: gauge(
      'kafka_frontier_span_offsets',
      'From the committed frontier to the last record fetched, the largest',
      ['group'],
    ),
    queueWait: histogram(
      'kafka_queue_wait_seconds',
      'From the fetch of a record to the first run of its handler',
      [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60],
      ['group'],
    ),
    drainSeconds: histogram(
      'kafka_drain_seconds',
      'At a rebalance, until what ran had ended and was committed',
      [0.01, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 3],
      ['group'],
    ),
    lag: existing(registry, 'kafka_partition_lag', (name) => {
      const help = 'Records behind the end of the partition when it was last read';
      return new Gauge({ name, help, labelNames: ['group', 'topic', 'partition'], registers: [registry] });
    }),
    logRecords: counter('kafka_log_records_total', 'Records read without a group', ['topic']),
    fetchedRecords: histogram(
      'kafka_fetched_batch_records',
      'Records in one fetched batch',
      [1, 10, 100, 500, 1000, 5000],
      ['group'],
    ),
    produced: counter('kafka_records_produced_total', 'Records by what became of them', ['result']),
    producedBatchRecords: histogram(
      'kafka_produced_batch_records',
      'Records in one produce request',
      [1, 5, 20, 50, 100, 250, 500],
      [],
    ),
    produceSeconds: histogram(
      'kafka_produce_seconds',
      'From send to acknowledgement',
      [0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 2, 10],
      [],
    ),
    /** The gauge is read when the metrics are scraped, instead of being set with every record. */
    watch: (watched: Gauge<'group'>, group: string, read: () => number) => void readings.get(watched)!.set(group, read),
  };
}

export function counterOf<L extends string>(registry: Registry, name: string, help: string, labelNames: L[]) {
  return existing(registry, name, () => new Counter({ name, help, labelNames, registers: [registry] }));
}

function watchedGauge(options: GaugeConfiguration<'group'>): Gauge<'group'> {
  const watched = new Map<string, () => number>();
  const collect = () => {
    for (const [group, read] of watched) gauge.set({ group }, read());
  };
  const gauge = new Gauge({ ...options, collect });
  readings.set(gauge, watched);
  return gauge;
}

function existing<M>(registry: Registry, name: string, make: (name: string) => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make(name);
}
