import { randomUUID } from 'node:crypto';
import { atMost, type HealthRegistry, type Log } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { consumedRecord, whyNotReadable, type ConsumedRecord } from '../consume/consumed-record.js';
import { TailPosition } from '../consume/tail-position.js';
import { ConsumerRunner } from '../kafkajs/consumer-runner.js';
import { FetchGap } from '../kafkajs/fetch-gap.js';
import { FetchPace } from '../kafkajs/fetch-pace.js';
import { kafkaOf, type KafkaClient } from '../kafkajs/kafka-client.js';
import { roundRobin, type Cluster, type Consumer, type EachBatchPayload } from '../kafkajs/kafkajs.js';
import { fetchedOf } from '../kafkajs/kafkajs-port.js';
import { KafkaMetrics } from '../kafka-metrics.js';
import { topicOffsets } from '../topics/offsets.js';

/** Milliseconds between fetches. Shorter than for other consumers, because intents wait for their record. */
const fetchEveryMs = 2;
/** The broker answers a waiting fetch as soon as it has a record. A partition that is followed anew waits for the answer, this long at most. */
const fetchWaitMs = 200;
/**
 * Longer without a fetch, the process stood still, and the last record is compared. Less is a busy process: what happens to the log meanwhile is found
 * by the offsets of appends, by INTENTs that are not read back, and by the log's bounds.
 */
const stoodStillMs = 2_000;
/** A fetch that is out of range yields nothing, and kafkajs does not report it; so the log's bounds are checked this often. */
const compareEveryMs = 5_000;
/** `stop` waits this long for a check in progress; kafkajs may hang in a request for much longer. */
const lastComparisonMs = 2_000;

export interface FollowedLog {
  /** First offset to read. */
  from: bigint;
  /** Everything below this offset is known from elsewhere. A log that ends before it for a minute, or begins behind it, is another one. */
  known: bigint;
  /** Called with records in offset order, and the offset behind the last one. The next fetch waits for it, so it must be short. */
  onRecords: (records: ConsumedRecord[], next: bigint) => void;
  /** Called once when reading stops, because the log went back, lost unread records or holds one that cannot be read. */
  onFault: (fault: string) => void;
}

interface Followed extends FollowedLog {
  position: TailPosition<ConsumedRecord>;
  isHeld: boolean;
}

export interface LogFollowerOptions {
  client: KafkaClient;
  topic: string;
  /** Prefix of `topic` on the broker; records have the name without it. */
  topicPrefix: string;
  log: Log;
  metrics?: Registry;
  health?: HealthRegistry;
}

/**
 * Reads some partitions of a topic, each from an offset of its own, and commits nothing: a group with one member, whose other partitions are
 * paused. It reads on while the group that owns the partitions is joined anew.
 */
export class LogFollower {
  private readonly consumer: Consumer;
  private readonly runner: ConsumerRunner;
  private readonly pace: FetchPace;
  private readonly name: string;
  private readonly metrics: KafkaMetrics;
  private readonly followed = new Map<number, Followed>();
  private partitions: readonly number[] = [];
  private cluster: Cluster | undefined;
  private hasGroup = false;
  private comparing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failure: string | undefined;

  constructor(private readonly options: LogFollowerOptions) {
    const { client, topicPrefix, topic, log, health } = options;
    this.name = topicPrefix + topic;
    this.metrics = new KafkaMetrics(options.metrics);
    this.consumer = kafkaOf(client).consumer({
      groupId: `${client.clientId}.log.${randomUUID()}`,
      sessionTimeout: 6_000,
      heartbeatInterval: 1_500,
      minBytes: 1,
      maxWaitTimeInMs: fetchWaitMs,
      maxBytesPerPartition: 4 * 1024 * 1024,
      allowAutoTopicCreation: false,
      // The default assigner; wrapped because only an assigner receives the cluster, which knows each partition's leader.
      partitionAssigners: [
        (config) => {
          this.cluster = config.cluster;
          return roundRobin(config);
        },
      ],
      retry: { initialRetryTime: 50, maxRetryTime: 1000, retries: 60 },
    });
    this.runner = new ConsumerRunner({
      consumer: this.consumer,
      name: `the reader of ${this.name}`,
      topics: [this.name],
      eachBatch: (fetched) => this.take(fetched),
      onJoin: (memberAssignment) => this.afterJoin(memberAssignment[this.name] ?? []),
      onStop: () => void (this.hasGroup = false),
      onCrash: (error, comesBack) => this.afterCrash(error, comesBack),
      onLost: (error) => void (this.failure = `the reader of ${this.name} did not start again: ${String(error)}`),
      log,
    });
    this.pace = new FetchPace(this.consumer, fetchEveryMs);
    new FetchGap(this.consumer, () => this.verifyAll(), fetchWaitMs, stoodStillMs);
    this.consumer.on('consumer.fetch_start', ({ payload: { nodeId } }) => this.checkDoubted(Number(nodeId)));
    health?.addLiveness(`kafka log ${this.name}`, () => this.failure);
  }

  /**
   * Resolves when partitions can be followed.
   * @throws UnknownTopicError if the topic does not exist
   * @throws ConsumerClosedError if it is stopped meanwhile
   */
  async start(): Promise<void> {
    await this.runner.start(async () => void (await topicOffsets(this.options.client, this.name)));
    if (!this.runner.isStopping) this.timer = setInterval(() => void this.compare(), compareEveryMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.followed.clear();
    await Promise.all([this.runner.stop(), atMost(lastComparisonMs, Promise.resolve(this.comparing))]);
  }

  /**
   * Reads a partition from now on, in place of what was followed of it before.
   * @param bounds of the log, asked after `known` was
   */
  follow(partition: number, log: FollowedLog, bounds: { low: bigint; high: bigint }): void {
    const { from, known } = log;
    const name = `${this.name}/${partition}`;
    const position = TailPosition.placed<ConsumedRecord>(name, bounds, { from, known }, performance.now());
    this.followed.set(partition, { ...log, position, isHeld: false });
    if (position.fault !== undefined) return this.fail(partition, position.fault);
    this.setPosition(partition);
  }

  unfollow(partition: number): void {
    if (this.followed.delete(partition)) this.pause(partition);
  }

  /** Stops fetching a followed partition until `goOn`. */
  hold(partition: number): void {
    const one = this.followed.get(partition);
    if (!one || one.isHeld) return;
    one.isHeld = true;
    this.pause(partition);
  }

  goOn(partition: number): void {
    const one = this.followed.get(partition);
    if (!one?.isHeld) return;
    one.isHeld = false;
    this.setPosition(partition);
  }

  private afterJoin(partitions: readonly number[]): void {
    this.hasGroup = true;
    this.partitions = partitions;
    this.consumer.pause([{ topic: this.name, partitions: [...partitions] }]);
    for (const [partition, { position }] of this.followed) {
      position.checkAnew();
      this.setPosition(partition);
    }
  }

  private afterCrash(error: Error, comesBack: boolean): void {
    const { log } = this.options;
    this.hasGroup = false;
    const facts = { topic: this.name, error: String(error), restart: comesBack };
    log[comesBack ? 'warn' : 'error'](facts, 'reading the log stopped');
    if (!comesBack) this.failure = `the reader of ${this.name} crashed: ${error.message}`;
  }

  /** Runs before the records of the fetch after the gap are taken. */
  private verifyAll(): void {
    for (const { position } of this.followed.values()) position.startVerification();
  }

  /** A seek applies to the fetch that is beginning, so only partitions led by that broker are placed: others have a fetch in flight. */
  private checkDoubted(nodeId: number): void {
    for (const [partition, { position }] of this.followed) {
      if (position.isVerified || !this.isLedBy(partition, nodeId)) continue;
      const { fetchFrom } = position;
      position.checkDoubted();
      if (position.fetchFrom !== fetchFrom) this.setPosition(partition);
    }
  }

  private isLedBy(partition: number, nodeId: number): boolean {
    const metadata = this.cluster?.findTopicPartitionMetadata(this.name) ?? [];
    return metadata.find(({ partitionId }) => partitionId === partition)?.leader === nodeId;
  }

  private setPosition(partition: number): void {
    const one = this.followed.get(partition);
    // The next join sets every position.
    if (!one || !this.hasGroup) return;
    const { position, isHeld } = one;
    if (position.fault !== undefined || position.isBehind || isHeld) return this.pause(partition);
    this.consumer.seek({ topic: this.name, partition, offset: String(position.fetchFrom) });
    this.consumer.resume([{ topic: this.name, partitions: [partition] }]);
  }

  private pause(partition: number): void {
    if (this.hasGroup) this.consumer.pause([{ topic: this.name, partitions: [partition] }]);
  }

  private async take(fetched: EachBatchPayload): Promise<void> {
    const { batch } = fetched;
    const { partition } = batch;
    const one = this.followed.get(partition);
    if (!one) return;
    const { position } = one;
    const all = batch.messages.map((message) => consumedRecord(this.options.topic, partition, message));
    const end = BigInt(batch.lastOffset()) + 1n;
    if (fetched.isStale()) return position.holdUntilVerified(all, fetchedOf(batch), end);
    const records = position.take(all, fetchedOf(batch), end);
    if (records === undefined) {
      if (position.fault !== undefined) return this.fail(partition, position.fault);
      this.setPosition(partition);
      return void this.compare();
    }
    const unreadable = whyNotReadable(records);
    if (unreadable !== undefined) return this.fail(partition, unreadable);
    this.metrics.logRecords.inc({ topic: this.options.topic }, records.length);
    if (records.length > 0) one.onRecords(records, position.next);
    // `onRecords` may have ended this reading, or begun another one.
    if (this.followed.get(partition) === one) fetched.resolveOffset(String(position.next - 1n));
    await this.pace.keep();
  }

  private fail(partition: number, fault: string): void {
    const one = this.followed.get(partition);
    this.unfollow(partition);
    this.options.log.error({ topic: this.name, partition }, `the log is read no further: ${fault}`);
    one?.onFault(fault);
  }

  /** Never rejects: while the brokers are down, fetches report it. */
  private compare(): Promise<void> {
    if (this.runner.isStopping || this.followed.size === 0) return Promise.resolve();
    this.comparing ??= this.compareAll()
      .catch((error: unknown) =>
        this.options.log.debug({ topic: this.name, error: String(error) }, 'the log could not be compared'),
      )
      .finally(() => (this.comparing = undefined));
    return this.comparing;
  }

  private async compareAll(): Promise<void> {
    const asked = [...this.followed].map(([partition, one]) => ({ partition, one, known: one.position.asked }));
    const offsets = await topicOffsets(this.options.client, this.name);
    for (const { partition, one, known } of asked) {
      const bounds = offsets.get(partition);
      const { position } = one;
      if (!bounds || this.followed.get(partition) !== one) continue;
      const { isBehind: wasBehind, fetchFrom } = position;
      position.compare(bounds, performance.now(), known);
      if (position.fault !== undefined) this.fail(partition, position.fault);
      else if (position.isBehind !== wasBehind) this.afterChange(partition, position);
      else if (position.fetchFrom !== fetchFrom) this.setPosition(partition);
    }
  }

  private afterChange(partition: number, { isBehind, next }: TailPosition<ConsumedRecord>): void {
    const facts = { topic: this.name, partition, next: String(next) };
    if (isBehind) this.options.log.warn(facts, 'the log ends before what was read: waiting for its brokers to agree');
    else this.options.log.info(facts, 'the log has what was read again');
    this.setPosition(partition);
  }
}
