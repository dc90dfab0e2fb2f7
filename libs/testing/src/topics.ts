import kafkajs, { type Admin } from 'kafkajs';
import type { KafkaClient } from '@tranche/kafka';
import { waitFor } from './wait-for.js';

/** Services only make topics. Tests also lose them and their records, and the bench takes its own away. */
async function withAdmin({ brokers }: KafkaClient, use: (admin: Admin) => Promise<unknown>): Promise<void> {
  const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    await use(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Resolves when the brokers no longer list the topic (with prefix). */
export function deleteTopic(client: KafkaClient, topic: string): Promise<void> {
  return withAdmin(client, async (admin) => {
    // kafkajs deletes again when the metadata after the first deletion has a fault, and then the topic is unknown.
    await admin.deleteTopics({ topics: [topic] }).catch((error: { type?: string; cause?: { type?: string } }) => {
      if ((error.cause?.type ?? error.type) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
    });
    const isGone = async () => !(await admin.listTopics()).includes(topic);
    await waitFor(isGone, { what: `${topic} to be gone` });
  });
}

/** Deletes every topic with the prefix in one request. */
export function deleteTopics(client: KafkaClient, prefix: string): Promise<void> {
  return withAdmin(client, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  });
}

/** Resolves when the brokers show so many partitions. Nobody can take them away. */
export function addPartitions(client: KafkaClient, topic: string, count: number): Promise<void> {
  return withAdmin(client, async (admin) => {
    await admin.createPartitions({ topicPartitions: [{ topic, count }] });
    const areThere = async () =>
      (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0]?.partitions.length === count;
    await waitFor(areThere, { what: `${count} partitions of ${topic}` });
  });
}

/** Deletes the records before the offset. */
export function deleteRecords(client: KafkaClient, topic: string, partition: number, offset: bigint): Promise<void> {
  return withAdmin(client, async (admin) => {
    // kafkajs knows the partitions' leaders only after a request about them.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: String(offset) }] });
  });
}
