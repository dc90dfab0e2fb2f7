import { silentLog } from '@tranche/runtime';
import { fakeKafka, type FakeConsumer } from '../../test/fake-consumer.js';
import * as clients from '../kafkajs/kafka-client.js';
import { markHeader } from '../kafkajs/unreadable-batch.js';
import { LogFollower, type FollowedTopic } from './log-follower.js';

jest.mock('../kafkajs/kafka-client.js');

let fake: FakeConsumer;
let follower: LogFollower;
let came: string[];
let faults: string[];
let isLive: () => string | undefined;

async function start(overrides: Partial<FollowedTopic> = {}): Promise<void> {
  fakeKafka(clients, (made) => (fake = made));
  [came, faults] = [[], []];
  follower = new LogFollower({
    client: { brokers: ['fake:9092'], clientId: 'spec' },
    topic: 'records',
    log: silentLog,
    health: { addReadiness: () => undefined, addLiveness: (_name, check) => void (isLive = check) },
  });
  await follower.start({
    from: 'beginning',
    onRecords: (partition, records) =>
      void came.push(...records.map(({ offset, unreadable }) => `${partition}/${offset} ${unreadable ?? ''}`)),
    onFault: (partition, fault) => void faults.push(`${partition}: ${fault}`),
    ...overrides,
  });
  await passed(0);
}
/** Answers the request for the log's bounds with these, the same for both partitions. */
const boundsAre = (low: number, high: number) =>
  jest.mocked(clients.withAdmin).mockImplementation((_client, use) =>
    use({
      fetchTopicOffsets: () =>
        Promise.resolve([0, 1].map((partition) => ({ partition, low: String(low), high: String(high) }))),
    } as never),
  );
const outOfRange = () => fake.emit('consumer.network.request', { apiName: 'ListOffsets', broker: 'fake', duration: 1 });
const passed = (ms: number) => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => jest.useFakeTimers());
afterEach(async () => {
  const stopping = follower.stop();
  await passed(10_000);
  await stopping;
  jest.useRealTimers();
});

describe('a fetch that was out of range', () => {
  it('stops a partition that has lost records unread, though none comes', async () => {
    await start();
    await fake.fetch({ offsets: [0] });
    boundsAre(5, 9);
    outOfRange();
    await passed(0);
    expect(faults).toEqual([
      '0: records/0 begins at 5: the records from 1 on were deleted before they were read',
      '1: records/1 begins at 5: the records from 0 on were deleted before they were read',
    ]);
  });

  it('tells who follows a partition that its beginning was cut off', async () => {
    await start();
    const cut: boolean[] = [];
    const log = {
      from: 1n,
      known: 1n,
      onRecords: () => undefined,
      onFault: (_: string, isCut: boolean) => void cut.push(isCut),
    };
    follower.follow(1, log, { low: 0n, high: 6n });
    boundsAre(5, 9);
    outOfRange();
    await passed(0);
    expect(cut).toEqual([true]);
  });

  it('stops a partition that ends before what was read for a minute, and looks no more then', async () => {
    await start();
    await fake.fetch({ offsets: [0, 1, 2] });
    boundsAre(0, 2);
    outOfRange();
    await passed(58_000);
    expect(faults).toEqual([]);
    await passed(4_000);
    expect(faults).toEqual([
      '0: records/0 ends at 2, before offset 3 that was read already: the log was lost or replaced',
    ]);
    const looked = jest.mocked(clients.withAdmin).mock.calls.length;
    await passed(60_000);
    expect(jest.mocked(clients.withAdmin).mock.calls).toHaveLength(looked);
  });

  it('reads on behind the last record where the log ends there again', async () => {
    await start();
    await fake.fetch({ offsets: [0, 1, 2] });
    boundsAre(0, 2);
    outOfRange();
    await passed(5_000);
    await fake.fetch({ offsets: [3] });
    expect(came).toHaveLength(3);
    boundsAre(0, 4);
    await passed(1_000);
    expect(fake.calls.at(-2)).toBe('seek 2');
    await fake.fetch({ offsets: [2, 3] });
    expect(came.at(-1)).toBe('0/3 ');
    expect(faults).toEqual([]);
  });
});

it('a join compares the last record of each partition, before anything new is taken', async () => {
  await start();
  await fake.fetch({ offsets: [0, 1] });
  fake.stop();
  fake.join();
  expect(fake.calls).toContain('seek 1');
  await fake.fetch({ offsets: [2] });
  expect(came).toHaveLength(2);
  await fake.fetch({ offsets: [1, 2] });
  expect(came.at(-1)).toBe('0/2 ');
});

it('a partition whose reader throws is read no further, and the process is not live', async () => {
  await start({
    onRecords: () => {
      throw new Error('no room');
    },
  });
  expect(isLive()).toBeUndefined();
  await fake.fetch({ offsets: [0] });
  expect(faults).toEqual(['0: reading records/0 failed: Error: no room']);
  expect(isLive()).toBe('reading records/0 failed: Error: no room');
});

describe('offsets without records', () => {
  const ends: string[] = [];
  beforeEach(async () => {
    ends.length = 0;
    await start();
    const onRecords = (records: readonly { offset: bigint }[], next: bigint) =>
      void ends.push(`${records.map(({ offset }) => offset).join()} to ${next}`);
    follower.follow(
      0,
      { from: 0n, known: 0n, onRecords, onFault: (fault) => void faults.push(fault) },
      { low: 0n, high: 6n },
    );
  });

  it('are told to who follows a partition, also at the end of the log: an aborted transaction leaves them', async () => {
    await fake.fetch({ offsets: [0, 1] });
    fake.pass(2, 3);
    expect(ends).toEqual(['0,1 to 2', ' to 4']);
  });

  it('are told also where they come together with the record that is compared again', async () => {
    await fake.fetch({ offsets: [0, 1] });
    fake.emit('consumer.network.request', { apiName: 'Fetch', broker: 'fake', duration: 5_000 });
    const fetching = fake.fetch({ offsets: [1], last: 3 });
    await passed(10);
    await fetching;
    expect(ends).toEqual(['0,1 to 2', ' to 4']);
  });

  it('stop the partition where their reader throws, as records do', () => {
    const throws = () => {
      throw new Error('no room');
    };
    follower.follow(
      0,
      { from: 0n, known: 0n, onRecords: throws, onFault: (fault) => void faults.push(fault) },
      { low: 0n, high: 6n },
    );
    fake.pass(0, 1);
    expect(faults).toEqual(['reading records/0 failed: Error: no room']);
  });

  it('are nothing to who wants records only', async () => {
    const batches: number[] = [];
    await follower.stop();
    await start({ onRecords: (_partition, records) => void batches.push(records.length) });
    fake.pass(0, 1);
    await fake.fetch({ offsets: [2] });
    expect(batches).toEqual([1]);
  });
});

describe('a record that can not be read', () => {
  const { key, value } = markHeader('too large');

  it('stops its partition and no other one', async () => {
    await start();
    await fake.fetch({ offsets: [0], headers: { [key]: value } });
    await fake.fetch({ offsets: [0], partition: 1 });
    expect(faults).toEqual(['0: records/0/0: too large']);
    expect(came).toEqual(['1/0 ']);
  });

  it('is given to a reader that asks for it', async () => {
    await start({ takesUnreadable: true });
    await fake.fetch({ offsets: [0], headers: { [key]: value } });
    void fake.fetch({ offsets: [1] });
    await passed(10);
    expect(came).toEqual(['0/0 too large', '0/1 ']);
  });
});

describe('a reader that is stopped while it asks for the bounds of its log', () => {
  let answer: () => void;
  let isStopped: boolean;

  beforeEach(async () => {
    await start();
    const answered = new Promise<void>((resolve) => (answer = resolve));
    jest.mocked(clients.askAdmin).mockImplementation((_client, ask) => answered.then(() => ask({} as never)));
    outOfRange();
    isStopped = false;
    void follower.stop().then(() => (isStopped = true));
    await passed(1_500);
  });

  it('has stopped only when that has ended', async () => {
    expect(isStopped).toBe(false);
    answer();
    await passed(1_000);
    expect(isStopped).toBe(true);
  });

  it('does not wait long for an answer that does not come', async () => {
    expect(isStopped).toBe(false);
    await passed(1_000);
    expect(isStopped).toBe(true);
  });
});
