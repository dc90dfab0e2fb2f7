import { atMost, type HealthRegistry, type Log, pauseFor } from '@tranche/runtime';
import { ConsumerClosedError, UnknownTopicError } from '../errors.js';
import type { KafkaMetrics } from '../kafka-metrics.js';
import { ConsumerRunner } from '../kafkajs/consumer-runner.js';
import { drainingAssigner } from '../kafkajs/draining-assigner.js';
import { FetchPace } from '../kafkajs/fetch-pace.js';
import { kafkaOf, type KafkaClient } from '../kafkajs/kafka-client.js';
import { byTopic, fetchedOf, KafkajsPort } from '../kafkajs/kafkajs-port.js';
import type { Consumer, EachBatchPayload } from '../kafkajs/kafkajs.js';
import { missingTopics } from '../topics/topics.js';
import { consumedRecord } from './consumed-record.js';
import { GroupWork } from './group-work.js';
import type { Assignment, PartitionWork } from './partition-work.js';
import type { Partitions } from './sticky-plan.js';

export interface GroupConsumerOptions {
  client: KafkaClient;
  groupId: string;
  /** Without prefix. All members of a group must name the same topics: the leader plans with its own. */
  topics: readonly string[];
  topicPrefix: string;
  log: Log;
  metrics: KafkaMetrics;
  health?: HealthRegistry;
  /** A member that was not heard of for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
  /** How long members wait at a rebalance for what runs, milliseconds (1500, and at most half of session less heartbeat). */
  rebalanceDrainMs?: number;
  /** Bytes of one partition in one fetch at most (1 MiB); a larger record comes alone. */
  maxBytesPerPartition?: number;
  assigned: (assignment: Assignment) => PartitionWork;
}

/** When every partition is paused kafkajs sleeps this long before its next heartbeat or its end. */
const maxWaitTimeMs = 250;
/** A fetch for a partition that was given back has no assignment; kafkajs goes on with it for so long only if it forgot to join. */
const forgottenJoinMs = 3_000;
const lookAgainMs = 50;
const mebibyte = 1024 * 1024;
const fetchEveryMs = 5;

/**
 * The group's work on kafkajs. That one has no heartbeat of its own and its fetch loop waits for `eachBatch`, so a batch is only put
 * into the partition's work and the loop goes on; the work runs apart.
 */
export class GroupConsumer {
  private readonly consumer: Consumer;
  private readonly runner: ConsumerRunner;
  private readonly port: KafkajsPort;
  private readonly work: GroupWork;
  private readonly drainMs: number;
  private readonly pace: FetchPace;
  /** Under way. kafkajs repeats them by itself, after a join as a member of the new generation: so it must not join meanwhile. */
  private startCommits = 0;
  private drain: 'none' | 'running' | 'done' = 'none';
  private lastOwned: Partitions = {};
  private withoutGroupSinceMs = performance.now();
  private notReady: string | undefined = 'has not joined its consumer group yet';
  private crashed: string | undefined;

  constructor(private readonly options: GroupConsumerOptions) {
    const { client, groupId, sessionTimeoutMs: sessionTimeout = 10_000, maxBytesPerPartition = mebibyte } = options;
    const heartbeatInterval = Math.min(500, Math.floor(sessionTimeout / 3));
    this.drainMs = Math.min(options.rebalanceDrainMs ?? 1500, (sessionTimeout - heartbeatInterval) / 2);
    this.consumer = kafkaOf(client).consumer({
      groupId,
      sessionTimeout,
      heartbeatInterval,
      rebalanceTimeout: Math.max(10_000, sessionTimeout),
      maxWaitTimeInMs: maxWaitTimeMs,
      maxBytesPerPartition,
      maxBytes: Math.max(10 * mebibyte, 4 * maxBytesPerPartition),
      allowAutoTopicCreation: false,
      partitionAssigners: [drainingAssigner({ isDrained: () => this.isDrained(), owned: () => this.lastOwned })],
      // The pauses of a join that waits for the drain are among these, so they are short and many.
      retry: { initialRetryTime: 50, multiplier: 1.5, maxRetryTime: 500, retries: 120 },
    });
    this.port = new KafkajsPort({ ...options, consumer: this.consumer });
    this.work = new GroupWork({ ...options, port: this.port });
    this.runner = this.runnerOf(this.consumer);
    this.pace = new FetchPace(this.consumer, fetchEveryMs);
    options.health?.addReadiness(`kafka group ${groupId}`, () => this.notReady);
    options.health?.addLiveness(`kafka group ${groupId}`, () => this.crashed);
    const { metrics } = options;
    metrics.watch(metrics.queued, groupId, () => this.work.backlog().records);
    metrics.watch(metrics.frontierSpan, groupId, () => this.work.backlog().span);
    metrics.watch(metrics.oldestAge, groupId, () => (performance.now() - (this.work.backlog().oldestSinceMs ?? performance.now())) / 1000);
  }

  /**
   * Resolves when the group has been joined. Rejects with UnknownTopicError if a topic does not exist, with ConsumerClosedError when it
   * is closed meanwhile; no member is left behind then.
   */
  start(): Promise<void> {
    const { client, groupId } = this.options;
    return this.runner.start(async () => {
      const missing = await missingTopics(client, this.names());
      if (missing.length > 0) throw new UnknownTopicError(missing, `consumer group ${groupId}`);
    });
  }

  /** Takes nothing new, lets what runs end until the deadline, commits, and leaves the group. */
  async close({ deadlineMs = 10_000 }: { deadlineMs?: number } = {}): Promise<void> {
    this.notReady = 'is stopping';
    await this.runner.stop(async () => {
      for (const partition of this.work.partitions) this.port.pause(partition);
      await this.drained(deadlineMs);
      this.work.end();
    });
  }

  pauseTopics(topics: Iterable<string>): void {
    this.work.pauseTopics(topics);
  }

  resumeTopics(topics: Iterable<string>): void {
    this.work.resumeTopics(topics);
  }

  /**
   * Where a partition begins that no member of the group has read yet; before its first record is fetched.
   * @throws once the assignment has ended: the broker would take the commit from any member of the group, whichever has the partition now.
   */
  async commitStart({ topic, partition, signal }: Assignment, offset: bigint): Promise<void> {
    signal.throwIfAborted();
    this.startCommits++;
    try {
      await this.consumer.commitOffsets([{ topic: this.options.topicPrefix + topic, partition, offset: String(offset) }]);
    } finally {
      this.startCommits--;
    }
  }

  private take(fetched: EachBatchPayload): Promise<void> {
    const { batch } = fetched;
    if (this.runner.isStopping || fetched.isStale()) return Promise.resolve();
    const { metrics, groupId, topicPrefix } = this.options;
    this.port.fetched(fetched);
    const topic = batch.topic.slice(topicPrefix.length);
    const { partition } = batch;
    if (this.drain !== 'none') return this.withoutGroup();
    const last = this.work.take(
      { topic, partition },
      batch.messages.map((message) => consumedRecord(topic, partition, message)),
      fetchedOf(batch),
    );
    if (last === undefined) return Promise.resolve();
    metrics.fetchedRecords.observe({ group: groupId }, batch.messages.length);
    metrics.lag.set({ group: groupId, topic, partition }, Number(batch.offsetLag()));
    fetched.resolveOffset(String(last));
    return this.pace.keep();
  }

  /**
   * Another broker's fetch may come in while the group is joined. Without end it must not: kafkajs forgets a join whose connection
   * broke and only fetches on. What the broker says at a rebalance makes it join.
   */
  private withoutGroup(): Promise<void> {
    if (performance.now() - this.withoutGroupSinceMs < forgottenJoinMs) return pauseFor(lookAgainMs);
    this.withoutGroupSinceMs = performance.now();
    this.notReady = 'has lost its consumer group';
    const error = new Error('fetching goes on without the group having been joined again');
    return Promise.reject(Object.assign(error, { type: 'REBALANCE_IN_PROGRESS' }));
  }

  private isDrained(): boolean {
    if (this.runner.isJoiningInVain) throw new ConsumerClosedError('the consumer was closed while it joined its group');
    if (this.drain === 'none') {
      const owned = this.work.partitions;
      this.lastOwned = byTopic(owned, this.options.topicPrefix);
      this.withoutGroupSinceMs = performance.now();
      if (owned.length === 0) return this.startCommits === 0;
      const startedMs = performance.now();
      this.drain = 'running';
      void this.drained(this.drainMs).then(() => {
        this.options.metrics.drainSeconds.observe({ group: this.options.groupId }, (performance.now() - startedMs) / 1000);
        this.drain = 'done';
      });
    }
    if (this.drain !== 'done' || this.startCommits > 0) return false;
    this.work.end();
    return true;
  }

  private async drained(deadlineMs: number): Promise<void> {
    try {
      // The commits within wait for Kafka, which may be away.
      await atMost(deadlineMs + 1000, this.work.drain(deadlineMs));
    } catch (error) {
      this.options.log.warn({ groupId: this.options.groupId, error: String(error) }, 'giving partitions back was disturbed');
    }
  }

  private afterJoin(memberAssignment: Record<string, number[]>): void {
    const { topicPrefix, log, metrics, groupId } = this.options;
    this.drain = 'none';
    this.work.end();
    this.port.begin();
    if (this.runner.isStopping) return;
    metrics.rebalances.inc({ group: groupId });
    const partitions = Object.entries(memberAssignment).flatMap(([name, numbers]) =>
      numbers.map((partition) => ({ topic: name.slice(topicPrefix.length), partition })),
    );
    this.notReady = undefined;
    log.info({ groupId, partitions: memberAssignment }, 'joined the consumer group');
    void this.work.join(partitions);
  }

  /** At the end, or before a crash is reported, which waits until all connections are closed: from here on the partitions belong to others. */
  private afterStop(): void {
    this.work.end();
    this.port.end();
    if (!this.runner.isStopping) this.notReady = 'has lost its consumer group';
  }

  private afterCrash(error: Error, comesBack: boolean): void {
    const { groupId, metrics, log } = this.options;
    this.afterStop();
    metrics.crashes.inc({ group: groupId });
    if (comesBack) return log.warn({ groupId, error: String(error) }, 'the consumer stopped and starts again');
    this.crashed = `the consumer crashed: ${error.message}`;
    log.error({ groupId, error: String(error) }, 'the consumer crashed and will not come back by itself');
  }

  private runnerOf(consumer: Consumer): ConsumerRunner {
    const { groupId, log } = this.options;
    return new ConsumerRunner({
      consumer,
      name: `consumer group ${groupId}`,
      topics: this.names(),
      eachBatch: (fetched) => this.take(fetched),
      onJoin: (memberAssignment) => this.afterJoin(memberAssignment),
      onStop: () => this.afterStop(),
      onCrash: (error, comesBack) => this.afterCrash(error, comesBack),
      onLost: (error) => void (this.crashed = `the consumer did not start again: ${String(error)}`),
      log,
    });
  }

  /** With prefix. */
  private names(): string[] {
    return this.options.topics.map((topic) => this.options.topicPrefix + topic);
  }
}
