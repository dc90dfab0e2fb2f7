import { silentLog } from '@tranche/runtime';
import { fakeKafka, type FakeConsumer } from '../../test/fake-consumer.js';
import type { BatchingProducer } from '../produce/batching-producer.js';
import * as clients from '../kafkajs/kafka-client.js';
import { KafkaServer } from '../nest/kafka-server.js';
import { KeyOrderedConsumer } from './key-ordered-consumer.js';

jest.mock('../kafkajs/kafka-client.js');

const settled = () => new Promise((resolve) => setImmediate(resolve));
const options = {
  client: { brokers: ['fake:9092'], clientId: 'spec' },
  groupId: 'group',
  topic: 'records',
  log: silentLog,
};

/** A handler that runs until the test ends it. */
class Handler {
  calls = 0;
  end: () => void = () => undefined;
  readonly handle = () => {
    this.calls++;
    return new Promise<void>((resolve) => (this.end = resolve));
  };
}

function aServer(handle: () => Promise<void>) {
  const server = new KafkaServer({
    ...options,
    producer: {} as BatchingProducer,
    topicPrefix: '',
    deadLetterTopic: 'records',
    inFlight: 10,
  });
  server.addHandler('records', handle, true);
  const start = () =>
    new Promise<void>((resolve, reject) =>
      server.listen((error) => (error instanceof Error ? reject(error) : resolve())),
    );
  return { start, close: () => server.close() };
}

const consumers: [string, (handler: Handler) => { start(): Promise<void>; close(): Promise<void> }][] = [
  ['KeyOrderedConsumer', ({ handle }) => new KeyOrderedConsumer({ ...options, inFlight: 10, handle })],
  ['KafkaServer', ({ handle }) => aServer(handle)],
];

it.each(consumers)('%s is closed only when what an ended assignment runs has ended', async (_name, make) => {
  let fake!: FakeConsumer;
  fakeKafka(clients, (made) => (fake = made));
  const handler = new Handler();
  const consumer = make(handler);
  await consumer.start();
  await settled();
  await fake.fetch({ offsets: [0] });
  await settled();
  // The member leaves and joins again while the call runs, so the call's assignment has ended.
  fake.stop();
  fake.join();
  await settled();
  let isClosed = false;
  const closing = consumer.close().then(() => (isClosed = true));
  for (let turn = 0; turn < 10; turn++) await settled();
  expect([handler.calls, isClosed]).toEqual([1, false]);
  handler.end();
  await closing;
});
