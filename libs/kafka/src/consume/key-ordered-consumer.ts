import { atMost } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { ConsumerClosedError } from '../errors.js';
import { kafkaMetrics, type KafkaMetrics } from '../kafka-metrics.js';
import { waitForKafka } from '../kafkajs/kafka-client.js';
import { topicOffsets, type TopicBounds } from '../topics/offsets.js';
import { insideTrace } from '../kafkajs/record-headers.js';
import { GroupConsumer, type GroupConsumerOptions } from './group-consumer.js';
import { KeyOrderedPool, untilHandled, type UntilHandledOptions } from '../core/key-ordered-pool.js';
import type { Assignment } from '../core/group-port.js';

export interface KeyOrderedConsumerOptions
  extends
    UntilHandledOptions,
    Pick<GroupConsumerOptions, 'client' | 'groupId' | 'log' | 'health' | 'sessionTimeoutMs' | 'rebalanceDrainMs'> {
  /** Topic name without prefix. */
  topic: string;
  /** Prefix of `topic` on the broker (''); records have the name without it. */
  topicPrefix?: string;
  /** Maximum records handled concurrently. */
  inFlight: number;
  /** Start of a partition without a commit ('earliest'). 'latest' is its end at `start()`, committed before the first read. */
  from?: 'earliest' | 'latest';
  /** Called if retention deleted records before this group read them. */
  onMissed?: (missed: { partition: number; committed: bigint; low: bigint }) => void;
  metrics?: Registry;
  /** Milliseconds that close() waits for running handlers (10,000). */
  drainTimeoutMs?: number;
}

/**
 * A consumer group over one topic, without Nest: keys run concurrently, the records of one key in order, and only finished ones are
 * committed.
 */
export class KeyOrderedConsumer {
  private readonly metrics: KafkaMetrics;
  private readonly pool: KeyOrderedPool;
  private readonly stopping = new AbortController();
  private readonly consumer: GroupConsumer;
  private ends = new Map<number, TopicBounds>();
  private readonly unplaced = new Set<Assignment>();
  private whenPlaced: (() => void)[] = [];

  constructor(private readonly options: KeyOrderedConsumerOptions) {
    const { groupId, topic, metrics } = options;
    this.metrics = kafkaMetrics(metrics);
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
        return this.pool.workOn(assignment, async (committed, low, topicId) => {
          const start = await this.startOffset(assignment, committed, low, topicId);
          this.placed(assignment);
          return start;
        });
      },
    });
  }

  /**
   * Resolves when the group has been joined and each partition has its start offset.
   * @throws UnknownTopicError if the topic does not exist
   * @throws ConsumerClosedError if it is closed meanwhile
   */
  async start(): Promise<void> {
    const { client, log, topic, topicPrefix = '', from } = this.options;
    await waitForKafka(client, { log, signal: this.stopping.signal });
    if (from === 'latest') this.ends = await topicOffsets(client, topicPrefix + topic);
    await this.consumer.start();
    if (this.unplaced.size > 0) await new Promise<void>((resolve) => this.whenPlaced.push(resolve));
    this.stopping.signal.throwIfAborted();
  }

  async close(): Promise<void> {
    this.stopping.abort(
      new ConsumerClosedError(`consumer group ${this.options.groupId} was closed before it had started`),
    );
    const deadlineMs = this.options.drainTimeoutMs ?? 10_000;
    // A handler of an ended assignment may still use resources that the owner closes after this call.
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
    topicId: string | undefined,
  ): Promise<bigint | undefined> {
    const { partition } = assignment;
    const { from, onMissed } = this.options;
    if (committed !== undefined) {
      if (committed >= low) return undefined;
      onMissed?.({ partition, committed, low });
      return undefined;
    }
    if (from !== 'latest') return undefined;
    const end = this.ends.get(partition);
    // A topic that was made anew since has no records of before the start.
    const start = end?.topicId === topicId ? (end?.high ?? low) : low;
    // Otherwise a member that restarts before its first record would begin at a later end, and lose the records in between.
    await this.consumer.commitStart(assignment, start);
    return start;
  }
}
