import { ConsumerClosedError, KeyOrderedConsumer, type ConsumedRecord } from '../src/index.js';
import { withAdmin } from '../src/kafkajs/kafka-client.js';
import { Bench, deferred, until } from './support.js';

const bench = new Bench();
beforeAll(() => bench.topics(['commands', 'dead'], { partitions: 2 }));
afterAll(() => bench.close());

/** The broker's view of the group, including dead members. */
async function groupNamed(groupId: string): Promise<{ state: string; members: number }> {
  const { groups } = await withAdmin(bench.client, (admin) => admin.describeGroups([groupId]));
  const { state, members } = groups[0]!;
  return { state, members: members.length };
}

const consumerOf = (
  groupId: string,
  { handle = () => Promise.resolve(), rebalanceDrainMs = 1500 }: Partial<Behaviour> = {},
) =>
  new KeyOrderedConsumer({
    client: bench.client,
    groupId,
    topic: 'commands',
    topicPrefix: bench.prefix,
    inFlight: 2,
    handle,
    rebalanceDrainMs,
    log: bench.log,
  });

interface Behaviour {
  handle: (record: ConsumedRecord, call: { signal: AbortSignal }) => Promise<void>;
  rebalanceDrainMs: number;
}

describe('a consumer that is closed while it starts', () => {
  it('does not join its group when that was in the same turn', async () => {
    const groupId = `${bench.prefix}at-once`;
    const consumer = consumerOf(groupId);
    const starting = expect(consumer.start()).rejects.toThrow(ConsumerClosedError);
    await consumer.close();
    await starting;
    expect((await groupNamed(groupId)).members).toBe(0);
  });

  it('leaves no member behind when its group was just being joined', async () => {
    const groupId = `${bench.prefix}joining`;
    const running = deferred();
    const taken = deferred();
    const rebalance = deferred();
    const first = consumerOf(groupId, {
      rebalanceDrainMs: 700,
      handle: async (_record, { signal }) => {
        signal.addEventListener('abort', () => rebalance.resolve());
        taken.resolve();
        await running.promise;
      },
    });
    bench.atEnd(() => first.close());
    await first.start();
    await bench.send('commands', 'slow', 'slow');
    await taken.promise;
    const second = consumerOf(groupId);
    const starting = expect(second.start()).rejects.toThrow(ConsumerClosedError);
    // The first member sees a rebalance when the second one asks to join.
    await rebalance.promise;
    await second.close();
    await starting;
    running.resolve();
    await until('the first member alone', async () => {
      const { state, members } = await groupNamed(groupId);
      return state === 'Stable' && members === 1;
    });
  });

  it('is not served by Nest afterwards', async () => {
    const groupId = `${bench.prefix}nest`;
    const server = bench.server({ groupId });
    server.addHandler('commands', () => Promise.resolve(), true);
    const listening = new Promise((resolve) => server.listen(resolve));
    await server.close();
    expect(await listening).toBeInstanceOf(ConsumerClosedError);
    expect((await groupNamed(groupId)).members).toBe(0);
  });
});

it('a reader of a log that is stopped while it starts reads nothing', async () => {
  const read: ConsumedRecord[] = [];
  const follower = bench.follower('commands');
  const onRecords = (_partition: number, records: ConsumedRecord[]) => void read.push(...records);
  const starting = expect(follower.start({ from: 'beginning', onRecords })).rejects.toThrow(ConsumerClosedError);
  await follower.stop();
  await starting;
  expect(read).toEqual([]);
});
