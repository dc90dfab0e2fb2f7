import { Injectable } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { LogFollower, LogReader, UnreadableRecordError, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import {
  JournalChangedError,
  type JournalEntry,
  type JournalFollower,
  type JournalReader,
} from '@tranche/order-journal';
import { Health, Metrics, ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { Recovery } from './recovery.service.js';

/** Reads `payments.journal.v1` under the decisions of `tranche journal`: owned partitions as they grow, and ranges for a rebuild of the index. */
@Injectable()
export class JournalSource implements JournalReader, JournalFollower {
  readonly #follower: LogFollower;
  readonly #reader: LogReader;

  constructor(
    { kafkaTopicPrefix: topicPrefix }: GatewayConfig,
    @InjectKafkaClient() client: KafkaClient,
    private readonly recovery: Recovery,
    log: ServiceLogger,
    health: Health,
    { registry: metrics }: Metrics,
  ) {
    const topic = TOPICS.journal.name;
    this.#follower = new LogFollower({ client, topicPrefix, topic, log, health, metrics });
    this.#reader = new LogReader({ client, topic: topicName(topicPrefix, TOPICS.journal), log });
  }

  /** The epoch with which sequences of events start. */
  get epoch(): number {
    return this.recovery.epoch;
  }

  /** @throws where `tranche journal` changed what is read of the journal since this process started */
  assertCurrent(): Promise<void> {
    return this.recovery.assertCurrent();
  }

  /** Resolves when partitions can be followed. */
  start(): Promise<void> {
    return this.#follower.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#follower.stop(), this.#reader.close()]);
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

  end(partition: number): Promise<bigint> {
    return this.#reader.end(partition);
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
