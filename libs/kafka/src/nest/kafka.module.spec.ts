import { Test } from '@nestjs/testing';
import { silentLog } from '@tranche/runtime';
import { Registry } from 'prom-client';
import * as clients from '../kafkajs/kafka-client.js';
import { BatchingProducer } from '../produce/batching-producer.js';
import * as topics from '../topics/topics.js';
import { KafkaModule, kafkaOptionsOf, type ServiceKafkaSettings } from './kafka.module.js';

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

describe('the options of a service', () => {
  const settings = { kafka: { brokers: ['fake:9092'], ssl: true }, kafkaTopicPrefix: 'p.', topics: 'check' as const };
  const metrics = { registry: new Registry() };
  const lifetime = { stopping: new AbortController().signal };
  const health = { addReadiness: () => undefined, addLiveness: () => undefined };
  const optionsOf = (service: object, given: ServiceKafkaSettings = settings) =>
    kafkaOptionsOf({ clientId: 'spec', topics: [], ...service })(given, silentLog, metrics, lifetime, health);

  it('are its settings under its name; it is not ready without Kafka', () => {
    expect(optionsOf({})).toEqual({
      kafka: { ...settings.kafka, clientId: 'spec' },
      topics: { prefix: 'p.', definitions: [], mode: 'check' },
      log: silentLog,
      metrics: metrics.registry,
      stopping: lifetime.stopping,
      health,
    });
  });

  it('leave its readiness alone where it announces events beside its work, or has no Kafka', () => {
    const beside = optionsOf({ announces: true, closeTimeoutMs: 1_000 });
    expect(beside).toMatchObject({ announces: true, closeTimeoutMs: 1_000 });
    expect(beside).not.toHaveProperty('health');
    expect(optionsOf({ announces: true }, { ...settings, kafka: undefined }).kafka).toBeUndefined();
  });
});
