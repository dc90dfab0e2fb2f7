import { randomUUID } from 'node:crypto';
import { atMost, type HealthRegistry, type Log } from '@tranche/runtime';
import { ConsumerRunner } from '../kafkajs/consumer-runner.js';
import { FetchGap } from '../kafkajs/fetch-gap.js';
import { FetchPace } from '../kafkajs/fetch-pace.js';
import { kafkaOf, type KafkaClient } from '../kafkajs/kafka-client.js';
import { roundRobin, type Cluster, type Consumer, type EachBatchPayload } from '../kafkajs/kafkajs.js';
import { topicOffsets } from '../topics/offsets.js';
import { fetchedOf } from '../kafkajs/kafkajs-port.js';
import { consumedRecord, whyNotReadable, type ConsumedRecord } from './consumed-record.js';
import { TailPosition } from './tail-position.js';

/** Milliseconds between fetches. Shorter than for other consumers, because intents wait for the tail. */
const fetchEveryMs = 2;
/** A fetch that is out of range yields nothing, and kafkajs does not report it; so the log's bounds are checked this often. */
const compareEveryMs = 5_000;
/** `stop` waits this long for a check in progress; kafkajs may hang in a request for much longer. */
const lastComparisonMs = 2_000;

export interface TailConsumerOptions {
  client: KafkaClient;
  topic: string;
  /** Prefix of `topic` on the broker (''); records have the name without it. */
  topicPrefix?: string;
  /** First offset to read, by partition. A partition that is not listed is read from its end at the start. */
  from: ReadonlyMap<number, bigint>;
  /**
   * By partition, the offset below which the reader knows everything from elsewhere. A log that ends before it for a minute, or begins
   * behind it, is not the log that the reader knows; that partition alone is not read (`onFault`).
   */
  known?: ReadonlyMap<number, bigint>;
  /** Called with records of one partition in offset order. The next fetch waits for it, so it must be short. */
  onRecords: (partition: number, records: ConsumedRecord[]) => void | Promise<void>;
  /** Called once when reading of a partition stops, because its log went back or lost unread records. Other partitions continue. */
  onFault?: (partition: number, fault: string) => void;
  /** If true, `onRecords` also gets `unreadable` records; otherwise they stop the partition as a fault does. */
  takesUnreadable?: boolean;
  /** Called before the first record of a partition. `from` is later than asked for if older records were deleted meanwhile. */
  onPlaced?: (partition: number, from: bigint) => void;
  /** Called with true when the log may have been replaced since it was read, and with false when that is settled. */
  onUnverified?: (partition: number, isUnverified: boolean) => void;
  /** (5000) */
  compareEveryMs?: number;
  log: Log;
  health?: HealthRegistry;
}

/**
 * Reads every partition of a topic from given offsets for as long as the process lives, and commits nothing. Each process reads the whole
 * topic, in a group with one member. It sees its own append about as soon as that is acknowledged, because the broker answers a waiting
 * fetch at once.
 */
export class TailConsumer {
  private readonly consumer: Consumer;
  private readonly runner: ConsumerRunner;
  private cluster: Cluster | undefined;
  private readonly positions = new Map<number, TailPosition<ConsumedRecord>>();
  private readonly unsure = new Set<number>();
  private readonly name: string;
  private comparing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failure: string | undefined;
  private readonly pace: FetchPace;

  constructor(private readonly options: TailConsumerOptions) {
    this.name = (options.topicPrefix ?? '') + options.topic;
    this.consumer = kafkaOf(options.client).consumer({
      groupId: `${options.client.clientId}.tail.${randomUUID()}`,
      // After an outage the broker still counts the previous member, and no partition is read until this timeout has passed.
      sessionTimeout: 6_000,
      heartbeatInterval: 1_500,
      minBytes: 1,
      maxWaitTimeInMs: 50,
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
      name: `the tail of ${this.name}`,
      topics: [this.name],
      eachBatch: (fetched) => this.take(fetched),
      onJoin: () => this.checkAll(),
      onCrash: (error, comesBack) => this.afterCrash(error, comesBack),
      onLost: (error) => void (this.failure = `the tail of ${this.name} did not start again: ${String(error)}`),
      log: options.log,
    });
    this.pace = new FetchPace(this.consumer, fetchEveryMs);
    new FetchGap(this.consumer, () => this.doubtAll());
    this.consumer.on('consumer.fetch_start', ({ payload: { nodeId } }) => this.checkDoubted(Number(nodeId)));
    options.health?.addLiveness(`kafka tail ${this.name}`, () => this.failure);
  }

  /**
   * Resolves when reading has begun; nothing stays connected after a rejection.
   * @throws UnknownTopicError if the topic does not exist
   * @throws if an offset lies beyond the end of its partition and `known` has no entry for it
   * @throws ConsumerClosedError if it is stopped meanwhile
   */
  async start(): Promise<void> {
    await this.runner.start(() => this.setPositions());
    const { compareEveryMs: everyMs = compareEveryMs } = this.options;
    if (!this.runner.isStopping) this.timer = setInterval(() => void this.compare(), everyMs).unref();
  }

  /** May be called during `start()`, which then rejects. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([this.runner.stop(), atMost(lastComparisonMs, Promise.resolve(this.comparing))]);
  }

  private async setPositions(): Promise<void> {
    const { client, from, known } = this.options;
    const topic = this.name;
    for (const [partition, bounds] of await topicOffsets(client, topic)) {
      const wanted = { from: from.get(partition), known: known?.get(partition) };
      const at = TailPosition.placed<ConsumedRecord>(`${topic}/${partition}`, bounds, wanted, performance.now());
      this.positions.set(partition, at);
      this.options.onPlaced?.(partition, at.next);
      if (at.isBehind) this.logBehind(partition, at);
      if (at.fault !== undefined) this.reportFault(partition, at.fault);
    }
  }

  private afterCrash(error: Error, comesBack: boolean): void {
    const { log } = this.options;
    const topic = this.name;
    log[comesBack ? 'warn' : 'error']({ topic, error: String(error), restart: comesBack }, 'the tail stopped reading');
    if (!comesBack) this.failure = `the tail of ${topic} crashed: ${error.message}`;
  }

  /** Last offset that onRecords received, or the one before the first wanted offset; undefined for a partition that does not exist. */
  lastOffset(partition: number): bigint | undefined {
    const at = this.positions.get(partition);
    return at === undefined ? undefined : at.next - 1n;
  }

  /** Runs after each join and before the first fetch, so that no partition is read from a position that kafkajs chose. */
  private checkAll(): void {
    for (const [partition, at] of this.positions) {
      at.checkAnew();
      this.setPosition(partition, at);
    }
  }

  /** Runs before the records of the fetch after the gap are taken. */
  private doubtAll(): void {
    for (const [partition, at] of this.positions) {
      at.startVerification();
      this.reportVerification(partition, at);
    }
  }

  /**
   * A seek here applies to the fetch that is beginning, so only partitions led by that broker are placed: with fetches in flight to other
   * brokers, kafkajs would discard their records. (kafkajs passes the node id as text, although its types say number.)
   */
  private checkDoubted(nodeId: number): void {
    if (this.unsure.size === 0) return;
    for (const { partitionId, leader } of this.cluster?.findTopicPartitionMetadata(this.name) ?? []) {
      const at = this.positions.get(partitionId);
      if (at === undefined || leader !== nodeId) continue;
      const { fetchFrom } = at;
      at.checkDoubted();
      if (at.fetchFrom !== fetchFrom) this.setPosition(partitionId, at);
    }
  }

  private reportVerification(partition: number, at: TailPosition<ConsumedRecord>): void {
    const isUnverified = !at.isVerified && at.fault === undefined;
    if (isUnverified === this.unsure.has(partition)) return;
    if (isUnverified) this.unsure.add(partition);
    else this.unsure.delete(partition);
    this.options.onUnverified?.(partition, isUnverified);
  }

  private setPosition(partition: number, at: TailPosition<ConsumedRecord>): void {
    const { name: topic } = this;
    this.reportVerification(partition, at);
    if (at.fault !== undefined || at.isBehind) return this.consumer.pause([{ topic, partitions: [partition] }]);
    this.consumer.seek({ topic, partition, offset: String(at.fetchFrom) });
  }

  private async take(fetched: EachBatchPayload): Promise<void> {
    const { batch } = fetched;
    const { partition } = batch;
    const { topic, log, onRecords } = this.options;
    const at = this.positions.get(partition);
    if (at === undefined) return;
    const before = at.next;
    const all = batch.messages.map((message) => consumedRecord(topic, partition, message));
    const end = BigInt(batch.lastOffset()) + 1n;
    if (fetched.isStale()) return at.holdUntilVerified(all, fetchedOf(batch), end);
    const records = at.take(all, fetchedOf(batch), end);
    if (records === undefined) {
      if (at.fault !== undefined) return this.stopReading(partition, at, at.fault);
      this.setPosition(partition, at);
      return void this.compare();
    }
    this.reportVerification(partition, at);
    const unreadable = this.options.takesUnreadable === true ? undefined : whyNotReadable(records);
    if (unreadable !== undefined) {
      at.fault = unreadable;
      return this.stopReading(partition, at, unreadable);
    }
    try {
      if (records.length > 0) await onRecords(partition, records);
    } catch (error) {
      // Continuing would leave a gap in the reader's knowledge.
      this.failure = `reading ${topic}/${partition} failed at offset ${before}`;
      this.positions.delete(partition);
      this.consumer.pause([{ topic: this.name, partitions: [partition] }]);
      return log.error(
        { topic, partition, offset: String(before), error: String(error) },
        'the tail stands still: its reader threw',
      );
    }
    fetched.resolveOffset(String(at.next - 1n));
    await this.pace.keep();
  }

  /** Never rejects: while the brokers are down, the tail's own fetches report it. */
  private compare(): Promise<void> {
    if (this.runner.isStopping) return Promise.resolve();
    this.comparing ??= this.compareAll()
      .catch((error: unknown) =>
        this.options.log.debug({ topic: this.name, error: String(error) }, 'the log could not be compared'),
      )
      .finally(() => (this.comparing = undefined));
    return this.comparing;
  }

  private async compareAll(): Promise<void> {
    const asked = new Map([...this.positions].map(([partition, { asked: known }]) => [partition, known]));
    const offsets = await topicOffsets(this.options.client, this.name);
    if (this.runner.isStopping) return;
    for (const [partition, at] of this.positions) {
      const bounds = offsets.get(partition);
      if (at.fault !== undefined || !bounds) continue;
      const { isBehind: wasBehind, fetchFrom } = at;
      at.compare(bounds, performance.now(), asked.get(partition));
      if (at.fault !== undefined) this.stopReading(partition, at, at.fault);
      else if (at.isBehind !== wasBehind) this.afterChange(partition, at);
      else if (at.fetchFrom !== fetchFrom) this.setPosition(partition, at);
      else this.reportVerification(partition, at);
    }
  }

  private afterChange(partition: number, at: TailPosition<ConsumedRecord>): void {
    const { log } = this.options;
    if (at.isBehind) this.logBehind(partition, at);
    else log.info({ topic: this.name, partition, next: String(at.next) }, 'the log has what was read again');
    this.setPosition(partition, at);
    if (!at.isBehind) this.consumer.resume([{ topic: this.name, partitions: [partition] }]);
  }

  private logBehind(partition: number, at: TailPosition<ConsumedRecord>): void {
    const facts = { topic: this.name, partition, next: String(at.next) };
    this.options.log.warn(facts, 'the log ends before what was read: waiting for its brokers to agree');
  }

  private reportFault(partition: number, fault: string): void {
    this.options.log.error({ topic: this.name, partition }, `the tail reads no further: ${fault}`);
    this.options.onFault?.(partition, fault);
  }

  private stopReading(partition: number, at: TailPosition<ConsumedRecord>, fault: string): void {
    this.reportFault(partition, fault);
    this.reportVerification(partition, at);
    // kafkajs throws here while it has no group; the next join pauses the partition then.
    this.consumer.pause([{ topic: this.name, partitions: [partition] }]);
  }
}
