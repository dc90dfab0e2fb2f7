import { silentLog } from '@tranche/runtime';
import { fakeKafka } from '../../test/fake-consumer.js';
import * as clients from '../kafkajs/kafka-client.js';
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
