import { Injectable, Scope } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { LogReader, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import type { JournalEntry, JournalReader } from '@tranche/order-journal';
import { ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { Recovery } from './recovery.service.js';

/** Reads `payments.journal.v1` from its beginning. Each user has its own reader, and closes it. */
@Injectable({ scope: Scope.TRANSIENT })
export class JournalReaderConsumer implements JournalReader {
  readonly #reader: LogReader;

  constructor(
    config: GatewayConfig,
    @InjectKafkaClient() client: KafkaClient,
    log: ServiceLogger,
    private readonly recovery: Recovery,
  ) {
    this.#reader = new LogReader({ client, topic: topicName(config.kafkaTopicPrefix, TOPICS.journal), log });
  }

  firstKept(partition: number): Promise<bigint> {
    return this.#reader.firstKept(partition);
  }

  end(partition: number): Promise<bigint> {
    return this.#reader.end(partition);
  }

  async *read(partition: number, from: bigint, until: bigint): AsyncIterable<JournalEntry[]> {
    for await (const records of this.#reader.read(partition, from, until))
      yield records.map((record) => this.recovery.skipped.substitute(record));
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}
