import { Inject, Injectable } from '@nestjs/common';
import { orderKey, TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer, TailConsumer, topicOffsets, type ConsumedRecord, type KafkaClient } from '@tranche/kafka';
import { encodeRecord, JOURNAL_PARTITIONS, journalPartition, type JournalRecord } from '@tranche/order-journal';
import { Health, ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { KAFKA_CLIENT } from '../kafka-client.js';

/** `payments.journal.v1` itself: where it ends, appending to it, following it. */
@Injectable()
export class JournalTopic {
  readonly #topic: string;

  constructor(
    config: GatewayConfig,
    @Inject(KAFKA_CLIENT) private readonly kafka: KafkaClient,
    private readonly producer: BatchingProducer,
    private readonly log: ServiceLogger,
    private readonly health: Health,
  ) {
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.journal);
  }

  /** Per partition the first offset kept and the offset of the next record. Throws where the journal has not its 12 partitions (R1). */
  async offsets(): Promise<Map<number, { low: bigint; high: bigint }>> {
    const offsets = await topicOffsets(this.kafka, this.#topic);
    if (offsets.size === JOURNAL_PARTITIONS) return offsets;
    throw new Error(
      `${this.#topic} has ${offsets.size} partitions and must have ${JOURNAL_PARTITIONS} for ever: an order's log must stay where it is`,
    );
  }

  /** Appends a record to its order's partition, acknowledged by all replicas. Resolves with its offset. */
  async append(record: JournalRecord): Promise<bigint> {
    const key = orderKey(record.merchant, record.orderId);
    const headers = { 'content-type': 'application/json' };
    const { offset } = await this.producer.send({
      topic: this.#topic,
      partition: journalPartition(key),
      key,
      value: encodeRecord(record),
      headers,
    });
    return offset;
  }

  /** Reads every partition from `from` on, for as long as the process lives. */
  async follow(
    from: Map<number, bigint>,
    onRecords: (partition: number, records: ConsumedRecord[]) => void,
  ): Promise<{ stop(): Promise<void> }> {
    const tail = new TailConsumer({ client: this.kafka, topic: this.#topic, from, onRecords, log: this.log, health: this.health });
    await tail.start();
    return tail;
  }
}
