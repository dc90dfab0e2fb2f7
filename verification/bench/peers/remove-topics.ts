import { kafka } from './kafka.js';

export async function run(): Promise<void> {
  const prefix = process.env.TOPIC_PREFIX ?? '';
  if (!prefix.startsWith('bench-')) throw new Error(`${prefix || 'no prefix'} is no prefix of a bench`);
  const admin = kafka().admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
  if (topics.length > 0) await admin.deleteTopics({ topics });
  await admin.disconnect();
}
