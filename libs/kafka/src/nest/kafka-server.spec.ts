import { silentLog } from '@tranche/runtime';
import { fakeKafka, type FakeConsumer } from '../../test/fake-consumer.js';
import type { BatchingProducer } from '../produce/batching-producer.js';
import type { ProducerRecord } from '../produce/produce-batch.js';
import * as clients from '../kafkajs/kafka-client.js';
import { TerminalError } from './kafka-handler.js';
import { KafkaServer } from './kafka-server.js';

jest.mock('../kafkajs/kafka-client.js');

const settled = () => new Promise((resolve) => setImmediate(resolve));
const until = async (isSo: () => boolean) => {
  for (let looks = 0; !isSo() && looks < 500; looks++) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('a dead letter that can not be written', () => {
  let fake: FakeConsumer;
  let server: KafkaServer;
  let notReady: () => string | undefined;
  const broken = new Set<string>();
  const written: string[] = [];

  beforeEach(async () => {
    fakeKafka(clients, (made) => (fake = made));
    broken.clear();
    written.length = 0;
    const send = ({ headers }: ProducerRecord) => {
      const partition = String(headers!['dead-letter-partition']);
      if (broken.has(partition)) return Promise.reject(new Error('no room'));
      written.push(partition);
      return Promise.resolve();
    };
    server = new KafkaServer({
      client: { brokers: ['fake:9092'], clientId: 'spec' },
      producer: { send } as unknown as BatchingProducer,
      groupId: 'group',
      topicPrefix: '',
      deadLetterTopic: 'records',
      inFlight: 10,
      retryDelayMs: 10,
      log: silentLog,
      health: {
        addReadiness: (name, check) => void (name.startsWith('kafka dead letters') && (notReady = check)),
        addLiveness: () => undefined,
      },
    });
    const fail = () => Promise.reject(new TerminalError('never', 'will never succeed'));
    server.addHandler('records', fail, true);
    await new Promise<void>((resolve) => server.listen(() => resolve()));
    fake.join([0, 1]);
    for (let turn = 0; turn < 10; turn++) await settled();
  });
  afterEach(() => server.close());

  it('keeps the service from being ready as long as one partition waits for it', async () => {
    broken.add('0').add('1');
    await fake.fetch({ offsets: [0] });
    await fake.fetch({ offsets: [0], partition: 1 });
    await until(() => notReady() !== undefined);
    broken.delete('1');
    await until(() => written.includes('1'));
    await settled();
    expect(notReady()).toBe('a dead letter cannot be written: no room');
    broken.delete('0');
    await until(() => written.includes('0'));
    await settled();
    expect(notReady()).toBeUndefined();
  });

  it('counts for nothing any more once its partition was taken away', async () => {
    broken.add('0');
    await fake.fetch({ offsets: [0] });
    await until(() => notReady() !== undefined);
    expect(notReady()).toBe('a dead letter cannot be written: no room');
    fake.join([1]);
    await settled();
    expect(notReady()).toBeUndefined();
  });
});
