import { askAdmin } from '../src/kafkajs/kafka-client.js';
import { BatchingProducer, RecordTooLargeError } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

describe('a record that its topic does not take', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('fails alone; its neighbours in the batch arrive in order', async () => {
    await bench.topics(['small'], { maxMessageBytes: 20_000 });
    const records = await bench.read('small');
    const values = ['1', '2', 'x'.repeat(30_000), '4', 'y'.repeat(15_000), 'z'.repeat(15_000), '7'];
    const results = await Promise.allSettled(values.map((value) => bench.send('small', 'key', value)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect((results[2] as PromiseRejectedResult).reason).toBeInstanceOf(RecordTooLargeError);
    await until('the others', () => records.length === 6);
    expect(records.map((record) => textOf(record)![0])).toEqual(['1', '2', '4', 'y', 'z', '7']);
  });

  it('fails alone as well when only the broker knows that it is too large', async () => {
    await bench.topics(['shrunk'], { maxMessageBytes: 20_000 });
    const records = await bench.read('shrunk');
    const producer = new BatchingProducer({ client: bench.client, log: bench.log });
    bench.atEnd(() => producer.close());
    const send = (value: string) =>
      producer.send({ topic: `${bench.prefix}shrunk`, key: 'key', value: Buffer.from(value) });
    await send('0');
    await askAdmin(bench.client, (admin) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [
          { type: 2, name: `${bench.prefix}shrunk`, configEntries: [{ name: 'max.message.bytes', value: '2000' }] },
        ],
      }),
    );
    // The broker may apply the setting after its answer.
    const isTaken = (value: string) =>
      send(value).then(
        () => true,
        () => false,
      );
    await until('the new limit', async () => !(await isTaken('x'.repeat(5000))));
    const results = await Promise.allSettled(['1', 'x'.repeat(5000), '3'].map(send));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const short = () => records.map((record) => textOf(record)!).filter(({ length }) => length === 1);
    await until('the others', () => short().length === 3);
    expect(short()).toEqual(['0', '1', '3']);
  });
});
