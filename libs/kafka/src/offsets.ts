import { UnknownTopicError } from './errors.js';
import { backOffMs, pauseFor } from './back-off.js';
import { withAdmin, type KafkaClient } from './kafka-client.js';

/** Per partition of a topic (with prefix): `low` the first offset still kept, `high` the offset that the next record will get. */
export function topicOffsets(client: KafkaClient, topic: string): Promise<Map<number, { low: bigint; high: bigint }>> {
  return withAdmin(client, async (admin) => {
    if (!(await admin.listTopics()).includes(topic)) throw new UnknownTopicError([topic], 'reading offsets');
    const partitions = await onceLed(() => admin.fetchTopicOffsets(topic));
    return new Map(partitions.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]));
  });
}

/** Per partition the offset that the group reads next; a partition without a commit is absent. */
export function committedOffsets(client: KafkaClient, groupId: string, topic: string): Promise<Map<number, bigint>> {
  return withAdmin(client, async (admin) => {
    if (!(await admin.listTopics()).includes(topic)) throw new UnknownTopicError([topic], 'reading committed offsets');
    const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const committed = (answer?.partitions ?? []).filter(({ offset }) => offset !== '-1');
    return new Map(committed.map(({ partition, offset }) => [partition, BigInt(offset)]));
  });
}

/** Right after a topic was created or a broker came back, partitions are without a leader for a moment; kafkajs does not wait for it. */
async function onceLed<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 8 || (error as { retriable?: boolean }).retriable !== true) throw error;
      await pauseFor(backOffMs(attempt, { firstMs: 50, maxMs: 1000 }));
    }
  }
}
