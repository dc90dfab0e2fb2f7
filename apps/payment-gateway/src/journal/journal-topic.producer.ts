import { Injectable } from '@nestjs/common';
import { orderKey, TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer, RecordTooLargeError, topicOffsets, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import {
  encodeRecord,
  JOURNAL_PARTITIONS,
  journalPartition,
  type JournalLog,
  type JournalRecord,
  type LogBounds,
} from '@tranche/order-journal';
import type { TraceHeaders } from '@tranche/runtime';
import { GatewayConfig } from '../gateway.config.js';
import { NextAnswer } from './next-answer.js';

const JSON_CONTENT = { 'content-type': 'application/json' };

/** Finds the ends of `payments.journal.v1`, and appends to it. */
@Injectable()
export class JournalTopic implements JournalLog {
  readonly #topic: string;
  readonly #ends = new NextAnswer(() => this.offsets());

  constructor(
    config: GatewayConfig,
    @InjectKafkaClient() private readonly kafka: KafkaClient,
    private readonly producer: BatchingProducer,
  ) {
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.journal);
  }

  /** Returns the first kept offset and the next offset of each partition. @throws where the journal does not have its 12 partitions (R1) */
  async offsets(): Promise<Map<number, { low: bigint; high: bigint }>> {
    const offsets = await topicOffsets(this.kafka, this.#topic);
    if (offsets.size === JOURNAL_PARTITIONS) return offsets;
    throw new Error(
      `${this.#topic} has ${offsets.size} partitions and must have ${JOURNAL_PARTITIONS} for ever: an order's log must stay where it is`,
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
    const { offset } = await this.producer.send({
      topic: this.#topic,
      partition: journalPartition(key),
      key,
      value: encodeRecord(record),
      headers: trace === undefined ? JSON_CONTENT : { ...JSON_CONTENT, ...trace },
    });
    return offset;
  }
}
