import { deleteRecords } from '@tranche/testing';
import { LogReader, topicOffsets, type LogRecord } from '../src/index.js';
import { kafkaOf } from '../src/kafkajs/kafka-client.js';
import { Bench, until } from './support.js';

const RECORDS = 1_200;

describe('a log that is read again', () => {
  let bench: Bench;
  let reader: LogReader;
  const topic = () => `${bench.prefix}records`;
  const append = (partition: number, count: number) =>
    bench.producer.sendAll(
      Array.from({ length: count }, (_, at) => ({
        topic: topic(),
        partition,
        key: `key-${at}`,
        value: Buffer.from(`value-${at}`),
      })),
    );
  const all = async (partition: number, from: bigint, end: bigint): Promise<LogRecord[]> => {
    const records: LogRecord[] = [];
    for await (const slice of reader.read(partition, from, end)) records.push(...slice);
    return records;
  };

  beforeEach(async () => {
    bench = new Bench();
    await bench.topics(['records'], { partitions: 3 });
    reader = new LogReader({ client: bench.client, topic: topic(), log: bench.log });
  });
  afterEach(async () => {
    await reader.close();
    await bench.close();
  });

  it('gives exactly what was asked for, in order, of several partitions at once, and again', async () => {
    await Promise.all([append(0, RECORDS), append(1, RECORDS), append(2, 5)]);
    const [whole, middle, nothing] = await Promise.all([all(0, 0n, BigInt(RECORDS)), all(1, 7n, 700n), all(2, 5n, 5n)]);
    expect(whole.map(({ offset, key, value }) => `${offset} ${key} ${String(value)}`)).toEqual(
      Array.from({ length: RECORDS }, (_, at) => `${at} key-${at} value-${at}`),
    );
    expect([middle.length, middle[0]?.offset, middle.at(-1)?.offset, nothing.length]).toEqual([693, 7n, 699n, 0]);
    expect((await all(1, 0n, 3n)).map(({ offset }) => offset)).toEqual([0n, 1n, 2n]);
    expect(await reader.firstKept(0)).toBe(0n);
  });

  it('has no room for a whole log that nobody takes, and gives it all the same', async () => {
    await append(0, 5_000);
    let seen = 0;
    for await (const slice of reader.read(0, 0n, 5_000n)) {
      seen += slice.length;
      // Another range is read to its end while this reader pauses.
      if (seen === slice.length) await append(1, 3).then(() => all(1, 0n, 3n));
    }
    expect(seen).toBe(5_000);
  });

  it('knows records that were appended after it was asked first', async () => {
    await append(0, 1);
    expect(await all(0, 0n, 1n)).toHaveLength(1);
    await append(0, 2);
    expect(await all(0, 0n, 3n)).toHaveLength(3);
  });

  it('refuses to read beyond the end: the log was lost or replaced', async () => {
    await append(0, 1);
    await expect(all(0, 0n, 2n)).rejects.toThrow('ends at 1, before offset 2: the log was lost or replaced');
  });

  it('does not pass what is left of deleted records for all of them', async () => {
    await append(0, 10);
    expect(await all(0, 0n, 10n)).toHaveLength(10);
    await deleteRecords(bench.client, topic(), 0, 4n);
    await expect(all(0, 0n, 10n)).rejects.toThrow('the records from 0 on were deleted');
    expect((await all(0, 4n, 10n)).map(({ offset }) => Number(offset))).toEqual([4, 5, 6, 7, 8, 9]);
    await expect(all(0, 3n, 10n)).rejects.toThrow('begins at 4: the records from 3 on were deleted');
  });

  it('ends behind an aborted transaction with nothing after it', async () => {
    const producer = kafkaOf(bench.client).producer({
      ...{ transactionalId: `${bench.prefix}shop`, idempotent: true, maxInFlightRequests: 1 },
    });
    await producer.connect();
    try {
      // A broker's first transaction waits for a topic to be created, longer than kafkajs does.
      let transaction!: Awaited<ReturnType<typeof producer.transaction>>;
      await until('a transaction', async () => (transaction = await producer.transaction()).isActive());
      await transaction.send({ topic: topic(), messages: [{ key: 'k', value: 'v', partition: 0 }] });
      await transaction.abort();
    } finally {
      await producer.disconnect();
    }
    const high = () => topicOffsets(bench.client, topic()).then((offsets) => offsets.get(0)!.high);
    // The record, and the control record of its abort.
    await until('the mark', async () => (await high()) === 2n);
    expect(await all(0, 0n, 2n)).toEqual([]);
  });

  it('tells its readers when it is closed', async () => {
    await append(0, 5_000);
    let seen = 0;
    const reading = (async () => {
      for await (const slice of reader.read(0, 0n, 5_000n)) {
        seen += slice.length;
        if (seen === slice.length) await reader.close();
      }
    })();
    await expect(reading).rejects.toThrow('the reader is closed');
    await until('the first slice', () => seen > 0);
    await expect(all(1, 0n, 0n)).rejects.toThrow('the reader is closed');
  });
});
