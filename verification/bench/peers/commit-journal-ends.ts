import { TOPICS, topicName } from '@tranche/contracts';
import { kafka } from './kafka.js';

export async function run(): Promise<void> {
  const { TOPIC_PREFIX: prefix = '' } = process.env;
  const topic = topicName(prefix, TOPICS.journal);
  const admin = kafka().admin();
  await admin.connect();
  const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({ partition, offset: high }));
  await admin.setOffsets({ groupId: `${prefix}payment-gateway`, topic, partitions });
  await admin.disconnect();
}
