import { askAdmin } from '../src/kafkajs/kafka-client.js';
import { KeyOrderedConsumer } from '../src/index.js';
import { Bench, textOf, until } from './support.js';

describe('records that were deleted before their group read them', () => {
  const bench = new Bench();
  afterAll(() => bench.close());

  it('are told, and the group goes on at what is kept', async () => {
    await bench.topics(['events']);
    const came: (string | undefined)[] = [];
    const missed: bigint[] = [];
    const consumer = () =>
      new KeyOrderedConsumer({
        client: bench.client,
        groupId: `${bench.prefix}group`,
        topic: 'events',
        topicPrefix: bench.prefix,
        inFlight: 1,
        handle: (record) => Promise.resolve(void came.push(textOf(record))),
        onMissed: ({ committed, low }) => missed.push(low - committed),
        log: bench.log,
      });
    const first = consumer();
    await first.start();
    await bench.send('events', 'key', 'read');
    await until('the first record', () => came.length === 1);
    await first.close();
    expect(missed).toEqual([]);
    for (const text of ['deleted', 'deleted too', 'kept']) await bench.send('events', 'key', text);
    await askAdmin(bench.client, async (admin) => {
      const topic = `${bench.prefix}events`;
      // kafkajs knows the partitions' leaders only after a request about them.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '3' }] });
    });
    const second = consumer();
    await second.start();
    await until('what is kept', () => came.length === 2);
    expect(came).toEqual(['read', 'kept']);
    expect(missed).toEqual([2n]);
    expect(bench.log.has('error', 'deleted before they were read')).toBe(true);
    await second.close();
  });
});
