import kafkajs from 'kafkajs';

/** Deletes every topic with the prefix in one request. */
export async function deleteTopics(brokers: string, prefix: string): Promise<void> {
  const { Kafka, logLevel } = kafkajs;
  const admin = new Kafka({ brokers: brokers.split(','), clientId: 'bench', logLevel: logLevel.ERROR }).admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } finally {
    await admin.disconnect();
  }
}
