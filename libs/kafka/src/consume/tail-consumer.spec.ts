import { silentLog } from '@tranche/runtime';
import { fakeKafka, type FakeConsumer } from '../../test/fake-consumer.js';
import * as clients from '../kafkajs/kafka-client.js';
import { markHeader } from '../kafkajs/unreadable-batch.js';
import { TailConsumer } from './tail-consumer.js';

jest.mock('../kafkajs/kafka-client.js');

describe('a tail that is stopped while it compares its log', () => {
  let answer: () => void;
  let isStopped: boolean;

  beforeEach(async () => {
    jest.useFakeTimers();
    fakeKafka(clients, () => undefined);
    const client = { brokers: ['fake:9092'], clientId: 'spec' };
    const tail = new TailConsumer({ client, topic: 'records', from: new Map(), onRecords: () => undefined, log: silentLog }); // prettier-ignore
    await tail.start();
    const answered = new Promise<void>((resolve) => (answer = resolve));
    jest.mocked(clients.askAdmin).mockImplementation((_client, ask) => answered.then(() => ask({} as never)));
    jest.advanceTimersByTime(5_000);
    isStopped = false;
    void tail.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(1_500);
  });
  afterEach(() => jest.useRealTimers());

  it('has stopped only when that has ended', async () => {
    expect(isStopped).toBe(false);
    answer();
    await jest.advanceTimersByTimeAsync(0);
    expect(isStopped).toBe(true);
  });

  it('does not wait long for an answer that does not come', async () => {
    expect(isStopped).toBe(false);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(isStopped).toBe(true);
  });
});

describe('a record that a tail can not read', () => {
  const { key, value } = markHeader('too large');
  let fake: FakeConsumer;
  let came: string[];
  let faults: string[];
  let tail: TailConsumer;

  async function start(takesUnreadable: boolean): Promise<void> {
    fakeKafka(clients, (made) => (fake = made));
    [came, faults] = [[], []];
    tail = new TailConsumer({
      client: { brokers: ['fake:9092'], clientId: 'spec' },
      topic: 'records',
      from: new Map([0, 1].map((partition) => [partition, 0n])),
      takesUnreadable,
      onRecords: (partition, records) =>
        void came.push(...records.map(({ offset, unreadable }) => `${partition}/${offset} ${unreadable ?? ''}`)),
      onFault: (partition, fault) => void faults.push(`${partition}: ${fault}`),
      log: silentLog,
    });
    await tail.start();
  }
  afterEach(() => tail.stop());

  it('stops its partition and no other one', async () => {
    await start(false);
    await fake.fetch({ offsets: [0], headers: { [key]: value } });
    await fake.fetch({ offsets: [0], partition: 1 });
    expect(faults).toEqual(['0: records/0/0: too large']);
    expect(came).toEqual(['1/0 ']);
  });

  it('is given to a reader that asks for it', async () => {
    await start(true);
    await fake.fetch({ offsets: [0], headers: { [key]: value } });
    await fake.fetch({ offsets: [1] });
    expect(came).toEqual(['0/0 too large', '0/1 ']);
  });
});
