import { committedOffsets, KeyOrderedConsumer } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

describe('a record whose handler fails', () => {
  const bench = new Bench();
  afterAll(() => bench.close());
  const consumerOf = (groupId: string, handle: (value: string, partition: number) => Promise<void>) => {
    const { client, prefix: topicPrefix, log } = bench;
    const consumer = new KeyOrderedConsumer({
      ...{ client, topicPrefix, log, groupId, topic: 'records', inFlight: 16, retryDelayMs: 20, maxRetryDelayMs: 100 },
      handle: (record) => handle(textOf(record)!, record.partition),
    });
    bench.atEnd(() => consumer.close());
    return consumer;
  };

  it('comes again until that succeeds; nothing is skipped, and other partitions go on meanwhile', async () => {
    await bench.topics(['records'], { partitions: 2 });
    for (let i = 0; i < 5; i++)
      for (const [partition, name] of ['a', 'b'].entries())
        await bench.producer.send({
          ...{ topic: `${bench.prefix}records`, partition, key: 'key', value: Buffer.from(`${name}${i}`) },
        });
    const tries: string[] = [];
    const done: string[] = [];
    const groupId = `${bench.prefix}failing`;
    const consumer = consumerOf(groupId, (value, partition) => {
      if (partition === 0) {
        tries.push(value);
        if (tries.length < 4 || done.length < 5) return Promise.reject(new Error('the index does not answer'));
      }
      done.push(value);
      return Promise.resolve();
    });
    await consumer.start();
    await until('both partitions', () => done.length === 10);
    expect(new Set(tries.slice(0, 4))).toEqual(new Set(['a0']));
    expect(done).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', 'a0', 'a1', 'a2', 'a3', 'a4']);
    await until('the commit', async () => {
      const committed = await committedOffsets(bench.client, groupId, `${bench.prefix}records`);
      return committed.get(0) === 5n && committed.get(1) === 5n;
    });
  });

  it('is not committed when its consumer is closed', async () => {
    const groupId = `${bench.prefix}closed-while-failing`;
    let failures = 0;
    const consumer = consumerOf(groupId, () => Promise.reject(new Error(`failure ${++failures}`)));
    await consumer.start();
    await until('some failures', () => failures >= 4);
    await consumer.close();
    expect(await committedOffsets(bench.client, groupId, `${bench.prefix}records`)).toEqual(new Map());
  });
});
