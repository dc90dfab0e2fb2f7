import { randomUUID } from 'node:crypto';
import type { HealthRegistry, Log } from '@tranche/runtime';
import { ConsumerRunner } from '../kafkajs/consumer-runner.js';
import { FetchPace } from '../kafkajs/fetch-pace.js';
import { kafkaOf, type KafkaClient } from '../kafkajs/kafka-client.js';
import type { Consumer, EachBatchPayload } from '../kafkajs/kafkajs.js';
import { topicOffsets } from '../topics/offsets.js';
import { consumedRecord, type ConsumedRecord } from './consumed-record.js';

/** Intents wait for the tail, so it is shorter than for consumers whose records can wait. Milliseconds. */
const fetchEveryMs = 2;

export interface TailConsumerOptions {
  client: KafkaClient;
  topic: string;
  /** Put in front of `topic` on the broker, and not shown in the records (''). */
  topicPrefix?: string;
  /** The first offset wanted of each partition; a partition that is not named is read from its end at the start. */
  from: ReadonlyMap<number, bigint>;
  /** Records of one partition in offset order. Must not wait for long: the next fetch comes after it. */
  onRecords: (partition: number, records: ConsumedRecord[]) => void | Promise<void>;
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
  private readonly next = new Map<number, bigint>();
  private readonly name: string;
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
      retry: { initialRetryTime: 50, maxRetryTime: 1000, retries: 60 },
    });
    this.runner = new ConsumerRunner({
      consumer: this.consumer,
      name: `the tail of ${this.name}`,
      topics: [this.name],
      eachBatch: (fetched) => this.take(fetched),
      onJoin: () => this.seekAll(),
      onCrash: (error, comesBack) => this.afterCrash(error, comesBack),
      onLost: (error) => void (this.failure = `the tail of ${this.name} did not start again: ${String(error)}`),
      log: options.log,
    });
    this.pace = new FetchPace(this.consumer, fetchEveryMs);
    options.health?.addLiveness(`kafka tail ${this.name}`, () => this.failure);
  }

  /**
   * Resolves when reading has begun. Rejects if the topic does not exist or an offset lies beyond the end of its partition, and with
   * ConsumerClosedError when it is stopped meanwhile; nothing stays connected then.
   */
  start(): Promise<void> {
    return this.runner.start(() => this.place());
  }

  /** Also while it starts: `start()` rejects then. */
  stop(): Promise<void> {
    return this.runner.stop();
  }

  private async place(): Promise<void> {
    const { client, from } = this.options;
    const topic = this.name;
    for (const [partition, { low, high }] of await topicOffsets(client, topic)) {
      const wanted = from.get(partition) ?? high;
      if (wanted > high)
        throw new Error(
          `${topic}/${partition} ends at ${high}, before offset ${wanted} that was read already: the log was lost or replaced`,
        );
      this.next.set(partition, wanted < low ? low : wanted);
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
    const next = this.next.get(partition);
    return next === undefined ? undefined : next - 1n;
  }

  /** kafkajs reports a join before its first fetch, so nothing is ever read from elsewhere. */
  private seekAll(): void {
    for (const [partition, offset] of this.next)
      this.consumer.seek({ topic: this.name, partition, offset: String(offset) });
  }

  private async take(fetched: EachBatchPayload): Promise<void> {
    const { batch } = fetched;
    const { topic, log, onRecords } = this.options;
    const next = this.next.get(batch.partition);
    if (next === undefined || fetched.isStale()) return;
    const records = batch.messages
      .map((message) => consumedRecord(topic, batch.partition, message))
      .filter(({ offset }) => offset >= next);
    try {
      if (records.length > 0) await onRecords(batch.partition, records);
    } catch (error) {
      // Going on would leave a gap in what the reader knows.
      this.failure = `reading ${topic}/${batch.partition} failed at offset ${next}`;
      this.next.delete(batch.partition);
      this.consumer.pause([{ topic: this.name, partitions: [batch.partition] }]);
      return log.error(
        { topic, partition: batch.partition, offset: String(next), error: String(error) },
        'the tail stands still: its reader threw',
      );
    }
    this.next.set(batch.partition, BigInt(batch.lastOffset()) + 1n);
    fetched.resolveOffset(batch.lastOffset());
    await this.pace.keep();
  }
}
