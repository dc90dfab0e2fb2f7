import { Bench, textOf, until } from './support.js';

describe('the batching producer', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('keeps the order of the calls in each partition and says where each record is', async () => {
    await bench.topics(['records'], { partitions: 3 });
    const records = await bench.read('records');
    const offsets = await Promise.all(
      Array.from({ length: 3000 }, (_, i) => bench.send('records', `key-${i % 7}`, String(i))),
    );
    await until('all records', () => records.length === 3000);
    const byOffset = new Map(records.map((record) => [`${record.partition}/${record.offset}`, textOf(record)]));
    offsets.forEach(({ partition, offset }, i) => expect(byOffset.get(`${partition}/${offset}`)).toBe(String(i)));
    for (let partition = 0; partition < 3; partition++) {
      const order = records.filter((record) => record.partition === partition).map((record) => Number(textOf(record)));
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
  });

  it('puts a record into the partition that is asked for', async () => {
    const at = await bench.producer.send({
      topic: `${bench.prefix}records`,
      partition: 2,
      key: 'key-0',
      value: Buffer.from('here'),
    });
    expect(at.partition).toBe(2);
  });
});
