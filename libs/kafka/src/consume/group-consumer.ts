import type { HealthRegistry, Log } from '@tranche/runtime';
import type { KafkaMetrics } from '../kafka-metrics.js';
import { ConsumerRunner } from '../kafkajs/consumer-runner.js';
import { drainingAssigner } from '../kafkajs/draining-assigner.js';
import { FetchPace } from '../kafkajs/fetches.js';
import {
  askAdmin,
  kafkaOf,
  type KafkaClient,
  type Cluster,
  type Consumer,
  type EachBatchPayload,
  type PartitionAssigner,
} from '../kafkajs/kafka-client.js';
import { fetchedOf, KafkajsPort } from '../kafkajs/kafkajs-port.js';
import { beyondTheTable, mustExist } from '../topics/topics.js';
import { ageSeconds } from '../core/assigned-partition.js';
import { consumedRecord } from '../kafkajs/consumed-record.js';
import { DrainBeforeJoin } from './drain-before-join.js';
import { withTopicId } from '../core/frontier.js';
import { GroupWork } from '../core/group-work.js';
import type { Assignment, PartitionWork } from '../core/group-port.js';

export interface GroupConsumerOptions {
  client: KafkaClient;
  groupId: string;
  /** Topic names without prefix. All members of a group must use the same list, because the leader plans with its own. */
  topics: readonly string[];
  topicPrefix: string;
  log: Log;
  metrics: KafkaMetrics;
  health?: HealthRegistry;
  /** Session timeout: a member that sends no heartbeat for this long loses its partitions, milliseconds (10,000). */
  sessionTimeoutMs?: number;
  /** Milliseconds that a rebalance waits for running handlers (1500; at most half of session timeout minus heartbeat interval). */
  rebalanceDrainMs?: number;
  /** Maximum bytes of one partition in one fetch (1 MiB). A larger record is returned alone. */
  maxBytesPerPartition?: number;
  /** Maximum bytes of key and value by topic name without prefix (no bound); a longer, decompressed record is `unreadable`. */
  maxRecordBytes?: Readonly<Record<string, number>>;
  /**
   * One of the topics that the group only owns and never fetches; its work commits what it did elsewhere. A member then gets the same
   * partitions of every topic.
   */
  ownedTopic?: string;
  /**
   * Number of partitions that a topic must have at least, by name without prefix (any). With fewer the consumer is not ready. More are read too, but not
   * of `ownedTopic`: its number is also the one by which partitions are given to members.
   */
  partitions?: Readonly<Record<string, number>>;
  /** False: the member stays in the group, and partitions go to members that can work, if there are any. Only with an `ownedTopic`. */
  canWork?: () => boolean;
  assigned: (assignment: Assignment) => PartitionWork;
}

/** While every partition is paused, kafkajs sleeps this long before its next heartbeat or its end. */
const maxWaitTimeMs = 250;
const mebibyte = 1024 * 1024;
const fetchEveryMs = 5;
/** After this time a topic that was made anew is noticed at the latest, if no fetch has failed meanwhile. */
const metadataMaxAgeMs = 60_000;

/**
 * Runs the group's work on kafkajs. kafkajs sends heartbeats only between batches and its fetch loop waits for `eachBatch`. So a batch is
 * only queued, the fetch loop continues, and handlers run separately; otherwise a slow handler would cost the membership.
 */
export class GroupConsumer {
  private readonly consumer: Consumer;
  private readonly runner: ConsumerRunner;
  private readonly port: KafkajsPort;
  private readonly work: GroupWork;
  private readonly drain: DrainBeforeJoin;
  /** The consumer's own connections. kafkajs passes them to the assigner only, at the creation of the consumer. */
  private cluster: Cluster | undefined;
  private readonly pace: FetchPace;
  private notReady: string | undefined = 'has not joined its consumer group yet';
  private crashed: string | undefined;
  /** Topics with more partitions, as the last warning named them. */
  private beyond = '';

  constructor(private readonly options: GroupConsumerOptions) {
    const { client, groupId, sessionTimeoutMs: sessionTimeout = 10_000, maxBytesPerPartition = mebibyte } = options;
    const heartbeatInterval = Math.min(500, Math.floor(sessionTimeout / 3));
    const drainMs = Math.min(options.rebalanceDrainMs ?? 1500, (sessionTimeout - heartbeatInterval) / 2);
    this.consumer = kafkaOf(client).consumer({
      groupId,
      sessionTimeout,
      heartbeatInterval,
      rebalanceTimeout: Math.max(10_000, sessionTimeout),
      maxWaitTimeInMs: maxWaitTimeMs,
      maxBytesPerPartition,
      maxBytes: Math.max(10 * mebibyte, 4 * maxBytesPerPartition),
      metadataMaxAge: metadataMaxAgeMs,
      allowAutoTopicCreation: false,
      partitionAssigners: [this.assigner()],
      // A join that waits for the drain uses these retries, so they are many and short.
      retry: { initialRetryTime: 50, multiplier: 1.5, maxRetryTime: 500, retries: 120 },
    });
    this.port = new KafkajsPort({ ...options, consumer: this.consumer, cluster: () => this.cluster });
    this.work = new GroupWork({
      ...options,
      port: this.port,
      onMissed: ({ topic, committed, low }) =>
        options.metrics.missed.inc({ group: groupId, topic }, Number(low - committed)),
      onReplaced: ({ topic }) => options.metrics.replaced.inc({ group: groupId, topic }),
    });
    if (options.ownedTopic !== undefined) this.work.pauseTopics([options.ownedTopic]);
    this.runner = this.runnerOf(this.consumer);
    const isJoiningInVain = () => this.runner.isJoiningInVain;
    this.drain = new DrainBeforeJoin({
      ...options,
      work: this.work,
      drainMs,
      isJoiningInVain,
      isOutdated: () => !this.runner.isStopping && this.work.isOutdated,
      onLost: () => this.afterLoss(),
    });
    this.drain.watchFetches(this.consumer);
    this.pace = new FetchPace(this.consumer, fetchEveryMs);
    options.health?.addReadiness(`kafka group ${groupId}`, () => this.notReady ?? this.wrongPartitions());
    options.health?.addLiveness(`kafka group ${groupId}`, () => this.crashed);
    const { metrics } = options;
    metrics.fromZero(groupId, options.topics);
    metrics.watch(metrics.queued, groupId, () => this.work.backlog().records);
    metrics.watch(metrics.frontierSpan, groupId, () => this.work.backlog().span);
    metrics.watch(metrics.oldestAge, groupId, () => ageSeconds(this.work.backlog().oldestSinceMs));
  }

  /**
   * Resolves when the group has been joined.
   * @throws UnknownTopicError if a topic does not exist
   * @throws ConsumerClosedError if it is closed meanwhile; no member is left behind
   */
  start(): Promise<void> {
    const { client, groupId } = this.options;
    return this.runner.start(() =>
      askAdmin(client, (admin) => mustExist(admin, this.names(), `consumer group ${groupId}`)),
    );
  }

  async close({ deadlineMs = 10_000 }: { deadlineMs?: number } = {}): Promise<void> {
    this.notReady = 'is stopping';
    await this.runner.stop(async () => {
      for (const partition of this.work.partitions) this.port.pause(partition);
      await this.drain.drained(deadlineMs);
      this.work.end();
    });
  }

  /** Undefined while this is no member of the group. */
  get memberId(): string | undefined {
    return this.port.memberId;
  }

  pauseTopics(topics: Iterable<string>): void {
    this.work.pauseTopics(topics);
  }

  resumeTopics(topics: Iterable<string>): void {
    this.work.resumeTopics(topics);
  }

  /**
   * Commits the start offset of a partition for which the group has no commit, before its first record is fetched.
   * @throws if the assignment has ended: the broker accepts this commit from any member, and it would overwrite the offset of the
   * partition's new owner
   */
  async commitStart({ topic, partition, signal }: Assignment, offset: bigint): Promise<void> {
    signal.throwIfAborted();
    const metadata = withTopicId('', this.port.topicId(topic));
    const start = { topic: this.options.topicPrefix + topic, partition, offset: String(offset), metadata };
    await this.drain.delayJoin(() => this.consumer.commitOffsets([start]));
  }

  private take(fetched: EachBatchPayload): Promise<void> {
    const { batch } = fetched;
    if (this.runner.isStopping || fetched.isStale()) return Promise.resolve();
    const { metrics, groupId, topicPrefix, maxRecordBytes } = this.options;
    this.port.fetched(fetched);
    const topic = batch.topic.slice(topicPrefix.length);
    const { partition } = batch;
    if (this.drain.isUnderWay) return this.drain.withoutGroup();
    const last = this.work.take(
      { topic, partition },
      batch.messages.map((message) => consumedRecord(topic, partition, message, maxRecordBytes?.[topic])),
      fetchedOf(batch),
    );
    if (last === undefined) return Promise.resolve();
    metrics.fetchedRecords.observe({ group: groupId }, batch.messages.length);
    metrics.lag.set({ group: groupId, topic, partition }, Number(batch.offsetLag()));
    fetched.resolveOffset(String(last));
    return this.pace.keep(batch.messages.length);
  }

  private afterLoss(): void {
    if (!this.runner.isStopping) this.notReady = 'has lost its consumer group';
  }

  private afterJoin(memberAssignment: Record<string, number[]>): void {
    const { topicPrefix, log, metrics, groupId } = this.options;
    this.drain.end();
    this.work.end();
    this.port.begin();
    if (this.runner.isStopping) return;
    metrics.rebalances.inc({ group: groupId });
    const partitions = Object.entries(memberAssignment).flatMap(([name, numbers]) =>
      numbers.map((partition) => ({ topic: name.slice(topicPrefix.length), partition })),
    );
    this.notReady = undefined;
    log.info({ groupId, partitions: memberAssignment }, 'joined the consumer group');
    this.warnOfMore();
    void this.work.join(partitions);
  }

  /** kafkajs reports a crash only after it has closed all connections, but the partitions belong to other members from now on. */
  private afterStop(): void {
    this.work.end();
    this.port.end();
    this.afterLoss();
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

  private assigner(): PartitionAssigner {
    const onCluster = (cluster: Cluster) => void (this.cluster = cluster);
    const { ownedTopic, topicPrefix, partitions = {} } = this.options;
    const byNumber = ownedTopic === undefined ? undefined : { topic: topicPrefix + ownedTopic, count: partitions[ownedTopic] ?? Infinity }; // prettier-ignore
    return drainingAssigner({
      isDrained: () => this.drain.isDrained(),
      standing: () => this.drain.standing(),
      ...(byNumber && { byNumber }),
      onCluster,
    });
  }

  private wrongPartitions(): string | undefined {
    const { partitions = {}, topicPrefix } = this.options;
    const faults = Object.entries(partitions).flatMap(([topic, wanted]) => {
      const { length } = this.port.partitionsOf(topic);
      return length === 0 || length >= wanted
        ? []
        : [`${topicPrefix}${topic} has ${length} partitions, must have at least ${wanted}`];
    });
    return faults.length === 0 ? undefined : faults.join('; ');
  }

  /** kafkajs joins again when it is told of more partitions, so this is called then. */
  private warnOfMore(): void {
    const { partitions = {}, topicPrefix, groupId, log } = this.options;
    const topics = Object.entries(partitions).flatMap(([topic, wanted]) => {
      const message = beyondTheTable(this.port.partitionsOf(topic).length, wanted);
      return message === undefined ? [] : [`${topicPrefix}${topic} ${message}`];
    });
    const beyond = topics.join('; ');
    if (beyond !== '' && beyond !== this.beyond)
      log.warn({ groupId, topics }, 'topics have more partitions than are used');
    this.beyond = beyond;
  }

  private names(): string[] {
    return this.options.topics.map((topic) => this.options.topicPrefix + topic);
  }
}
