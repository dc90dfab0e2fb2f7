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

/** Intents wait for the tail, so it is shorter than for consumers whose records can wait. Milliseconds. */
const fetchEveryMs = 2;
/** How often the log is asked where it begins and ends: a fetch that is out of its range brings nothing, and kafkajs says nothing of it. */
const compareEveryMs = 5_000;
/** How long a comparison under way is waited for at the end: kafkajs may hang in a request for much longer. */
const lastComparisonMs = 2_000;

export interface TailConsumerOptions {
  client: KafkaClient;
  topic: string;
  /** Put in front of `topic` on the broker, and not shown in the records (''). */
  topicPrefix?: string;
  /** The first offset wanted of each partition; a partition that is not named is read from its end at the start. */
  from: ReadonlyMap<number, bigint>;
  /**
   * Of each partition the offset below which the reader knows everything, from elsewhere. A log that ends before it for a minute, or begins
   * behind it, is not the one that the reader knows: that partition alone is not read (`onFault`).
   */
  known?: ReadonlyMap<number, bigint>;
  /** Records of one partition in offset order. Must not wait for long: the next fetch comes after it. */
  onRecords: (partition: number, records: ConsumedRecord[]) => void | Promise<void>;
  /** Told once when a partition is read no further: its log went back, or lost records that were not read. The other partitions go on. */
  onFault?: (partition: number, fault: string) => void;
  /** Gives `onRecords` what is `unreadable` too; else the partition is read no further, as after another fault. */
  takesUnreadable?: boolean;
  /** Told when it is to be seen whether a partition's log is still the one that was read, and when it is. */
  onUnsure?: (partition: number, isUnsure: boolean) => void;
  /** (5000) */
  compareEveryMs?: number;
  log: Log;
  health?: HealthRegistry;
}

/**
 * Reads every partition of a topic from given offsets for as long as the process lives, and commits nothing. Each process reads all
 * of it (a group of its own, with one member), and sees its own append about as soon as it is acknowledged: the broker answers
 * a waiting fetch at once.
 */
export class TailConsumer {
  private readonly consumer: Consumer;
  private readonly runner: ConsumerRunner;
  private cluster: Cluster | undefined;
  private readonly positions = new Map<number, TailPosition<ConsumedRecord>>();
  /** Partitions of which `onUnsure` was told. */
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
      // After an outage the member that it was still counts: no partition is read before this time is over.
      sessionTimeout: 6_000,
      heartbeatInterval: 1_500,
      minBytes: 1,
      maxWaitTimeInMs: 50,
      maxBytesPerPartition: 4 * 1024 * 1024,
      allowAutoTopicCreation: false,
      // As without this setting. Only an assigner is given the cluster, which knows the leader of each partition.
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
   * Resolves when reading has begun. Rejects if the topic does not exist, or an offset lies beyond the end of its partition and it is not said
   * what is `known` of that; with ConsumerClosedError when it is stopped meanwhile. Nothing stays connected then.
   */
  async start(): Promise<void> {
    await this.runner.start(() => this.place());
    const { compareEveryMs: everyMs = compareEveryMs } = this.options;
    if (!this.runner.isStopping) this.timer = setInterval(() => void this.compare(), everyMs).unref();
  }

  /** Also while it starts: `start()` rejects then. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([this.runner.stop(), atMost(lastComparisonMs, Promise.resolve(this.comparing))]);
  }

  private async place(): Promise<void> {
    const { client, from, known } = this.options;
    const topic = this.name;
    for (const [partition, bounds] of await topicOffsets(client, topic)) {
      const wanted = { from: from.get(partition), known: known?.get(partition) };
      const at = TailPosition.placed<ConsumedRecord>(`${topic}/${partition}`, bounds, wanted, performance.now());
      this.positions.set(partition, at);
      if (at.isBehind) this.logBehind(partition, at);
      if (at.fault !== undefined) this.tellFault(partition, at.fault);
    }
  }

  private afterCrash(error: Error, comesBack: boolean): void {
    const { log } = this.options;
    const topic = this.name;
    log[comesBack ? 'warn' : 'error']({ topic, error: String(error), restart: comesBack }, 'the tail stopped reading');
    if (!comesBack) this.failure = `the tail of ${topic} crashed: ${error.message}`;
  }

  /** The last offset given to onRecords, or the one before the first wanted; undefined for a partition that does not exist. */
  lastOffset(partition: number): bigint | undefined {
    const at = this.positions.get(partition);
    return at === undefined ? undefined : at.next - 1n;
  }

  /** After each join, before the first fetch is sent: nothing is ever read from elsewhere. */
  private checkAll(): void {
    for (const [partition, at] of this.positions) {
      at.checkAnew();
      this.placeAt(partition, at);
    }
  }

  /** After a gap, before what the fetch has brought is taken. */
  private doubtAll(): void {
    for (const [partition, at] of this.positions) {
      at.doubt();
      this.tellWhetherSure(partition, at);
    }
  }

  /** A seek counts for the very fetch that begins (kafkajs gives its node as text, whatever its types say). Of other brokers kafkajs would throw away what their fetches bring. */
  private checkDoubted(nodeId: number): void {
    if (this.unsure.size === 0) return;
    for (const { partitionId, leader } of this.cluster?.findTopicPartitionMetadata(this.name) ?? []) {
      const at = this.positions.get(partitionId);
      if (at === undefined || leader !== nodeId) continue;
      const { fetchFrom } = at;
      at.checkDoubted();
      if (at.fetchFrom !== fetchFrom) this.placeAt(partitionId, at);
    }
  }

  private tellWhetherSure(partition: number, at: TailPosition<ConsumedRecord>): void {
    const isUnsure = !at.isSure && at.fault === undefined;
    if (isUnsure === this.unsure.has(partition)) return;
    if (isUnsure) this.unsure.add(partition);
    else this.unsure.delete(partition);
    this.options.onUnsure?.(partition, isUnsure);
  }

  private placeAt(partition: number, at: TailPosition<ConsumedRecord>): void {
    const { name: topic } = this;
    this.tellWhetherSure(partition, at);
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
    if (fetched.isStale()) return at.hold(all, fetchedOf(batch), end);
    const records = at.take(all, fetchedOf(batch), end);
    if (records === undefined) {
      if (at.fault !== undefined) return this.stopReading(partition, at, at.fault);
      this.placeAt(partition, at);
      return void this.compare();
    }
    this.tellWhetherSure(partition, at);
    const unreadable = this.options.takesUnreadable === true ? undefined : whyNotReadable(records);
    if (unreadable !== undefined) {
      at.fault = unreadable;
      return this.stopReading(partition, at, unreadable);
    }
    try {
      if (records.length > 0) await onRecords(partition, records);
    } catch (error) {
      // Going on would leave a gap in what the reader knows.
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

  /** Never rejects: while the brokers are away the tail's own fetches say so. */
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
      else if (at.fetchFrom !== fetchFrom) this.placeAt(partition, at);
      else this.tellWhetherSure(partition, at);
    }
  }

  private afterChange(partition: number, at: TailPosition<ConsumedRecord>): void {
    const { log } = this.options;
    if (at.isBehind) this.logBehind(partition, at);
    else log.info({ topic: this.name, partition, next: String(at.next) }, 'the log has what was read again');
    this.placeAt(partition, at);
    if (!at.isBehind) this.consumer.resume([{ topic: this.name, partitions: [partition] }]);
  }

  private logBehind(partition: number, at: TailPosition<ConsumedRecord>): void {
    const facts = { topic: this.name, partition, next: String(at.next) };
    this.options.log.warn(facts, 'the log ends before what was read: waiting for its brokers to agree');
  }

  private tellFault(partition: number, fault: string): void {
    this.options.log.error({ topic: this.name, partition }, `the tail reads no further: ${fault}`);
    this.options.onFault?.(partition, fault);
  }

  private stopReading(partition: number, at: TailPosition<ConsumedRecord>, fault: string): void {
    this.tellFault(partition, fault);
    this.tellWhetherSure(partition, at);
    // It throws while kafkajs has no group; then the next join does it.
    this.consumer.pause([{ topic: this.name, partitions: [partition] }]);
  }
}
