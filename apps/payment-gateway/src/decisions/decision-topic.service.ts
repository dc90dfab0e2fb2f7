import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { recoveryRecordOf, type RecoveryRecord } from '@tranche/order-journal';
import { KafkaParts } from '../gateway-kafka.module.js';
import { GatewayConfig } from '../gateway.config.js';
import { DecisionList, type DecisionRecord } from './decision.js';
import { FoldedTopic } from './folded-topic.js';

/** `recovery`: records of `tranche journal`. */
const nothing = () => ({ list: new DecisionList(), recovery: [] as RecoveryRecord[] });

/** Reads and writes `payments.decisions.v1`. */
@Injectable()
export class DecisionTopic implements OnApplicationShutdown {
  readonly #topic: FoldedTopic<ReturnType<typeof nothing>>;

  constructor(config: GatewayConfig, kafka: KafkaParts) {
    const name = topicName(config.kafkaTopicPrefix, TOPICS.decisions);
    this.#topic = new FoldedTopic(kafka, name, nothing, ({ list, recovery }, { key, value, unreadable }) => {
      const ofJournal = recoveryRecordOf(value);
      if (ofJournal !== undefined) recovery.push(ofJournal);
      return ofJournal === undefined ? (unreadable ?? list.take(key, value)) : undefined;
    });
  }

  /** Returns all decisions that the topic holds now. */
  async current(): Promise<DecisionList> {
    return (await this.#topic.current()).list;
  }

  /** Returns all records of `tranche journal` that the topic holds now. */
  async recoveryRecords(): Promise<readonly RecoveryRecord[]> {
    return (await this.#topic.current()).recovery;
  }

  /** Appends a record and reads the topic up to it, because an earlier record may make it invalid: only the first answer counts. */
  async append(record: DecisionRecord): Promise<{ list: DecisionList; hasCounted: boolean }> {
    // A unique key: under a shared key, compaction would keep only the last record, which may be an invalid one.
    const key = `${record.id}/${randomUUID()}`;
    await this.#topic.send(key, Buffer.from(JSON.stringify(record)));
    const list = await this.current();
    return { list, hasCounted: list.hasCounted(key) };
  }

  /** Writes tombstones, so that compaction deletes the records with these keys. */
  async delete(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#topic.send(key, null)));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#topic.close();
  }
}
