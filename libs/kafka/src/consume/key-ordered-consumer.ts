import { atMost, type HealthRegistry, type Log } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { ConsumerClosedError } from '../errors.js';
import { KafkaMetrics } from '../kafka-metrics.js';
import { waitForKafka, type KafkaClient } from '../kafkajs/kafka-client.js';
import { topicOffsets } from '../topics/offsets.js';
import { insideTrace } from '../trace-context.js';
import type { ConsumedRecord } from './consumed-record.js';
import { GroupConsumer } from './group-consumer.js';
import { KeyOrderedPool } from './key-ordered-pool.js';
import type { Assignment } from './partition-work.js';
import { untilHandled, type HandledCall } from './until-handled.js';

export interface KeyOrderedConsumerOptions {
  client: KafkaClient;
  groupId: string;
  /** Without prefix. */
  topic: string;
  /** Put in front of `topic` on the broker, and not shown in the records (''). */
  topicPrefix?: string;
  /** Records handled at the same time at most, over all partitions. */
  inFlight: number;
  /** Where a partition begins of which the group has no commit ('earliest'). 'latest' is its end at `start()`, and is committed before anything is read. */
  from?: 'earliest' | 'latest';
  /**
   * A record is finished when it resolves; when it rejects, its key waits and the record comes again, for ever. It gets records that are
   * `unreadable` too: what becomes of them is for it to say.
   */
  handle: (record: ConsumedRecord, call: HandledCall) => Promise<void>;
  /** Called once per failure, before the wait. */
  onFailure?: (record: ConsumedRecord, failure: { error: unknown; attempt: number; retryMs: number }) => void;
  /** Records that were deleted by their age before this group read them. */
  onMissed?: (missed: { partition: number; committed: bigint; low: bigint }) => void;
  log: Log;
  metrics?: Registry;
  health?: HealthRegistry;
  /** Delay before the first repeat, milliseconds (200); it doubles up to `maxRetryDelayMs` (30,000). */
  retryDelayMs?: number;
  maxRetryDelayMs?: number;
  /** How long close() waits for handlers that run, milliseconds (10,000). */
  drainTimeoutMs?: number;
  /** A member that was not heard of for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
  /** How long members wait at a rebalance for handlers that run, milliseconds (1500, and at most half of session less heartbeat). */
  rebalanceDrainMs?: number;
}

/** A consumer group over one topic, without Nest: order within a key, `inFlight` keys at a time, a commit only behind finished records. */
export class KeyOrderedConsumer {
  private readonly metrics: KafkaMetrics;
  private readonly pool: KeyOrderedPool;
  private readonly stopping = new AbortController();
  private readonly consumer: GroupConsumer;
  /** Ends of the partitions when the group was about to be joined. */
  private ends = new Map<number, { high: bigint }>();
  /** Assigned, and not yet known where they begin. */
  private readonly unplaced = new Set<Assignment>();
  private whenPlaced: (() => void)[] = [];

  constructor(private readonly options: KeyOrderedConsumerOptions) {
    const { groupId, topic, metrics } = options;
    this.metrics = new KafkaMetrics(metrics);
    const run = untilHandled({
      ...options,
      handle: async (record, call) => {
        if (call.attempt === 1)
          this.metrics.queueWait.observe({ group: groupId }, (performance.now() - call.sinceMs) / 1000);
        await insideTrace(record, () => options.handle(record, call));
        this.metrics.handled.inc({ group: groupId, topic, result: 'done' });
      },
      onFailure: (record, failure) => {
        this.metrics.retries.inc({ group: groupId, topic, kind: 'failure' });
        options.onFailure?.(record, failure);
      },
    });
    this.pool = new KeyOrderedPool({ inFlight: options.inFlight }, run);
    this.metrics.watch(this.metrics.inFlight, groupId, () => this.pool.runningCount);
    this.consumer = new GroupConsumer({
      ...options,
      topics: [topic],
      topicPrefix: options.topicPrefix ?? '',
      metrics: this.metrics,
      assigned: (assignment) => {
        this.unplaced.add(assignment);
        assignment.signal.addEventListener('abort', () => this.placed(assignment), { once: true });
        return this.pool.workOn(assignment, async (committed, low) => {
          const start = await this.startOffset(assignment, committed, low);
          this.placed(assignment);
          return start;
        });
      },
    });
  }

  /**
   * Resolves when the group has been joined and it is settled where it begins. Rejects with UnknownTopicError if the topic does not exist,
   * with ConsumerClosedError when it is closed meanwhile.
   */
  async start(): Promise<void> {
    const { client, log, topic, topicPrefix = '', from } = this.options;
    await waitForKafka(client, { log, signal: this.stopping.signal });
    if (from === 'latest') this.ends = await topicOffsets(client, topicPrefix + topic);
    await this.consumer.start();
    if (this.unplaced.size > 0) await new Promise<void>((resolve) => this.whenPlaced.push(resolve));
    this.stopping.signal.throwIfAborted();
  }

  /** No new work, handlers that run may end until the deadline, then commit and leave the group. */
  async close(): Promise<void> {
    this.stopping.abort(
      new ConsumerClosedError(`consumer group ${this.options.groupId} was closed before it had started`),
    );
    const deadlineMs = this.options.drainTimeoutMs ?? 10_000;
    // What a handler of an assignment that has ended still does may need what its owner closes after this.
    await Promise.all([this.consumer.close({ deadlineMs }), atMost(deadlineMs, this.pool.settled())]);
  }

  private placed(assignment: Assignment): void {
    this.unplaced.delete(assignment);
    if (this.unplaced.size === 0) for (const resolve of this.whenPlaced.splice(0)) resolve();
  }

  private async startOffset(
    assignment: Assignment,
    committed: bigint | undefined,
    low: bigint,
  ): Promise<bigint | undefined> {
    const { partition } = assignment;
    const { from, onMissed } = this.options;
    if (committed !== undefined) {
      if (committed >= low) return undefined;
      onMissed?.({ partition, committed, low });
      return undefined;
    }
    if (from !== 'latest') return undefined;
    const start = this.ends.get(partition)?.high ?? low;
    // Otherwise a member that is started again before its first record would begin at another end, and what came meanwhile would be lost.
    await this.consumer.commitStart(assignment, start);
    return start;
  }
}
