// A group member to be killed. Prints the handled records; the record with the key "stuck" never finishes.
import 'reflect-metadata';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { KafkaServer } from '@tranche/kafka/nest';

const [brokers, topicPrefix] = process.argv.slice(2);
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'to-be-killed' }, log);
const server = new KafkaServer({
  client,
  producer: new BatchingProducer({ client, log }),
  groupId: `${topicPrefix}group`,
  topicPrefix,
  deadLetterTopic: 'dead',
  inFlight: 16,
  sessionTimeoutMs: 1500,
  log,
});
const handle = async (record) => {
  if (record.key === 'stuck') await new Promise(silent);
  process.stdout.write(`${record.value}\n`);
};
server.addHandler('commands', handle, true, {});
server.listen((error) => {
  if (error) throw error;
});
