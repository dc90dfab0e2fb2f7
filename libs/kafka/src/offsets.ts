import { UnknownTopicError } from './errors.js';
import { askAdmin, withAdmin, type KafkaClient } from './kafka-client.js';

/** Per partition of a topic (with prefix): `low` the first offset still kept, `high` the offset that the next record will get. */
export function topicOffsets(client: KafkaClient, topic: string): Promise<Map<number, { low: bigint; high: bigint }>> {
  return askAdmin(client, async (admin) => {
    if (!(await admin.listTopics()).includes(topic)) throw new UnknownTopicError([topic], 'reading offsets');
    const partitions = await admin.fetchTopicOffsets(topic);
    return new Map(partitions.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]));
  });
}

/** Per partition the offset that the group reads next; a partition without a commit is absent. */
export function committedOffsets(client: KafkaClient, groupId: string, topic: string): Promise<Map<number, bigint>> {
  return askAdmin(client, async (admin) => {
    if (!(await admin.listTopics()).includes(topic)) throw new UnknownTopicError([topic], 'reading committed offsets');
    const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const committed = (answer?.partitions ?? []).filter(({ offset }) => offset !== '-1');
    return new Map(committed.map(({ partition, offset }) => [partition, BigInt(offset)]));
  });
}

/** Where a member of the group may begin: per partition what is committed, if anything, and the first offset still kept. */
export function startsOf(
  client: KafkaClient,
  groupId: string,
  topic: string,
): Promise<Map<number, { committed: bigint | undefined; low: bigint }>> {
  return withAdmin(client, async (admin) => {
    const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const committed = new Map((group?.partitions ?? []).map(({ partition, offset }) => [partition, BigInt(offset)]));
    const log = await admin.fetchTopicOffsets(topic);
    return new Map(
      log.map(({ partition, low }) => {
        const offset = committed.get(partition);
        return [partition, { committed: offset === undefined || offset < 0n ? undefined : offset, low: BigInt(low) }];
      }),
    );
  });
}
