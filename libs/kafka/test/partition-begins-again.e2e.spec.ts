import { committedOffsets, PartitionConsumer, RestartPartition } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

describe('a reader that asks for its partition from an earlier offset', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('gets every record from there again, in order, and the commit follows', async () => {
    await bench.topics(['records']);
    for (let i = 0; i < 50; i++) await bench.send('records', 'one', String(i));
    const groupId = `${bench.prefix}group`;
    const read: number[] = [];
    let isRebuilt = false;
    const consumer = new PartitionConsumer({
      client: bench.client,
      groupId,
      topic: 'records',
      topicPrefix: bench.prefix,
      maxBatchRecords: 7,
      maxBytesPerPartition: 4 * 1024 * 1024,
      log: bench.log,
      onBatch: (_partition, records) => {
        if (!isRebuilt && records.some(({ offset }) => offset === 30n)) {
          isRebuilt = true;
          return Promise.reject(new RestartPartition(10n));
        }
        read.push(...records.map((record) => Number(textOf(record))));
        return Promise.resolve();
      },
    });
    bench.atEnd(() => consumer.close());
    await consumer.start();
    await until('the last record', () => read.at(-1) === 49);
    const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
    const again = read.indexOf(10, 11);
    expect(read).toEqual([...upTo(0, again), ...upTo(10, 50)]);
    await until('the commit', async () => (await committedOffsets(bench.client, groupId, `${bench.prefix}records`)).get(0) === 50n);
    expect(bench.log.has('error', 'a batch failed')).toBe(false);
  });
});
