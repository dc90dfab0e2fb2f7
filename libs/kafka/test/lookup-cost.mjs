// Measures the cost of asking for a topic's end, by its name and via all topics, beside other users' topics: `node
// libs/kafka/test/lookup-cost.mjs` (built; KAFKA_BROKERS as `npm run stack -- --infra` prints it). docs/decisions/0041 has the figures.
import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { createKafkaClient, topicOffsets } from '../dist/index.js';

const TOPICS = 500;
const PARTITIONS = 12;
const ROUNDS = 20;

const brokers = (process.env.KAFKA_BROKERS ?? '127.0.0.1:9092').split(',');
const kafka = new kafkajs.Kafka({ brokers, clientId: 'lookup-cost', logLevel: kafkajs.logLevel.NOTHING });
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const client = createKafkaClient({ brokers, clientId: 'lookup-cost' }, silent);
const prefix = `lookup-cost-${randomUUID().slice(0, 8)}.`;
const topics = Array.from({ length: TOPICS }, (_, index) => `${prefix}${index}`);
const [topic] = topics;

async function withAdmin(ask) {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await ask(admin);
  } finally {
    await admin.disconnect();
  }
}

const ways = {
  'by its name': () => topicOffsets(client, topic),
  'by way of all topics': () =>
    withAdmin(async (admin) => {
      if (!(await admin.listTopics()).includes(topic)) throw new Error(`${topic} does not exist`);
      await admin.fetchTopicOffsets(topic);
    }),
};

async function cost(ask) {
  const before = process.cpuUsage();
  const begun = performance.now();
  for (let round = 0; round < ROUNDS; round++) await ask();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000 / ROUNDS, ms: (performance.now() - begun) / ROUNDS };
}

for (let from = 0; from < TOPICS; from += 50)
  await withAdmin((admin) =>
    admin.createTopics({
      waitForLeaders: false,
      timeout: 60_000,
      topics: topics.slice(from, from + 50).map((name) => ({ topic: name, numPartitions: PARTITIONS })),
    }),
  );
const areListed = async (admin) =>
  (await admin.listTopics()).filter((name) => name.startsWith(prefix)).length === TOPICS;
while (!(await withAdmin(areListed))) console.log('waiting for the topics …');
try {
  for (const ask of Object.values(ways)) await ask();
  for (const round of [1, 2, 3])
    for (const [way, ask] of Object.entries(ways)) {
      const { cpuMs, ms } = await cost(ask);
      console.log(
        `round ${round}, ${way}: ${ms.toFixed(1)} ms, ${cpuMs.toFixed(1)} ms of this process's processor time`,
      );
    }
} finally {
  for (let from = 0; from < TOPICS; from += 50)
    await withAdmin((admin) => admin.deleteTopics({ topics: topics.slice(from, from + 50), timeout: 60_000 }));
}
