import kafkajs, { type Consumer, type ConsumerCrashEvent, type EachBatchPayload, type Offsets, type PartitionAssigner } from 'kafkajs';
import { backOffMs, pauseFor, atMost } from './back-off.js';
import { consumedRecord } from './consumed-record.js';
import { UnknownTopicError } from './errors.js';
import { kafkaOf, type KafkaClient } from './kafka-client.js';
import type { KafkaHealth, KafkaLog } from './kafka-log.js';
import type { KafkaMetrics } from './kafka-metrics.js';
import { startsOf } from './offsets.js';
import type { Assignment, PartitionWork } from './partition-work.js';
import { missingTopics } from './topics.js';

export interface GroupConsumerOptions {
  client: KafkaClient;
  groupId: string;
  /** Without prefix. All members of a group must name the same topics: the leader plans with its own. */
  topics: readonly string[];
  topicPrefix: string;
  log: KafkaLog;
  metrics: KafkaMetrics;
  health?: KafkaHealth;
  /** A member that was not heard of for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
  assigned: (assignment: Assignment) => PartitionWork;
  /** Asked on assignment: where to begin instead of at the committed offset. */
  startOffset?: (partition: number, committed: bigint | undefined) => Promise<bigint | undefined>;
}

interface Held {
  assignment: Assignment;
  work: PartitionWork;
  end: AbortController;
  /** False until the offset to begin at is known. */
  isPlaced: boolean;
  isPaused: boolean;
  committed: bigint | undefined;
}

type CommitOffsets = (offsets: Offsets) => Promise<void>;

const maxWaitTimeMs = 250;
const commitEveryMs = 100;
/** A partition stops fetching above the first mark and goes on below the second. */
const fullRecords = 1000;
const fullBytes = 16 * 1024 * 1024;
const resumeAt = 0.5;

/**
 * Membership of a consumer group. kafkajs has no heartbeat of its own and its fetch loop waits for `eachBatch`, so a batch is only
 * put into the partition's work and the loop goes on; the work runs apart and its frontier is committed every 100 ms.
 * Each assignment is an epoch: what it finishes after its end is committed by nobody, for the broker would accept it from any
 * member of the group and rewind the partition's new owner.
 */
export class GroupConsumer {
  private readonly consumer: Consumer;
  private held = new Map<string, Held>();
  private commitOffsets: CommitOffsets | undefined;
  private committing = Promise.resolve();
  private commitTimer: NodeJS.Timeout | undefined;
  private isStopping = false;
  private isRunning = false;
  private notReady: string | undefined = 'has not joined its consumer group yet';
  private crashed: string | undefined;

  constructor(private readonly options: GroupConsumerOptions) {
    const sessionTimeout = options.sessionTimeoutMs ?? 10_000;
    this.consumer = kafkaOf(options.client).consumer({
      groupId: options.groupId,
      sessionTimeout,
      heartbeatInterval: Math.min(1000, Math.floor(sessionTimeout / 3)),
      rebalanceTimeout: Math.max(30_000, sessionTimeout),
      maxWaitTimeInMs: maxWaitTimeMs,
      allowAutoTopicCreation: false,
      partitionAssigners: [this.assignerThatTellsOfJoins()],
      retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 30 },
    });
    options.health?.addReadiness(`kafka group ${options.groupId}`, () => this.notReady);
    options.health?.addLiveness(`kafka group ${options.groupId}`, () => this.crashed);
  }

  /** Resolves when the group has been joined; rejects with UnknownTopicError before that if a topic does not exist. */
  async start(): Promise<void> {
    const { client, groupId, topics, topicPrefix } = this.options;
    const names = topics.map((topic) => topicPrefix + topic);
    const missing = await missingTopics(client, names);
    if (missing.length > 0) throw new UnknownTopicError(missing, `consumer group ${groupId}`);
    this.consumer.on('consumer.group_join', ({ payload }) => this.afterJoin(payload.memberAssignment));
    this.consumer.on('consumer.crash', (event) => this.afterCrash(event));
    await this.consumer.connect();
    this.isRunning = true;
    await this.consumer.subscribe({ topics: names, fromBeginning: true });
    await this.consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: (payload) => this.take(payload) });
  }

  /** Takes nothing new, lets what runs end until the deadline, commits, and leaves the group. */
  async close({ deadlineMs = 10_000 }: { deadlineMs?: number } = {}): Promise<void> {
    this.isStopping = true;
    this.notReady = 'is stopping';
    const works = [...this.held.values()];
    for (const { assignment, end } of works) {
      this.pause(assignment);
      end.abort();
    }
    await atMost(deadlineMs, Promise.all(works.map(({ work }) => work.settled())));
    clearTimeout(this.commitTimer);
    await this.committing;
    await this.commit();
    this.held.clear();
    if (!this.isRunning) return;
    // While Kafka is away kafkajs does not come out of its retries; the process must still be able to stop.
    await atMost(
      5000,
      this.consumer.disconnect().catch((error: unknown) => this.options.log.debug({ error: String(error) }, 'leaving the group failed')),
    );
  }

  private take(fetched: EachBatchPayload): Promise<void> {
    const { batch } = fetched;
    const held = this.held.get(placeOf(batch.topic, batch.partition));
    if (!held?.isPlaced || this.isStopping || fetched.isStale()) return Promise.resolve();
    const { groupId, metrics } = this.labelled();
    this.commitOffsets = (offsets) => fetched.commitOffsetsIfNecessary(offsets);
    const { topic, partition } = held.assignment;
    metrics.fetchedRecords.observe({ group: groupId }, batch.messages.length);
    metrics.lag.set({ group: groupId, topic, partition }, Number(batch.offsetLag()));
    held.work.add(batch.messages.map((message) => consumedRecord(topic, partition, message)));
    fetched.resolveOffset(batch.lastOffset());
    const { records, bytes } = held.work.backlog();
    if (!held.isPaused && (records > fullRecords || bytes > fullBytes)) {
      held.isPaused = true;
      this.pause(held.assignment);
    }
    return Promise.resolve();
  }

  /** The only moment at which kafkajs tells that it gives its partitions back is when it asks the assigner for its protocol. */
  private assignerThatTellsOfJoins(): PartitionAssigner {
    return (cluster) => {
      const roundRobin = kafkajs.PartitionAssigners.roundRobin(cluster);
      return {
        ...roundRobin,
        protocol: (subscription) => {
          this.endAssignments();
          return roundRobin.protocol(subscription);
        },
      };
    };
  }

  private endAssignments(): void {
    for (const { end } of this.held.values()) end.abort();
    this.held = new Map();
    this.commitOffsets = undefined;
  }

  private afterJoin(memberAssignment: Record<string, number[]>): void {
    const { topicPrefix, log } = this.options;
    const { groupId, metrics } = this.labelled();
    this.endAssignments();
    if (this.isStopping) return;
    metrics.rebalances.inc({ group: groupId });
    for (const [name, partitions] of Object.entries(memberAssignment)) {
      for (const partition of partitions) this.hold(name.slice(topicPrefix.length), partition);
    }
    this.notReady = undefined;
    log.info({ groupId, partitions: memberAssignment }, 'joined the consumer group');
    for (const topic of Object.keys(memberAssignment)) void this.place(topic.slice(topicPrefix.length));
  }

  private hold(topic: string, partition: number): void {
    const end = new AbortController();
    const assignment: Assignment = { topic, partition, signal: end.signal, progress: () => this.afterProgress(held) };
    const held: Held = { assignment, end, work: this.options.assigned(assignment), isPlaced: false, isPaused: false, committed: undefined };
    this.held.set(placeOf(this.options.topicPrefix + topic, partition), held);
    this.pause(assignment);
  }

  /**
   * Finds out where to begin. A seek, always: a fetch of the assignment before may still be on its way, and its records would hide
   * those between the committed offset and theirs.
   */
  private async place(topic: string): Promise<void> {
    const name = this.options.topicPrefix + topic;
    const waiting = [...this.held.values()].filter(({ assignment }) => assignment.topic === topic);
    for (let attempt = 1; waiting.some(isWaiting); attempt++) {
      try {
        const starts = await startsOf(this.options.client, this.options.groupId, name);
        for (const held of waiting.filter(isWaiting)) {
          const { partition } = held.assignment;
          const { committed, low } = starts.get(partition) ?? { committed: undefined, low: 0n };
          const offset = (await this.options.startOffset?.(partition, committed)) ?? committed ?? low;
          if (held.assignment.signal.aborted) continue;
          this.consumer.seek({ topic: name, partition, offset: String(offset) });
          held.isPlaced = true;
          held.committed = committed;
          // Always: a pause outlives its assignment, and a partition that was full and comes back would never be read again.
          this.resume(held.assignment);
        }
      } catch (error) {
        const retryMs = backOffMs(attempt, { firstMs: 100, maxMs: 5000 });
        this.options.log.warn({ topic: name, attempt, retryMs, error: String(error) }, 'cannot tell where to begin reading; trying again');
        const pending = waiting.find(isWaiting);
        if (pending) await pauseFor(retryMs, pending.assignment.signal);
      }
    }
  }

  private afterProgress(held: Held): void {
    if (held.assignment.signal.aborted) return;
    const { records, bytes } = held.work.backlog();
    if (held.isPaused && records <= fullRecords * resumeAt && bytes <= fullBytes * resumeAt) {
      held.isPaused = false;
      this.resume(held.assignment);
    }
    const isIdle = records === 0;
    if (this.commitTimer && !isIdle) return;
    clearTimeout(this.commitTimer);
    this.commitTimer = setTimeout(() => this.commitNext(), isIdle ? 0 : commitEveryMs);
  }

  /** One commit at a time; what was finished meanwhile goes with the next one. */
  private commitNext(): void {
    this.commitTimer = undefined;
    this.committing = this.committing.then(() => this.commit());
  }

  /** One commit of every frontier that has moved; what fails is sent with the next one. */
  private async commit(): Promise<void> {
    const queued = [...this.held.values()].reduce((sum, { work }) => sum + work.backlog().records, 0);
    this.options.metrics.queued.set({ group: this.options.groupId }, queued);
    const moved = [...this.held.values()].flatMap((held) => {
      const frontier = held.work.frontier();
      return frontier === undefined || frontier === held.committed ? [] : [{ held, frontier }];
    });
    if (moved.length === 0 || !this.commitOffsets) return;
    const { topicPrefix, log, groupId } = this.options;
    const topics = moved.map(({ held, frontier }) => ({
      topic: topicPrefix + held.assignment.topic,
      partitions: [{ partition: held.assignment.partition, offset: String(frontier) }],
    }));
    try {
      // Not consumer.commitOffsets: that one repeats by itself, and a repeat after a rebalance would carry old offsets into the new assignment.
      await this.commitOffsets({ topics });
      for (const { held, frontier } of moved) held.committed = frontier;
    } catch (error) {
      const current = moved.find(
        ({ held }) => this.held.get(placeOf(topicPrefix + held.assignment.topic, held.assignment.partition)) === held,
      );
      if (!current) return log.debug({ groupId, error: String(error) }, 'a commit came too late for its assignment');
      log.warn({ groupId, error: String(error) }, 'committing failed; trying again');
      await pauseFor(200, current.held.assignment.signal);
      if (!this.isStopping) setImmediate(() => this.afterProgress(current.held));
    }
  }

  private afterCrash({ payload }: ConsumerCrashEvent): void {
    const { groupId, metrics } = this.labelled();
    this.endAssignments();
    metrics.crashes.inc({ group: groupId });
    this.notReady = 'has lost its consumer group';
    if (payload.restart) return this.options.log.warn({ groupId, error: String(payload.error) }, 'the consumer stopped and starts again');
    this.crashed = `the consumer crashed: ${payload.error.message}`;
    this.options.log.error({ groupId, error: String(payload.error) }, 'the consumer crashed and will not come back by itself');
  }

  private pause({ topic, partition }: Assignment): void {
    this.consumer.pause([{ topic: this.options.topicPrefix + topic, partitions: [partition] }]);
  }

  private resume({ topic, partition }: Assignment): void {
    this.consumer.resume([{ topic: this.options.topicPrefix + topic, partitions: [partition] }]);
  }

  private labelled(): { groupId: string; metrics: KafkaMetrics } {
    return { groupId: this.options.groupId, metrics: this.options.metrics };
  }
}

const placeOf = (topic: string, partition: number) => `${topic}/${partition}`;
const isWaiting = ({ isPlaced, assignment }: Held) => !isPlaced && !assignment.signal.aborted;
