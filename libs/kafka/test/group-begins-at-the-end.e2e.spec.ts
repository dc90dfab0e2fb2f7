import { committedOffsets, KeyOrderedConsumer, type KeyOrderedConsumerOptions } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

describe('a new group that begins at the end', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  const consumer = (overrides: Partial<KeyOrderedConsumerOptions>) =>
    new KeyOrderedConsumer({
      client: bench.client,
      groupId: `${bench.prefix}group`,
      topic: 'events',
      topicPrefix: bench.prefix,
      inFlight: 4,
      from: 'latest',
      handle: () => Promise.resolve(),
      log: bench.log,
      health: bench.health,
      ...overrides,
    });

  it('has committed where it begins before it says that it has started', async () => {
    await bench.topics(['events'], { partitions: 3 });
    for (let n = 0; n < 6; n++) await bench.send('events', `key ${n}`, 'before');
    const first = consumer({});
    await first.start();
    const commits = await committedOffsets(bench.client, `${bench.prefix}group`, `${bench.prefix}events`);
    expect([...commits.keys()].sort()).toEqual([0, 1, 2]);
    expect([...commits.values()].reduce((sum, offset) => sum + offset, 0n)).toBe(6n);
    await first.close();
    await bench.send('events', 'key', 'meanwhile');
    const came: (string | undefined)[] = [];
    const second = consumer({ handle: (record) => Promise.resolve(void came.push(textOf(record))) });
    await second.start();
    await bench.send('events', 'key', 'after');
    await until('both records', () => came.length === 2);
    expect(came).toEqual(['meanwhile', 'after']);
    await second.close();
  });

  it('reads everything that is kept where it is to begin there', async () => {
    const came: (string | undefined)[] = [];
    const groupId = `${bench.prefix}from-the-beginning`;
    const all = consumer({
      groupId,
      from: 'earliest',
      handle: (record) => Promise.resolve(void came.push(textOf(record))),
    });
    await all.start();
    await until('all records', () => came.length === 8);
    await all.close();
  });
});
