import { Test } from '@nestjs/testing';
import { silentLog } from '@tranche/runtime';
import * as clients from '../kafkajs/kafka-client.js';
import { BatchingProducer } from '../produce/batching-producer.js';
import * as topics from '../topics/topics.js';
import { KafkaModule } from './kafka.module.js';

jest.mock('../kafkajs/kafka-client.js');
jest.mock('../topics/topics.js');

const STEPS = ['waitForKafka', 'prepareTopics', 'connect', 'close'] as const;

/** An app that needs Kafka; it is stopped during the step `at`. */
async function app(at?: (typeof STEPS)[number]) {
  const calls: string[] = [];
  const stopping = new AbortController();
  const step = (name: (typeof STEPS)[number]) => () => {
    calls.push(name);
    if (name === at) stopping.abort(new Error('the service is stopping'));
    return Promise.resolve();
  };
  jest.mocked(clients.createKafkaClient).mockReturnValue({ brokers: ['fake:9092'], clientId: 'spec' });
  jest.mocked(clients.waitForKafka).mockImplementation(step('waitForKafka'));
  jest.mocked(topics.prepareTopics).mockImplementation(step('prepareTopics'));
  const module = KafkaModule.forRoot({
    kafka: { brokers: ['fake:9092'], clientId: 'spec' },
    topics: { prefix: '', definitions: [], mode: 'check' },
    log: silentLog,
    health: { addReadiness: () => undefined, addLiveness: () => undefined },
    stopping: stopping.signal,
  });
  const app = await Test.createTestingModule({ imports: [module] }).compile();
  const producer = app.get(BatchingProducer);
  jest.spyOn(producer, 'connect').mockImplementation(step('connect'));
  jest.spyOn(producer, 'close').mockImplementation(step('close'));
  return { app, calls };
}

it('waits for Kafka, prepares the topics and connects the producer, which it closes at the end', async () => {
  const { app: started, calls } = await app();
  await started.init();
  expect(calls).toEqual(['waitForKafka', 'prepareTopics', 'connect']);
  await started.close();
  expect(calls).toEqual(STEPS);
});

it('does not connect the producer of a service that was stopped while its topics were prepared', async () => {
  const { app: stopped, calls } = await app('prepareTopics');
  await expect(stopped.init()).rejects.toThrow('the service is stopping');
  expect(calls).toEqual(['waitForKafka', 'prepareTopics']);
});
