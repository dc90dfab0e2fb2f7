import type { Registry } from 'prom-client';
import { backOffMs, pauseFor } from './back-off.js';
import { bytesOf, type ConsumedRecord } from './consumed-record.js';
import { GroupConsumer } from './group-consumer.js';
import type { KafkaClient } from './kafka-client.js';
import type { KafkaHealth, KafkaLog } from './kafka-log.js';
import { KafkaMetrics } from './kafka-metrics.js';
import type { Assignment, PartitionWork } from './partition-work.js';

export interface PartitionConsumerOptions {
  client: KafkaClient;
  groupId: string;
  topic: string;
  /** Put in front of `topic` on the broker, and not shown in the records (''). */
  topicPrefix?: string;
  log: KafkaLog;
  metrics?: Registry;
  health?: KafkaHealth;
  /** Records in one batch at most (1000). */
  maxBatchRecords?: number;
  /** A member that was not heard of for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
  /**
   * Called with the records of one partition in offset order, never twice at a time for a partition. The batch is committed when it
   * resolves; when it rejects, the same batch comes again after a delay, for ever. `signal` aborts when the partition is taken away.
   */
  onBatch: (partition: number, records: ConsumedRecord[], context: { signal: AbortSignal }) => Promise<void>;
  /** Asked whenever a partition is assigned: the offset to begin at; undefined means the committed one, or the earliest there is. */
  startOffset?: (partition: number, committed: bigint | undefined) => Promise<bigint | undefined>;
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
  close(options?: { deadlineMs?: number }): Promise<void> {
    return this.consumer.close(options);
  }

  private workOn(assignment: Assignment): PartitionWork {
    const work = new InOrderWork(assignment, this.options.maxBatchRecords ?? 1000, (records) => this.handle(assignment, records));
    const before = this.runs.get(assignment.partition) ?? Promise.resolve();
    this.runs.set(
      assignment.partition,
      before.then(() => work.run()),
    );
    return work;
  }

  /** True when handled; false when the partition was taken away first. */
  private async handle({ topic, partition, signal }: Assignment, records: ConsumedRecord[]): Promise<boolean> {
    const { log, groupId, onBatch } = this.options;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await onBatch(partition, records, { signal });
        this.metrics.handled.inc({ group: groupId, topic, result: 'done' }, records.length);
        return true;
      } catch (error) {
        const retryMs = backOffMs(attempt, { firstMs: 100, maxMs: 10_000 });
        const firstOffset = String(records[0]?.offset);
        this.metrics.retries.inc({ group: groupId, topic, kind: 'batch' });
        log.error(
          { groupId, topic, partition, firstOffset, records: records.length, attempt, retryMs, error: String(error) },
          'a batch failed; it comes again',
        );
        await pauseFor(retryMs, signal);
      }
    }
    return false;
  }
}

class InOrderWork implements PartitionWork {
  private waiting: ConsumedRecord[] = [];
  private bytes = 0;
  private next: bigint | undefined;
  private wake: () => void = () => undefined;
  private isRunning = false;
  private whenSettled: (() => void)[] = [];

  constructor(
    private readonly assignment: Assignment,
    private readonly maxBatchRecords: number,
    private readonly handle: (records: ConsumedRecord[]) => Promise<boolean>,
  ) {
    assignment.signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  async run(): Promise<void> {
    while (!this.assignment.signal.aborted) {
      const batch = this.waiting.slice(0, this.maxBatchRecords);
      if (batch.length === 0) {
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      this.isRunning = true;
      const isHandled = await this.handle(batch);
      this.isRunning = false;
      if (isHandled) this.finish(batch);
    }
    for (const resolve of this.whenSettled.splice(0)) resolve();
  }

  add(records: ConsumedRecord[]): void {
    this.waiting.push(...records);
    for (const record of records) this.bytes += bytesOf(record);
    this.wake();
  }

  frontier(): bigint | undefined {
    return this.next;
  }

  backlog(): { records: number; bytes: number } {
    return { records: this.waiting.length, bytes: this.bytes };
  }

  settled(): Promise<void> {
    if (!this.isRunning) return Promise.resolve();
    return new Promise((resolve) => this.whenSettled.push(resolve));
  }

  private finish(batch: ConsumedRecord[]): void {
    this.waiting.splice(0, batch.length);
    for (const record of batch) this.bytes -= bytesOf(record);
    this.next = batch[batch.length - 1]!.offset + 1n;
    this.assignment.progress();
  }
}
