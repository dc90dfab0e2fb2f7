import { topicName, TOPICS } from '@tranche/contracts';
import { LogReader, topicOffsets, type KafkaClient } from '@tranche/kafka';
import type { Log } from '@tranche/runtime';
import type { IngestConfig } from '../ingest.config.js';
import { inOrderOfArrival } from './order-of-arrival.js';
import { quarantinedOf, type Quarantined } from './quarantined.js';

/** Reads the quarantine topic from the start to its present end, sorted by arrival. It commits no offset, so each run reads everything. */
export class QuarantineConsumer {
  /** Number of records that are not quarantined notifications. */
  unreadable = 0;

  constructor(
    private readonly client: KafkaClient,
    private readonly config: Pick<IngestConfig, 'kafkaTopicPrefix'>,
    private readonly log: Log,
  ) {}

  async *read(): AsyncGenerator<Quarantined> {
    const topic = topicName(this.config.kafkaTopicPrefix, TOPICS.notificationsQuarantine);
    const offsets = await topicOffsets(this.client, topic);
    const filled = [...offsets].filter(([, { low, high }]) => low !== high);
    yield* inOrderOfArrival(
      filled.map(([partition, { low, high }]) => this.readPartition(topic, partition, low, high)),
    );
  }

  private async *readPartition(
    topic: string,
    partition: number,
    low: bigint,
    high: bigint,
  ): AsyncGenerator<Quarantined> {
    const reader = new LogReader({ client: this.client, topic, log: this.log, takesUnreadable: true });
    try {
      for await (const records of reader.read(partition, low, high)) {
        for (const { key, value } of records) {
          const quarantined = quarantinedOf(key, value);
          if (quarantined === undefined) this.unreadable++;
          else yield quarantined;
        }
      }
    } finally {
      await reader.close();
    }
  }
}
