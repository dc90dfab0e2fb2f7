import { askAdmin, type KafkaClient } from '../kafkajs/kafka-client.js';
import { untilShown } from './topics.js';

/** Deletes a topic (with prefix), and resolves when brokers show it no more. For tools and specs: no service takes away what was written. */
export function deleteTopic(client: KafkaClient, topic: string): Promise<void> {
  return askAdmin(client, async (admin) => {
    await admin.deleteTopics({ topics: [topic] });
    await untilShown(admin, [topic], false);
  });
}

/** Deletes the records of a partition below `offset`. For tools and specs. */
export function deleteRecords(client: KafkaClient, topic: string, partition: number, offset: bigint): Promise<void> {
  return askAdmin(client, async (admin) => {
    // kafkajs knows where partitions are only after it has asked something about them.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
  });
}
