// A process to be killed. Handles one record at a time, slowly, prints the finished ones, and never finishes the hundredth.
import { createKafkaClient, KeyOrderedConsumer } from '@tranche/kafka';

const [brokers, topicPrefix] = process.argv.slice(2);
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const consumer = new KeyOrderedConsumer({
  client: createKafkaClient({ brokers: brokers.split(','), clientId: 'to-be-killed' }, log),
  groupId: `${topicPrefix}group`,
  topic: 'records',
  topicPrefix,
  sessionTimeoutMs: 1500,
  inFlight: 1,
  log,
  handle: async (record) => {
    if (String(record.value) === '100') await new Promise(silent);
    await new Promise((resolve) => setTimeout(resolve, 15));
    process.stdout.write(`${record.value}\n`);
  },
});
await consumer.start();
