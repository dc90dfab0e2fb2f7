import type { Message, ProducerBatch, RecordMetadata } from 'kafkajs';
import { silentLog } from '@tranche/runtime';
import { ProduceDeadlineError, ProducerClosedError, ProducerOverloadedError, TopicDeniedError } from '../errors.js';
import * as clients from '../kafkajs/kafka-client.js';
import { BatchingProducer } from './batching-producer.js';

jest.mock('../kafkajs/kafka-client.js');

type Answer = (batch: ProducerBatch) => Promise<RecordMetadata[]> | RecordMetadata[];

/** A broker in memory with one topic and partition 0; tests can queue other answers. */
class FakeBroker {
  readonly log: string[] = [];
  readonly batches: string[][] = [];
  readonly answers: Answer[] = [];
  /** Answer where none is queued. */
  always: Answer = (batch) => this.append(batch);
  producers = 0;
  /** Producers that are connected. */
  readonly connected = new Set<number>();
  /** Each connect waits for this promise. */
  connecting: Promise<void> = Promise.resolve();
  /** Delays for the next requests about topics; further requests are answered at once. */
  readonly questions: (() => Promise<void>)[] = [];
  underWay = 0;
  mostUnderWay = 0;

  constructor() {
    jest.mocked(clients.kafkaOf).mockReturnValue({ producer: () => this.producer() } as never);
    jest.mocked(clients.missingTopics).mockImplementation(async (_admin, topics) => {
      await this.questions.shift()?.();
      return topics.filter((topic) => topic !== 'records');
    });
    jest.mocked(clients.withAdmin).mockImplementation((_client, use) =>
      use({
        describeConfigs: () =>
          Promise.resolve({
            resources: [
              { resourceName: 'records', configEntries: [{ configName: 'max.message.bytes', configValue: '100000' }] },
            ],
          }),
      } as never),
    );
  }

  append: Answer = ({ topicMessages = [] }) => {
    const values = topicMessages.flatMap(({ messages }) => messages.map(({ value }) => String(value)));
    const baseOffset = String(this.log.length);
    this.log.push(...values);
    return [{ topicName: 'records', partition: 0, errorCode: 0, baseOffset }];
  };

  private producer() {
    const id = ++this.producers;
    return {
      connect: () => this.connecting.then(() => void this.connected.add(id)),
      disconnect: () => Promise.resolve(void this.connected.delete(id)),
      sendBatch: async (batch: ProducerBatch) => {
        const messages = batch.topicMessages?.flatMap((topic) => topic.messages) ?? [];
        for (const message of messages)
          (message as Message & { chosenPartition: number }).chosenPartition = message.partition ?? 0;
        this.batches.push(messages.map(({ value }) => String(value)));
        this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
        await new Promise((resolve) => setImmediate(resolve));
        this.underWay--;
        return (this.answers.shift() ?? this.always)(batch);
      },
    };
  }
}

function gate() {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const client = { brokers: ['fake:9092'], clientId: 'spec' };

describe('the batching producer', () => {
  let broker: FakeBroker;
  let producer: BatchingProducer;
  const send = (value: string, options = {}) =>
    producer.send({ topic: 'records', key: 'key', value: Buffer.from(value) }, options);
  const sendMany = (count: number) => Promise.all(Array.from({ length: count }, (_, i) => send(String(i))));

  /** Sends a record whose topic request fails, and whose deadline passes afterwards. */
  const missDeadlineUnanswered = async (error: string) => {
    let isAsked = false;
    broker.questions.push(() => {
      isAsked = true;
      return Promise.reject(new Error(error));
    });
    for (let deadlineMs = 5; !isAsked; deadlineMs *= 2)
      await expect(send('0', { deadlineMs })).rejects.toThrow(ProduceDeadlineError);
  };

  beforeEach(() => {
    broker = new FakeBroker();
    producer = new BatchingProducer({ client, log: silentLog });
  });
  afterEach(async () => {
    jest.useRealTimers();
    await producer.close();
  });

  it('gathers what comes together into one batch, 500 records at most, one under way at a time', async () => {
    const offsets = await sendMany(1200);
    expect(broker.batches.map((batch) => batch.length)).toEqual([500, 500, 200]);
    expect(broker.mostUnderWay).toBe(1);
    expect(offsets.map(({ offset }) => Number(offset))).toEqual(Array.from({ length: 1200 }, (_, i) => i));
  });

  it('keeps a batch below what its topic takes', async () => {
    await Promise.all(Array.from({ length: 4 }, () => send('x'.repeat(40_000))));
    expect(broker.batches.map((batch) => batch.length)).toEqual([2, 2]);
  });

  it('makes itself anew when its sequence is broken, and repeats the same records in the same order', async () => {
    broker.answers.push(() =>
      Promise.reject(
        Object.assign(new Error('out of order'), { type: 'OUT_OF_ORDER_SEQUENCE_NUMBER', retriable: false }),
      ),
    );
    await sendMany(3);
    expect(broker.producers).toBe(2);
    expect(broker.batches).toEqual([['0', '1', '2'], ['0', '1', '2']]); // prettier-ignore
  });

  it('repeats on the same producer what may be repeated', async () => {
    broker.answers.push(() =>
      Promise.reject(Object.assign(new Error('no leader'), { type: 'NOT_LEADER_FOR_PARTITION', retriable: true })),
    );
    await sendMany(3);
    expect(broker.producers).toBe(1);
    expect(broker.log).toEqual(['0', '1', '2']);
  });

  it('sends the records of a partition again for which no answer came', async () => {
    broker.answers.push(() => []);
    const offsets = await sendMany(2);
    expect(offsets).toEqual([{ partition: 0, offset: 0n }, { partition: 0, offset: 1n }]); // prettier-ignore
    expect(broker.batches).toHaveLength(2);
  });

  it('sends a refused batch one by one, so that only the culprit fails', async () => {
    const refuse = () =>
      Promise.reject(Object.assign(new Error('refused'), { type: 'INVALID_RECORD', retriable: false }));
    broker.answers.push(refuse, broker.append, refuse, broker.append);
    const results = await Promise.allSettled(['0', 'culprit', '2'].map((value) => send(value)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(broker.log).toEqual(['0', '2']);
  });

  describe('without a right to a topic', () => {
    const denied = () =>
      Promise.reject(Object.assign(new Error('denied'), { type: 'TOPIC_AUTHORIZATION_FAILED', retriable: false }));

    it('rejects what it may not write, and names topic and right', async () => {
      broker.answers.push(denied);
      const refused = send('0').catch((error: unknown) => error);
      expect(await refused).toBeInstanceOf(TopicDeniedError);
      expect(String(await refused)).toContain('the right Write to topic records');
    });

    it('rejects what goes to a topic whose settings it may not ask for, holds up no other topic, and asks again', async () => {
      jest.mocked(clients.missingTopics).mockResolvedValue([]);
      const asked: string[] = [];
      const describeConfigs = ({ resources: [resource] }: { resources: { name: string }[] }) => {
        asked.push(resource!.name);
        return resource!.name === 'records' ? Promise.resolve({ resources: [{ configEntries: [] }] }) : denied();
      };
      jest.mocked(clients.withAdmin).mockImplementation((_client, use) => use({ describeConfigs } as never));
      const sendElsewhere = () =>
        producer.send({ topic: 'elsewhere', key: 'key', value: null }).catch((error: unknown) => error);
      const [refused] = await Promise.all([sendElsewhere(), send('0')]);
      expect(refused).toBeInstanceOf(TopicDeniedError);
      expect(String(refused)).toContain('the right DescribeConfigs to topic elsewhere');
      await sendElsewhere();
      expect(asked).toEqual(['elsewhere', 'records', 'elsewhere']);
      expect(broker.log).toEqual(['0']);
    });
  });

  describe('where a broker fails without saying why', () => {
    const unexplained = () =>
      Promise.reject(Object.assign(new Error('unknown'), { type: 'UNKNOWN', retriable: false }));
    const sendTo = (partition: number, value: string) =>
      producer.send({ topic: 'records', partition, key: 'key', value: Buffer.from(value) });
    const acknowledged: Answer = ({ topicMessages = [] }) =>
      topicMessages.flatMap(({ topic, messages }) =>
        messages.map(({ partition = 0 }) => ({ topicName: topic, partition, errorCode: 0, baseOffset: '0' })),
      );

    it('sends each partition by itself: what another broker acknowledges is not sent again with what fails', async () => {
      broker.answers.push(unexplained, unexplained, acknowledged, acknowledged);
      await Promise.all([sendTo(0, 'failing'), sendTo(1, 'healthy')]);
      expect(broker.batches).toEqual([['failing', 'healthy'], ['failing'], ['healthy'], ['failing']]);
      expect(broker.producers).toBe(1);
    });

    it('goes on with the other partitions while one takes no records, and keeps the order of each', async () => {
      const tooFew = () =>
        Promise.reject(Object.assign(new Error('too few'), { type: 'NOT_ENOUGH_REPLICAS', retriable: true }));
      let isBack = false;
      const partitionsOf = ({ topicMessages = [] }: ProducerBatch) =>
        topicMessages.flatMap(({ messages }) => messages.map(({ partition }) => partition));
      const answer: Answer = (batch) =>
        partitionsOf(batch).includes(0) && !isBack ? tooFew() : (broker.append(batch) as RecordMetadata[]).concat(); // prettier-ignore
      broker.always = (batch) => Promise.resolve(answer(batch)).then(() => acknowledged(batch));
      const blocked = [sendTo(0, 'a1'), sendTo(0, 'a2')];
      await sendTo(1, 'b1');
      blocked.push(sendTo(0, 'a3'));
      await sendTo(1, 'b2');
      await sendTo(2, 'c1');
      expect(broker.log).toEqual(['b1', 'b2', 'c1']);
      isBack = true;
      await Promise.all(blocked);
      expect(broker.log).toEqual(['b1', 'b2', 'c1', 'a1', 'a2', 'a3']);
    });

    it('goes on while kafkajs knows no such partition, and says so of what can not wait', async () => {
      // As kafkajs does, which leaves them out.
      broker.always = async ({ topicMessages = [] }) => {
        const known = topicMessages.map(({ topic, messages }) => ({
          ...{ topic, messages: messages.filter(({ partition }) => partition !== 7) },
        }));
        await broker.append({ topicMessages: known });
        return acknowledged({ topicMessages: known });
      };
      const unknown = sendTo(7, 'nowhere').catch((error: unknown) => error);
      await sendTo(0, 'a');
      await sendTo(1, 'b');
      await turns(100);
      expect(broker.batches.length).toBeLessThan(10);
      await producer.close({ timeoutMs: 1 });
      expect(await unknown).toBeInstanceOf(ProducerClosedError);
      expect(broker.log).toEqual(['a', 'b']);
    });

    it('keeps the order of a partition where a failure comes before kafkajs has chosen partitions', async () => {
      const { append } = broker;
      const withoutChoice: Answer = ({ topicMessages = [] }) => {
        for (const { messages } of topicMessages)
          for (const message of messages) delete (message as { chosenPartition?: number }).chosenPartition;
        return Promise.reject(
          Object.assign(new Error('gone'), { type: 'UNKNOWN_TOPIC_OR_PARTITION', retriable: true }),
        );
      };
      broker.answers.push(withoutChoice, withoutChoice);
      broker.always = async (batch) => {
        await append(batch);
        return acknowledged(batch);
      };
      const first = sendTo(0, 'a1');
      for (let looks = 0; broker.answers.length > 0 && looks < 500; looks++) await turns(1);
      await Promise.all([first, sendTo(0, 'a2')]);
      expect(broker.log).toEqual(['a1', 'a2']);
    });

    it('holds as many records as there are', async () => {
      const tooFew = () =>
        Promise.reject(Object.assign(new Error('too few'), { type: 'NOT_ENOUGH_REPLICAS', retriable: true }));
      broker.always = async (batch) => {
        if (batch.topicMessages?.[0]?.messages[0]?.partition === 0) return tooFew();
        return acknowledged(batch);
      };
      const blocked = [sendTo(0, 'first').catch((error: unknown) => error)];
      for (let looks = 0; broker.batches.length < 2 && looks < 500; looks++) await turns(1);
      for (let at = 0; at < 150_000; at++) blocked.push(sendTo(0, 'x').catch((error: unknown) => error));
      await sendTo(1, 'other');
      await producer.close({ timeoutMs: 1 });
      expect((await Promise.all(blocked)).every((error) => error instanceof ProducerClosedError)).toBe(true);
    });

    it('takes it for the record at last, and sends those beside it once more only', async () => {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
      broker.answers.push(...Array.from({ length: 10 }, () => unexplained), broker.append, unexplained, broker.append);
      const sent = Promise.allSettled([send('0'), send('culprit'), send('2')]);
      let isSettled = false;
      void sent.then(() => (isSettled = true));
      while (!isSettled) {
        await turns(3);
        jest.advanceTimersByTime(2_000);
      }
      expect((await sent).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(broker.log).toEqual(['0', '2']);
      expect(broker.batches).toHaveLength(13);
    });

    it('does not count what was another failure before it', async () => {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
      const away = () => Promise.reject(new Error('no connection'));
      broker.answers.push(...Array.from({ length: 40 }, () => away), unexplained);
      const sent = send('0');
      let isSettled = false;
      void sent.finally(() => (isSettled = true));
      while (!isSettled) {
        await turns(3);
        jest.advanceTimersByTime(2_000);
      }
      expect(broker.log).toEqual(['0']);
    });
  });

  it('says whether a record that missed its deadline may still land', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    let land: (answer: RecordMetadata[]) => void = () => undefined;
    broker.answers.push(() => new Promise((resolve) => (land = resolve)));
    const underWay = send('under way', { deadlineMs: 30 });
    while (broker.answers.length > 0) await new Promise(setImmediate);
    jest.advanceTimersByTime(30);
    await expect(underWay).rejects.toThrow(ProduceDeadlineError);
    await expect(underWay).rejects.toMatchObject({ mayLand: true });
    const waiting = send('waiting', { deadlineMs: 5 });
    jest.advanceTimersByTime(5);
    await expect(waiting).rejects.toMatchObject({ mayLand: false });
    land([{ topicName: 'records', partition: 0, errorCode: 0, baseOffset: '7' }]);
    await send('after');
    expect(broker.log).toEqual(['after']);
  });

  it('connects once for all callers, and nothing stays connected', async () => {
    const connect = gate();
    broker.connecting = connect.promise;
    const both = Promise.all([producer.connect(), send('0'), producer.connect()]);
    await turns(20);
    connect.open();
    await both;
    expect([broker.producers, broker.connected.size]).toEqual([1, 1]);
    await producer.close();
    expect(broker.connected.size).toBe(0);
  });

  it('sends nothing after it was closed, though it was connecting then', async () => {
    const connect = gate();
    broker.connecting = connect.promise;
    const sent = send('0').catch((error: unknown) => error);
    const connected = producer.connect().catch((error: unknown) => error);
    await turns(20);
    await producer.close({ timeoutMs: 1 });
    connect.open();
    expect(await sent).toBeInstanceOf(ProducerClosedError);
    expect(await connected).toBeInstanceOf(ProducerClosedError);
    await turns(20);
    expect([broker.log, broker.connected.size]).toEqual([[], 0]);
    await expect(producer.connect()).rejects.toThrow(ProducerClosedError);
  });

  it('is not ready again by an answer to a question that is older than the last failure', async () => {
    let check: () => string | undefined = () => undefined;
    producer = new BatchingProducer({ client, log: silentLog, health: { addReadiness: (_name, made) => (check = made), addLiveness: () => undefined } }); // prettier-ignore
    await producer.connect();
    const ask = gate();
    await missDeadlineUnanswered('away');
    broker.questions.push(() => ask.promise);
    // The queue is empty, so the producer asks by itself; meanwhile a record arrives and fails.
    for (let looks = 0; broker.questions.length > 0 && looks < 500; looks++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const fail = () =>
      Promise.reject(Object.assign(new Error('no leader'), { type: 'NOT_LEADER_FOR_PARTITION', retriable: true }));
    broker.answers.push(...Array.from({ length: 100 }, () => fail));
    const sent = send('1');
    for (let turn = 0; broker.batches.length < 2 && turn < 100_000; turn++) await turns(1);
    await turns(5);
    ask.open();
    await turns(20);
    expect(check()).toBe('Kafka does not acknowledge what is sent');
    broker.answers.length = 0;
    await sent;
    expect(check()).toBeUndefined();
  });

  it('is ready again when Kafka answers about the topic, not when it answers something', async () => {
    await producer.connect();
    await missDeadlineUnanswered('no leader');
    const { missingTopics } = jest.mocked(clients);
    const asked = missingTopics.mock.calls.length;
    for (let looks = 0; missingTopics.mock.calls.length === asked && looks < 500; looks++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(missingTopics.mock.calls.slice(asked).map(([, topics]) => topics)).toEqual([['records']]);
  });

  it('refuses what is more than it may keep', async () => {
    producer = new BatchingProducer({ client, log: silentLog, maxQueuedBytes: 1000 });
    const first = send('x'.repeat(800));
    await expect(send('x'.repeat(800))).rejects.toThrow(ProducerOverloadedError);
    await first;
    await send('x'.repeat(800));
  });
});
