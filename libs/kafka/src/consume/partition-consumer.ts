import { atMost, type HealthRegistry, type Log } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { KafkaMetrics } from '../kafka-metrics.js';
import type { KafkaClient } from '../kafkajs/kafka-client.js';
import { assertReadable, type ConsumedRecord } from './consumed-record.js';
import { GroupConsumer } from './group-consumer.js';
import { InOrderWork } from './in-order-work.js';
import { logBatchFailure } from './log-batch-failure.js';
import type { Assignment, PartitionWork } from './partition-work.js';

export interface PartitionConsumerOptions {
  client: KafkaClient;
  groupId: string;
  topic: string;
  /** Prefix of `topic` on the broker (''); records have the name without it. */
  topicPrefix?: string;
  log: Log;
  metrics?: Registry;
  health?: HealthRegistry;
  maxBatchRecords?: number;
  /** Session timeout: a member that sends no heartbeat for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
  /** Milliseconds that a rebalance waits for the running batch (1500; at most half of session timeout minus heartbeat interval). */
  rebalanceDrainMs?: number;
  /** Maximum bytes of one partition in one fetch (1 MiB). A higher value speeds up reading a long log. */
  maxBytesPerPartition?: number;
  /** Returns true for a rejection that is only a wait; its retry is then not logged as an error (none). */
  isWait?: (error: unknown) => boolean;
  /**
   * Called for each assignment of a partition; returns the handler of its records until the assignment ends. `signal` aborts when the
   * partition may be taken away; a batch that ends soon after still counts.
   */
  assigned: (partition: number, signal: AbortSignal) => PartitionHandler;
}

export interface PartitionHandler {
  /**
   * Called with records in offset order, one call at a time per partition. The batch is committed when it resolves. If it rejects, the same
   * batch is retried with a growing delay, without limit.
   */
  onBatch(records: ConsumedRecord[]): Promise<void>;
  /**
   * Returns the start offset; undefined means the committed one or, without a commit, `low`, the first offset that the log still has. A
   * value below `low` means `low`. The assignment may end meanwhile: check its `signal` after each await, before changing anything.
   */
  startOffset?(committed: bigint | undefined, low: bigint): Promise<bigint | undefined>;
}

/** A consumer group over one topic that handles each partition strictly in order, in batches, and never skips a record. */
export class PartitionConsumer {
  private readonly metrics: KafkaMetrics;
  private readonly consumer: GroupConsumer;
  /** The latest run of each partition. A new assignment begins only when the previous run has ended. */
  private readonly runs = new Map<number, Promise<void>>();

  constructor(private readonly options: PartitionConsumerOptions) {
    this.metrics = new KafkaMetrics(options.metrics);
    this.consumer = new GroupConsumer({
      ...options,
      topics: [options.topic],
      topicPrefix: options.topicPrefix ?? '',
      metrics: this.metrics,
      assigned: (assignment) => this.workOn(assignment),
    });
  }

  /**
   * Resolves when the group has been joined.
   * @throws UnknownTopicError if the topic does not exist
   */
  start(): Promise<void> {
    return this.consumer.start();
  }

  async close({ deadlineMs = 10_000 }: { deadlineMs?: number } = {}): Promise<void> {
    // Begins first, because closing ends the runs. A batch of an ended assignment may still use resources that the owner closes next.
    const closing = this.consumer.close({ deadlineMs });
    await Promise.all([closing, atMost(deadlineMs, Promise.allSettled(this.runs.values()))]);
  }

  private workOn(assignment: Assignment): PartitionWork {
    const { topic, partition, signal } = assignment;
    const { log, groupId, assigned, isWait, maxBatchRecords = 1000 } = this.options;
    const handler = assigned(partition, signal);
    const work = new InOrderWork(assignment, {
      maxBatchRecords,
      ...(handler.startOffset && { startOffset: (committed, low) => handler.startOffset!(committed, low) }),
      onBatch: async (records) => {
        assertReadable(records);
        await handler.onBatch(records);
        this.metrics.handled.inc({ group: groupId, topic, result: 'done' }, records.length);
      },
      onFailure: ({ records, attempt, retryMs, error }) => {
        this.metrics.retries.inc({ group: groupId, topic, kind: 'batch' });
        const firstOffset = String(records[0]?.offset);
        logBatchFailure(log, {
          error,
          hasEnded: signal.aborted,
          isWait: isWait?.(error) ?? false,
          fields: { groupId, topic, partition, firstOffset, records: records.length, attempt, retryMs },
        });
      },
    });
    const before = this.runs.get(partition) ?? Promise.resolve();
    this.runs.set(
      partition,
      before.then(() => work.run()),
    );
    return work;
  }
}
