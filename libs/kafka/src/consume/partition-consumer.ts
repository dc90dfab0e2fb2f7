import { atMost, type HealthRegistry, type Log } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { KafkaMetrics } from '../kafka-metrics.js';
import type { KafkaClient } from '../kafkajs/kafka-client.js';
import { assertReadable, type ConsumedRecord } from './consumed-record.js';
import { GroupConsumer } from './group-consumer.js';
import { InOrderWork } from './in-order-work.js';
import { logBatchFailure } from './log-batch-failure.js';
import type { Assignment, PartitionWork } from './partition-work.js';
import type { TailBuffer } from './tail-buffer.js';

export interface PartitionConsumerOptions {
  client: KafkaClient;
  groupId: string;
  topic: string;
  /** Put in front of `topic` on the broker, and not shown in the records (''). */
  topicPrefix?: string;
  log: Log;
  metrics?: Registry;
  health?: HealthRegistry;
  /** Records in one batch at most (1000). */
  maxBatchRecords?: number;
  /** A member that was not heard of for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
  /** How long members wait at a rebalance for the batch that runs, milliseconds (1500, and at most half of session less heartbeat). */
  rebalanceDrainMs?: number;
  /** Bytes of one partition in one fetch at most (1 MiB); more where much is to be read at once. */
  maxBytesPerPartition?: number;
  /** What the topic's tail in this process has read: only what it does not reach is fetched. */
  tail?: TailBuffer;
  /** Whether a batch that was rejected with this only has to wait: then its repeat is no error in the log (none). */
  isWait?: (error: unknown) => boolean;
  /**
   * Called whenever a partition is assigned, again when it comes back: who handles its records until the assignment ends. `signal` aborts
   * when the partition may be taken away: a batch that ends soon after still counts.
   */
  assigned: (partition: number, signal: AbortSignal) => PartitionHandler;
}

/** Handles one assignment of a partition. */
export interface PartitionHandler {
  /**
   * Called with records in offset order, never twice at a time for a partition. The batch is committed when it resolves; when it rejects,
   * the same batch comes again after a delay, for ever.
   */
  onBatch(records: ConsumedRecord[]): Promise<void>;
  /**
   * The offset to begin at; undefined means the committed one, or `low`, the earliest there is. Below `low` means `low`. It may be answered
   * after the assignment has ended: check `signal` after whatever it awaits, before it changes anything.
   */
  startOffset?(committed: bigint | undefined, low: bigint): Promise<bigint | undefined>;
}

/** A consumer group over one topic that handles each partition strictly in order, in batches, and never skips a record. */
export class PartitionConsumer {
  private readonly metrics: KafkaMetrics;
  private readonly consumer: GroupConsumer;
  /** The latest run of each partition: a new assignment begins when the one before has come to its end. */
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

  /** Resolves when the group has been joined; rejects with UnknownTopicError if the topic does not exist. */
  start(): Promise<void> {
    return this.consumer.start();
  }

  /** Lets running batches end until the deadline, commits, and leaves the group. */
  async close({ deadlineMs = 10_000 }: { deadlineMs?: number } = {}): Promise<void> {
    // The runs last, for the close is what ends them. What a batch of an assignment that has ended still does may need what its owner closes after this.
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
