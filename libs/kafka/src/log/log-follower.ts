import { randomUUID } from 'node:crypto';
import { asError, atMost, pauseFor, type HealthRegistry, type Log } from '@tranche/runtime';
import type { Registry } from 'prom-client';
import { whyNotReadable, type ConsumedRecord } from '../core/record.js';
import { consumedRecord } from '../kafkajs/consumed-record.js';
import { UnknownTopicError } from '../errors.js';
import { ConsumerRunner } from '../kafkajs/consumer-runner.js';
import { FetchPace, watchUnusual } from '../kafkajs/fetches.js';
import { kafkaOf, type KafkaClient, type Consumer, type EachBatchPayload } from '../kafkajs/kafka-client.js';
import { fetchedOf } from '../kafkajs/kafkajs-port.js';
import { kafkaMetrics, type KafkaMetrics } from '../kafka-metrics.js';
import { topicOffsets } from '../topics/offsets.js';
import { LogPosition, type LogBounds } from '../core/log-position.js';

/** Pause before the log's bounds are requested again, while it ends before what was read or no broker answers. */
const lookAgainMs = 1_000;
/** `stop` waits this long for a request for the bounds; kafkajs may hang in it for much longer. */
const lastLookMs = 2_000;

interface Reading {
  /**
   * Called with records in offset order, and the offset behind the last one; without records for offsets that have none (control records, and those
   * of an aborted transaction). The next fetch waits for it, so it must be short.
   */
  onRecords: (records: ConsumedRecord[], next: bigint) => void;
  /**
   * Called once when reading stops: the log is another one, holds a record that cannot be read, or `onRecords` threw; or (`isCut`) retention
   * deleted records before they were read.
   */
  onFault: (fault: string, isCut: boolean) => void;
  /** If true, `onRecords` also gets `unreadable` records; otherwise they stop the partition as a fault does. */
  takesUnreadable?: boolean;
}

interface FollowedLog extends Reading {
  /** First offset to read. */
  from: bigint;
  /** Everything below this offset is known from elsewhere. A log that ends before it for a minute, or begins behind it, is another one. */
  known: bigint;
}

export interface FollowedTopic {
  /** First offset to read, by partition; a partition that is not listed is read from its end at the start. */
  from?: ReadonlyMap<number, bigint> | 'beginning';
  onRecords: (partition: number, records: ConsumedRecord[]) => void;
  /** The other partitions are read on. */
  onFault?: (partition: number, fault: string) => void;
  takesUnreadable?: boolean;
}

interface Followed extends Reading {
  position: LogPosition;
  isHeld: boolean;
}

interface LogFollowerOptions {
  client: KafkaClient;
  topic: string;
  /** Prefix of `topic` on the broker (''); records have the name without it. */
  topicPrefix?: string;
  log: Log;
  metrics?: Registry;
  health?: HealthRegistry;
  /** Called when nothing more will be read, until another follower is created. */
  onLost?: (error: Error) => void;
  /**
   * Milliseconds that a fetch waits for a record (200); the broker answers as soon as it has one. A partition that is followed anew waits for
   * that answer.
   */
  maxWaitMs?: number;
  /** Milliseconds between fetches that return records (2). That is shorter than for other consumers, because intents wait for their record. */
  fetchEveryMs?: number;
  /** Maximum bytes of one partition in one fetch (4 MiB). A larger record is returned alone. */
  maxBytesPerPartition?: number;
}

/**
 * Reads some partitions of a topic, each from an offset of its own, and commits nothing: a group with one member, whose other partitions are
 * paused. It reads on while the group that owns the partitions is joined anew. It sees an append of its own process about as soon as that is
 * acknowledged, because the broker answers a waiting fetch at once.
 */
export class LogFollower {
  private readonly consumer: Consumer;
  private readonly runner: ConsumerRunner;
  private readonly pace: FetchPace;
  private readonly name: string;
  private readonly metrics: KafkaMetrics;
  private readonly followed = new Map<number, Followed>();
  private readonly stopping = new AbortController();
  private hasGroup = false;
  private isLookDue = false;
  private isLooking = false;
  private looking: Promise<void> | undefined;
  private failure: string | undefined;

  constructor(private readonly options: LogFollowerOptions) {
    const { client, topicPrefix = '', topic, log, health, maxWaitMs = 200, fetchEveryMs = 2 } = options;
    this.name = topicPrefix + topic;
    this.metrics = kafkaMetrics(options.metrics);
    this.consumer = kafkaOf(client).consumer({
      groupId: `${client.clientId}.log.${randomUUID()}`,
      // After an outage the broker still counts the previous member, and no partition is read until this timeout has passed.
      sessionTimeout: 6_000,
      heartbeatInterval: 1_500,
      minBytes: 1,
      maxWaitTimeInMs: maxWaitMs,
      maxBytesPerPartition: options.maxBytesPerPartition ?? 4 * 1024 * 1024,
      allowAutoTopicCreation: false,
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
      onLost: (error) => this.lost(`did not start again: ${String(error)}`, asError(error)),
      log,
    });
    this.pace = new FetchPace(this.consumer, fetchEveryMs);
    watchUnusual(this.consumer, maxWaitMs, () => this.doubt());
    // kafkajs passes such offsets without calling `eachBatch`.
    this.consumer.on('consumer.end_batch_process', ({ payload: { partition, batchSize, firstOffset, lastOffset } }) => {
      if (batchSize === 0) this.pass(partition, BigInt(firstOffset ?? lastOffset), BigInt(lastOffset));
    });
    health?.addLiveness(`kafka log ${this.name}`, () => this.failure);
  }

  /**
   * Resolves when partitions can be followed; nothing stays connected after a rejection.
   * @param all every partition is followed; each record appended after the start will be read
   * @throws UnknownTopicError if the topic does not exist
   * @throws ConsumerClosedError if it is stopped meanwhile
   */
  start(all?: FollowedTopic): Promise<void> {
    return this.runner.start(async () => {
      const bounds = await topicOffsets(this.options.client, this.name);
      if (all) this.followAll(all, bounds);
    });
  }

  /** Resolves after the next fetch that is answered. */
  fetched(): Promise<void> {
    return new Promise((resolve) => {
      const remove = this.consumer.on('consumer.fetch', () => {
        remove();
        resolve();
      });
    });
  }

  /** May be called during `start()`, which then rejects. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.followed.clear();
    await Promise.all([this.runner.stop(), atMost(lastLookMs, Promise.resolve(this.looking))]);
  }

  /**
   * Reads a partition from now on, in place of what was followed of it before.
   * @param bounds of the log, asked after `known` was
   */
  follow(partition: number, { from, known, ...reading }: FollowedLog, bounds: LogBounds): void {
    const position = new LogPosition(`${this.name}/${partition}`, from, known);
    this.followed.set(partition, { ...reading, position, isHeld: false });
    this.compare(partition, position, bounds);
    if (position.isBehind) this.look();
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

  private followAll(
    { from, onRecords, onFault, takesUnreadable = false }: FollowedTopic,
    all: Map<number, LogBounds>,
  ): void {
    for (const [partition, bounds] of all) {
      const { low, high } = bounds;
      const wanted = from === 'beginning' ? low : (from?.get(partition) ?? high);
      const first = wanted < low ? low : wanted;
      const reading: Reading = {
        onRecords: (records) => records.length > 0 && onRecords(partition, records),
        onFault: (fault) => onFault?.(partition, fault),
        takesUnreadable,
      };
      this.follow(partition, { ...reading, from: first, known: first }, bounds);
    }
  }

  private afterJoin(partitions: readonly number[]): void {
    this.hasGroup = true;
    this.consumer.pause([{ topic: this.name, partitions: [...partitions] }]);
    this.doubt();
    for (const partition of this.followed.keys()) this.setPosition(partition);
  }

  private afterCrash(error: Error, comesBack: boolean): void {
    const { log } = this.options;
    this.hasGroup = false;
    const facts = { topic: this.name, error: String(error), restart: comesBack };
    log[comesBack ? 'warn' : 'error'](facts, 'reading the log stopped');
    if (!comesBack) this.lost(`crashed: ${error.message}`, error);
  }

  private lost(what: string, error: Error): void {
    this.failure = `the reader of ${this.name} ${what}`;
    this.options.onLost?.(error);
  }

  /** The next records of each partition are taken only when its last record was compared; the bounds show a log that has no more records. */
  private doubt(): void {
    for (const { position } of this.followed.values()) position.doubt();
    this.look();
  }

  private setPosition(partition: number): void {
    const one = this.followed.get(partition);
    // The next join sets every position.
    if (!one || !this.hasGroup) return;
    const { position, isHeld } = one;
    if (position.isBehind || isHeld) return this.pause(partition);
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
    if (!one || fetched.isStale()) return;
    const { position } = one;
    const all = batch.messages.map((message) => consumedRecord(this.options.topic, partition, message));
    const records = position.take(all, fetchedOf(batch)?.from, BigInt(batch.lastOffset()) + 1n);
    if (records === undefined) {
      if (position.fault !== undefined) return this.fail(partition, position.fault);
      return this.setPosition(partition);
    }
    const unreadable = one.takesUnreadable === true ? undefined : whyNotReadable(records);
    if (unreadable !== undefined) return this.fail(partition, unreadable);
    this.metrics.logRecords.inc({ topic: this.options.topic }, records.length);
    if (!this.give(partition, one, records)) return;
    // `onRecords` may have ended this reading, or begun another one.
    if (this.followed.get(partition) === one) fetched.resolveOffset(String(position.next - 1n));
    await this.pace.keep(all.length);
  }

  private give(partition: number, { onRecords, position }: Followed, records: ConsumedRecord[]): boolean {
    try {
      onRecords(records, position.next);
      return true;
    } catch (error) {
      // To read on would leave a gap in what the reader knows.
      this.failure = `reading ${this.name}/${partition} failed: ${String(error)}`;
      this.fail(partition, this.failure);
      return false;
    }
  }

  private pass(partition: number, first: bigint, last: bigint): void {
    const one = this.followed.get(partition);
    if (!one) return;
    const { position } = one;
    if (position.pass(first, last)) this.give(partition, one, []);
    else if (position.fault !== undefined) this.fail(partition, position.fault);
    // kafkajs has passed these offsets. They must come once more, after the last record was compared: they may be the last ones of the log.
    else this.setPosition(partition);
  }

  private fail(partition: number, fault: string, isCut = false): void {
    const one = this.followed.get(partition);
    this.unfollow(partition);
    this.options.log.error({ topic: this.name, partition }, `the log is read no further: ${fault}`);
    one?.onFault(fault, isCut);
  }

  private look(): void {
    this.isLookDue = this.followed.size > 0;
    if (!this.isLooking) this.looking = this.lookWhileDue();
  }

  /** Never rejects: while the brokers are down, fetches report it. A look that was asked for meanwhile is made too, since its cause came later. */
  private async lookWhileDue(): Promise<void> {
    const { signal } = this.stopping;
    this.isLooking = true;
    while (this.isLookDue && !signal.aborted) {
      this.isLookDue = false;
      const isSettled = await this.compareAll().catch((error: unknown) => {
        this.options.log.debug({ topic: this.name, error: String(error) }, 'the log could not be compared');
        return false;
      });
      if (isSettled) continue;
      this.isLookDue = true;
      await pauseFor(lookAgainMs, signal);
    }
    this.isLooking = false;
  }

  /** Compares every position with the log's bounds. Returns false while one is behind. */
  private async compareAll(): Promise<boolean> {
    const asked = [...this.followed].map(([partition, one]) => ({ partition, one, known: one.position.asked }));
    if (asked.length === 0) return true;
    const offsets = await this.bounds();
    for (const { partition, one, known } of asked) {
      if (this.followed.get(partition) !== one) continue;
      const { position } = one;
      const { isBehind, fetchFrom } = position;
      this.compare(partition, position, offsets.get(partition), known);
      if (position.isBehind !== isBehind || position.fetchFrom !== fetchFrom) this.setPosition(partition);
    }
    return ![...this.followed.values()].some(({ position }) => position.isBehind);
  }

  /** A topic that is gone has no partitions. */
  private async bounds(): Promise<Map<number, LogBounds>> {
    try {
      return await topicOffsets(this.options.client, this.name);
    } catch (error) {
      if (error instanceof UnknownTopicError) return new Map();
      throw error;
    }
  }

  private compare(
    partition: number,
    position: LogPosition,
    bounds: LogBounds | undefined,
    asked = position.asked,
  ): void {
    const { isBehind } = position;
    position.compare(bounds, performance.now(), asked);
    const facts = { topic: this.name, partition, next: String(position.next) };
    if (position.fault !== undefined) this.fail(partition, position.fault, position.isCut);
    else if (position.isBehind && !isBehind)
      this.options.log.warn(facts, 'the log ends before what was read: waiting for its brokers to agree');
    else if (isBehind && !position.isBehind) this.options.log.info(facts, 'the log has what was read again');
  }
}
