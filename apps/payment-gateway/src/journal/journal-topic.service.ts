import { Injectable } from '@nestjs/common';
import { orderKey, TOPICS, topicName } from '@tranche/contracts';
import { RecordTooLargeError, topicOffsets, LogFollower, LogReader, UnreadableRecordError } from '@tranche/kafka';
import {
  encodeRecord,
  JOURNAL_PARTITIONS,
  journalPartition,
  type JournalLog,
  type JournalRecord,
  type LogBounds,
  JournalChangedError,
  type JournalEntry,
  type JournalFollower,
  type JournalReader,
} from '@tranche/order-journal';
import type { TraceHeaders } from '@tranche/runtime';
import { KafkaParts, NextAnswer } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';
import { Recovery } from './recovery.service.js';

const JSON_CONTENT = { 'content-type': 'application/json' };

/** Appends to `payments.journal.v1`, and reads it under the decisions of `tranche journal`: owned partitions as they grow, and ranges for a rebuild. */
@Injectable()
export class JournalTopic implements JournalLog, JournalReader, JournalFollower {
  readonly #topic: string;
  readonly #ends = new NextAnswer(() => this.offsets());
  readonly #follower: LogFollower;
  readonly #reader: LogReader;

  constructor(
    { kafkaTopicPrefix: topicPrefix }: GatewayConfig,
    private readonly kafka: KafkaParts,
    readonly recovery: Recovery,
  ) {
    const { client, log, health, metrics } = kafka;
    this.#topic = topicName(topicPrefix, TOPICS.journal);
    this.#follower = new LogFollower({
      client,
      topicPrefix,
      topic: TOPICS.journal.name,
      log,
      health,
      metrics: metrics.registry,
    });
    this.#reader = new LogReader({ client, topic: this.#topic, log });
  }

  /** Resolves when partitions can be followed. */
  start(): Promise<void> {
    return this.#follower.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#follower.stop(), this.#reader.close()]);
  }

  /** Returns the first kept offset and the next offset of each partition. @throws where the journal has not all of its 12 partitions (R1) */
  async offsets(): Promise<Map<number, { low: bigint; high: bigint }>> {
    const offsets = await topicOffsets(this.kafka.client, this.#topic);
    if (offsets.size >= JOURNAL_PARTITIONS) return offsets;
    throw new Error(
      `${this.#topic} has ${offsets.size} partitions and must have at least ${JOURNAL_PARTITIONS} for ever: an order's log must stay where it is`,
    );
  }

  /** Callers that arrive while a request is in flight share the next one. */
  async bounds(partition: number): Promise<LogBounds> {
    const offsets = (await this.#ends.ask()).get(partition);
    if (offsets === undefined) throw new Error(`${this.#topic} has no partition ${partition}`);
    return offsets;
  }

  async end(partition: number): Promise<bigint> {
    return (await this.bounds(partition)).high;
  }

  /**
   * Appends a record and resolves with its offset once all in-sync replicas have it. A too large record is written without its REDIRECTHTML, because
   * losing the outcome would be worse.
   */
  async append(record: JournalRecord, trace?: TraceHeaders): Promise<bigint> {
    try {
      return await this.#produce(record, trace);
    } catch (error) {
      if (!(error instanceof RecordTooLargeError) || !('answer' in record) || record.answer.redirectHtml === undefined)
        throw error;
      const { redirectHtml, ...answer } = record.answer;
      return this.#produce({ ...record, answer: { ...answer, redirectHtmlDropped: true } }, trace);
    }
  }

  async #produce(record: JournalRecord, trace?: TraceHeaders): Promise<bigint> {
    const key = orderKey(record.merchant, record.orderId);
    const { offset } = await this.kafka.producer.send({
      topic: this.#topic,
      partition: journalPartition(key),
      key,
      value: encodeRecord(record),
      headers: trace === undefined ? JSON_CONTENT : { ...JSON_CONTENT, ...trace },
    });
    return offset;
  }

  readonly follow: JournalFollower['follow'] = (partition, { onRecords, ...log }, bounds) =>
    this.#follower.follow(
      partition,
      { ...log, onRecords: (records, next) => onRecords(this.#substituted(records), next) },
      bounds,
    );

  unfollow(partition: number): void {
    this.#follower.unfollow(partition);
  }

  hold(partition: number): void {
    this.#follower.hold(partition);
  }

  goOn(partition: number): void {
    this.#follower.goOn(partition);
  }

  firstKept(partition: number): Promise<bigint> {
    return this.#reader.firstKept(partition);
  }

  async *read(partition: number, from: bigint, until: bigint): AsyncIterable<JournalEntry[]> {
    try {
      for await (const records of this.#reader.read(partition, from, until)) yield this.#substituted(records);
    } catch (error) {
      // Repeating the read would not end: the partition stops, as it does where its owner's reader meets such a batch.
      throw error instanceof UnreadableRecordError ? new JournalChangedError(error.message) : error;
    }
  }

  #substituted(records: readonly JournalEntry[]): JournalEntry[] {
    return records.map((record) => this.recovery.skipped.substitute(record));
  }
}
