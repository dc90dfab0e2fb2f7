import { committedOffsets, PartitionConsumer } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

describe('a partition consumer', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('repeats a failing batch until it succeeds, skips nothing, and goes on with other partitions meanwhile', async () => {
    await bench.topics(['records'], { partitions: 2 });
    const append = (partition: number, value: string) =>
      bench.producer.send({ topic: `${bench.prefix}records`, partition, key: 'key', value: Buffer.from(value) });
    for (let i = 0; i < 5; i++) {
      await append(0, `a${i}`);
      await append(1, `b${i}`);
    }
    const tries: string[][] = [];
    const done: string[] = [];
    const consumer = new PartitionConsumer({
      client: bench.client,
      groupId: `${bench.prefix}projector`,
      topic: 'records',
      topicPrefix: bench.prefix,
      log: bench.log,
      assigned: (partition) => ({
        onBatch: (records) => {
          const values = records.map((record) => textOf(record)!);
          if (partition === 0) {
            tries.push(values);
            if (tries.length < 4 || done.length < 5) return Promise.reject(new Error('the index does not answer'));
          }
          done.push(...values);
          return Promise.resolve();
        },
      }),
    });
    bench.atEnd(() => consumer.close());
    await consumer.start();
    await until('the failing partition', () => done.filter((value) => value.startsWith('a')).length === 5);
    expect(new Set(tries.slice(0, 4).map((values) => values.join())).size).toBe(1);
    expect(done.filter((value) => value.startsWith('a'))).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
    expect(done.slice(0, 5)).toEqual(['b0', 'b1', 'b2', 'b3', 'b4']);
    await until('the commit', async () => {
      const committed = await committedOffsets(bench.client, `${bench.prefix}projector`, `${bench.prefix}records`);
      return committed.get(0) === 5n && committed.get(1) === 5n;
    });
    await consumer.close();

    const asked: [number, bigint | undefined][] = [];
    const again: string[] = [];
    const next = new PartitionConsumer({
      client: bench.client,
      groupId: `${bench.prefix}projector`,
      topic: 'records',
      topicPrefix: bench.prefix,
      log: bench.log,
      assigned: (partition) => ({
        startOffset: (committed) => {
          asked.push([partition, committed]);
          return Promise.resolve(partition === 0 ? 3n : undefined);
        },
        onBatch: (records) => {
          again.push(...records.map((record) => textOf(record)!));
          return Promise.resolve();
        },
      }),
    });
    bench.atEnd(() => next.close());
    await next.start();
    await append(1, 'b5');
    await until('the records from the wanted offset', () => again.length === 3);
    expect(asked.sort()).toEqual([[0, 5n], [1, 5n]]); // prettier-ignore
    expect(again.sort()).toEqual(['a3', 'a4', 'b5']);
  });

  it('commits nothing of a batch that still fails when it is closed', async () => {
    const groupId = `${bench.prefix}closed-while-failing`;
    let failures = 0;
    const consumer = new PartitionConsumer({
      client: bench.client,
      groupId,
      topic: 'records',
      topicPrefix: bench.prefix,
      log: bench.log,
      assigned: () => ({ onBatch: () => Promise.reject(new Error(`failure ${++failures}`)) }),
    });
    bench.atEnd(() => consumer.close());
    await consumer.start();
    await until('some failures', () => failures >= 2);
    await consumer.close();
    expect(await committedOffsets(bench.client, groupId, `${bench.prefix}records`)).toEqual(new Map());
  });
});
