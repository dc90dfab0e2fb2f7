import { silentLog } from '@tranche/runtime';
import { fakeKafka, type FakeConsumer } from '../../test/fake-consumer.js';
import * as clients from '../kafkajs/kafka-client.js';
import { markHeader } from '../kafkajs/unreadable-batch.js';
import { LogReader } from './log-reader.js';

jest.mock('../kafkajs/kafka-client.js');

const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};
const offsets = (from: number, last: number) => Array.from({ length: last - from + 1 }, (_, at) => from + at);

describe('the reader of a log', () => {
  const fakes: FakeConsumer[] = [];
  let reader: LogReader;

  beforeEach(() => {
    fakes.length = 0;
    fakeKafka(clients, (made) => fakes.push(made));
    reader = new LogReader({ client: { brokers: ['fake:9092'], clientId: 'spec' }, topic: 'records', log: silentLog });
  });
  afterEach(() => reader.close());

  /** Reads partition 0 up to `until`; resolves with the offsets or the failure. */
  async function read(until: bigint) {
    const came: number[] = [];
    const reading = async () => {
      for await (const records of reader.read(0, 0n, until)) came.push(...records.map(({ offset }) => Number(offset)));
      return came;
    };
    const end = reading().catch((error: Error) => error.message);
    await settled();
    return { came, end };
  }

  it('reads each record once and in order, even if an older fetch answers late', async () => {
    const { came, end } = await read(10n);
    await fakes[0]!.fetch({ offsets: offsets(6, 9) });
    await fakes[0]!.fetch({ offsets: offsets(0, 3) });
    await settled();
    expect(came).toEqual([0, 1, 2, 3]);
    await fakes[0]!.fetch({ offsets: offsets(0, 1) });
    expect(fakes[0]!.calls.filter((call) => call.startsWith('seek')).slice(-2)).toEqual(['seek 0', 'seek 3']);
    // The last record is compared again, because the log may be another one since.
    await fakes[0]!.fetch({ offsets: offsets(3, 9) });
    expect(await end).toEqual(offsets(0, 9));
  });

  it('rejects where the records that come next were deleted: what is left would pass for all', async () => {
    const { came, end } = await read(10n);
    await fakes[0]!.fetch({ offsets: offsets(0, 3) });
    const partitions = [{ partition: 0, low: '6', high: '10' }];
    const admin = { fetchTopicOffsets: () => Promise.resolve(partitions) } as never;
    jest.mocked(clients.withAdmin).mockImplementation((_client, use) => use(admin));
    // kafkajs asks for the log's bounds when a fetch was out of range.
    fakes[0]!.emit('consumer.network.request', { apiName: 'ListOffsets', broker: 'fake', duration: 1 });
    await fakes[0]!.fetch({ offsets: offsets(6, 9) });
    expect(await end).toBe('records/0 begins at 6: the records from 4 on were deleted before they were read');
    expect(came).toEqual([0, 1, 2, 3]);
  });

  it('rejects at a batch that can not be unpacked without an error to kafkajs, which would try again for ever, or gives it where that is asked for', async () => {
    const marked = markHeader('too large');
    const unreadable = { offsets: [4, 5], headers: { [marked.key]: marked.value } };
    const plain = await read(8n);
    await fakes[0]!.fetch({ offsets: offsets(0, 3) });
    await fakes[0]!.fetch(unreadable);
    expect(await plain.end).toBe('records/0/4: too large');
    await reader.close();

    reader = new LogReader({ client: { brokers: ['fake:9092'], clientId: 'spec' }, topic: 'records', log: silentLog, takesUnreadable: true }); // prettier-ignore
    const passing = await read(8n);
    await fakes[1]!.fetch({ offsets: offsets(0, 3) });
    await fakes[1]!.fetch(unreadable);
    await fakes[1]!.fetch({ offsets: offsets(6, 7) });
    expect(await passing.end).toEqual(offsets(0, 7));
  });

  it('passes over control records and aborted transactions, also at the end of what is read', async () => {
    const { came, end } = await read(10n);
    await fakes[0]!.fetch({ offsets: offsets(0, 3) });
    // It does not count, because offsets before it were not read.
    fakes[0]!.pass(6, 9);
    await settled();
    expect(came).toEqual([0, 1, 2, 3]);
    fakes[0]!.pass(4, 5);
    await fakes[0]!.fetch({ offsets: offsets(6, 7) });
    fakes[0]!.pass(8, 9);
    expect(await end).toEqual([0, 1, 2, 3, 6, 7]);
  });

  it('passes over them after the last record was compared again, which a reader that is slow for two seconds causes', async () => {
    const { end } = await read(10n);
    await fakes[0]!.fetch({ offsets: offsets(0, 3) });
    fakes[0]!.emit('consumer.network.request', { apiName: 'Fetch', broker: 'fake', duration: 5_000 });
    fakes[0]!.calls.length = 0;
    fakes[0]!.pass(4, 9);
    expect(fakes[0]!.calls).toContain('seek 3');
    await fakes[0]!.fetch({ offsets: [3] });
    fakes[0]!.pass(4, 9);
    expect(await end).toEqual([0, 1, 2, 3]);
  });

  it('rejects where the record to compare is gone, and does not ask for it without end', async () => {
    const { end } = await read(10n);
    await fakes[0]!.fetch({ offsets: offsets(0, 3) });
    fakes[0]!.emit('consumer.network.request', { apiName: 'Fetch', broker: 'fake', duration: 5_000 });
    fakes[0]!.pass(3, 9);
    expect(await end).toMatch('the record at offset 3 of records/0, which was read before, is another one');
  });

  it('lets a consumer that has ended touch nothing of the one after it', async () => {
    const first = await read(10n);
    fakes[0]!.emit('consumer.crash', { error: new Error('broken'), restart: false });
    expect(await first.end).toBe('broken');
    const second = await read(10n);
    expect(fakes).toHaveLength(2);
    await fakes[0]!.fetch({ offsets: offsets(0, 9) });
    fakes[0]!.emit('consumer.crash', { error: new Error('broken again'), restart: false });
    await settled();
    expect(second.came).toEqual([]);
    await fakes[1]!.fetch({ offsets: offsets(0, 9) });
    expect(await second.end).toEqual(offsets(0, 9));
    const third = await read(1n);
    expect(fakes).toHaveLength(2);
    await fakes[1]!.fetch({ offsets: [0] });
    expect(await third.end).toEqual([0]);
  });

  it('continues while kafkajs has no group, and after the next join', async () => {
    const { came, end } = await read(5_000n);
    // More records than may be fetched ahead, so kafkajs must pause and resume later.
    await fakes[0]!.fetch({ offsets: offsets(0, 3_499) });
    fakes[0]!.stop();
    await settled();
    fakes[0]!.emit('consumer.crash', { error: new Error('passing'), restart: true });
    fakes[0]!.calls.length = 0;
    fakes[0]!.join();
    expect(fakes[0]!.calls).toEqual(expect.arrayContaining(['seek 3499', 'resume']));
    await fakes[0]!.fetch({ offsets: offsets(3_499, 4_999) });
    await end;
    expect(came).toEqual(offsets(0, 4_999));
  });
});
