import { Bench, textOf, until } from './support.js';

describe('records in every compression of Kafka', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it.each(['gzip', 'snappy', 'lz4', 'zstd'])('are read: %s', async (compression) => {
    await bench.compressedTopic(compression, compression);
    const values = Array.from({ length: 200 }, (_, i) => `${i} ${'of many alike '.repeat(40)}`);
    await Promise.all(values.map((value) => bench.send(compression, 'key', value)));
    const records = await bench.read(compression);
    await until('all of them', () => records.length === values.length);
    expect(records.map(textOf)).toEqual(values);
  });
});
