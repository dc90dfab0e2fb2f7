import { askAdmin, type KafkaClient } from '../kafkajs/kafka-client.js';
import { untilShown } from './topics.js';

/** Resolves when the brokers no longer list the topic (with prefix). For tools and tests only; no service deletes records. */
export function deleteTopic(client: KafkaClient, topic: string): Promise<void> {
  return askAdmin(client, async (admin) => {
    // kafkajs deletes again when the metadata after the first deletion has a fault, and then the topic is unknown.
    await admin.deleteTopics({ topics: [topic] }).catch((error: { type?: string; cause?: { type?: string } }) => {
      if ((error.cause?.type ?? error.type) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
    });
    await untilShown(admin, [topic], false);
  });
}

/** For tools and tests only. */
export function deleteRecords(client: KafkaClient, topic: string, partition: number, offset: bigint): Promise<void> {
  return askAdmin(client, async (admin) => {
    // kafkajs knows the partitions' leaders only after a request about them.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
  });
}
