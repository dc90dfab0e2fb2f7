import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { LogReader } from '@tranche/kafka';
import { recoveryRecordOf, type RecoveryRecord } from '@tranche/order-journal';
import { KafkaParts, NextAnswer } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';
import { DecisionList, type DecisionRecord } from './decision.js';

/** The topic has one partition, so that all its records are ordered. */
const PARTITION = 0;

/**
 * Reads and writes `payments.decisions.v1`. The process has one reader, which continues at its last offset. Callers share the next read. None
 * joins a read in progress, because that read may end before a record that was appended since.
 */
@Injectable()
export class DecisionTopic implements OnApplicationShutdown {
  readonly #topic: string;
  readonly #reader: LogReader;
  #list = new DecisionList();
  /** Records of `tranche journal`. */
  #recovery: RecoveryRecord[] = [];
  readonly #reading = new NextAnswer(() => this.#readOn());
  #next?: bigint;
  #topicId?: string;

  constructor(
    config: GatewayConfig,
    private readonly kafka: KafkaParts,
  ) {
    const { client, log } = kafka;
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.decisions);
    this.#reader = new LogReader({ client, topic: this.#topic, log, takesUnreadable: true });
  }

  /** Returns all decisions that the topic holds now. */
  current(): Promise<DecisionList> {
    return this.#reading.ask();
  }

  /** Returns all records of `tranche journal` that the topic holds now. */
  async recoveryRecords(): Promise<readonly RecoveryRecord[]> {
    await this.current();
    return this.#recovery;
  }

  /** Appends a record and reads the topic up to it, because an earlier record may make it invalid: only the first answer counts. */
  async append(record: DecisionRecord): Promise<{ list: DecisionList; hasCounted: boolean }> {
    // A unique key: under a shared key, compaction would keep only the last record, which may be an invalid one.
    const key = `${record.id}/${randomUUID()}`;
    await this.#send(key, Buffer.from(JSON.stringify(record)));
    const list = await this.current();
    return { list, hasCounted: list.hasCounted(key) };
  }

  /** Writes tombstones, so that compaction deletes the records with these keys. */
  async delete(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#send(key, null)));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#reader.close();
  }

  async #send(key: string, value: Buffer | null): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    await this.kafka.producer.send({ topic: this.#topic, partition: PARTITION, key, value, headers });
  }

  async #readOn(): Promise<DecisionList> {
    const { low, high: end, topicId } = await this.#reader.bounds(PARTITION);
    if (topicId !== this.#topicId) this.#readAnother(topicId);
    this.#next ??= low;
    if (end < this.#next)
      throw new Error(`${this.#topic} ends at ${end}, but was read up to ${this.#next}: the log was lost or replaced`);
    for await (const records of this.#reader.read(PARTITION, this.#next, end)) {
      for (const { offset, key, value, unreadable } of records) {
        const ofJournal = recoveryRecordOf(value);
        if (ofJournal !== undefined) this.#recovery.push(ofJournal);
        const fault = ofJournal === undefined ? (unreadable ?? this.#list.take(key, value)) : undefined;
        if (fault !== undefined) this.kafka.log.warn({ offset: String(offset), fault }, 'A decision record is ignored');
        this.#next = offset + 1n;
      }
    }
    this.#next = end;
    return this.#list;
  }

  /** Forgets what a topic held that was deleted and made again, as a restart would. */
  #readAnother(topicId: string | undefined): void {
    if (this.#topicId !== undefined)
      this.kafka.log.error({ topic: this.#topic }, 'The topic was made anew: what it held before is forgotten');
    this.#topicId = topicId;
    this.#list = new DecisionList();
    this.#recovery = [];
    this.#next = undefined;
  }
}
