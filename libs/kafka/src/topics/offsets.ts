import { decodeFinished, topicIdIn } from '../core/frontier.js';
import { UnknownTopicError } from '../errors.js';
import { askAdmin, shownTopics, withAdmin, type KafkaClient, type Admin } from '../kafkajs/kafka-client.js';
import { topicIdOf } from '../kafkajs/topic-ids.js';
import { mustExist } from './topics.js';

/** `low` is the first offset that the log still has, `high` the offset of its next record. */
export interface TopicBounds {
  low: bigint;
  high: bigint;
  /** Another topic of the same name has another id. Undefined if no broker tells it. */
  topicId: string | undefined;
}

/** By partition of a topic (with prefix). */
export function topicOffsets(client: KafkaClient, topic: string): Promise<Map<number, TopicBounds>> {
  return askAdmin(client, async (admin) => (await boundsOf(admin, topic)).offsets);
}

async function boundsOf(
  admin: Admin,
  topic: string,
): Promise<{ topicId: string | undefined; offsets: Map<number, TopicBounds> }> {
  const [shown] = (await shownTopics(admin, [topic])) ?? [];
  if (shown === undefined) throw new UnknownTopicError([topic], 'reading offsets');
  const topicId = topicIdOf(shown.partitions);
  const partitions = await admin.fetchTopicOffsets(topic);
  const offsets = new Map(
    partitions.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high), topicId }]),
  );
  return { topicId, offsets };
}

/** By partition, the offset that the group reads next; a partition without a commit is absent. */
export async function committedOffsets(
  client: KafkaClient,
  groupId: string,
  topic: string,
): Promise<Map<number, bigint>> {
  const progress = await groupProgress(client, groupId, topic);
  return new Map([...progress].map(([partition, { next }]) => [partition, next]));
}

/** By partition of a topic (with prefix): the offset of the first record of this time or later, or that of the next record. */
export function offsetsAt(client: KafkaClient, topic: string, timeMs: number): Promise<Map<number, bigint>> {
  return askAdmin(client, async (admin) => {
    await mustExist(admin, [topic], 'reading offsets');
    const partitions = await admin.fetchTopicOffsetsByTimestamp(topic, timeMs);
    return new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
  });
}

/** A group has handled of a partition all below `next`, and the offsets in `finished`. */
interface GroupProgress {
  next: bigint;
  finished: ReadonlySet<bigint>;
}

/** By partition of a topic (with prefix); a partition without a commit is absent. For groups of our services, whose commits say what is finished. */
export async function groupProgress(
  client: KafkaClient,
  groupId: string,
  topic: string,
): Promise<Map<number, GroupProgress>> {
  return (await topicProgress(client, groupId, topic)).progress;
}

/** The bounds of a topic's log (with prefix), and then what `groupProgress` returns of it. */
export function topicProgress(
  client: KafkaClient,
  groupId: string,
  topic: string,
): Promise<{ offsets: Map<number, TopicBounds>; progress: Map<number, GroupProgress> }> {
  return askAdmin(client, async (admin) => {
    // First, because kafkajs requests all topics of the cluster to find a coordinator, until it knows one topic.
    const { topicId, offsets } = await boundsOf(admin, topic);
    const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const isOfTopic = (metadata: string | null) => (topicIdIn(metadata) ?? topicId) === topicId;
    const committed = (answer?.partitions ?? []).filter(
      ({ offset, metadata }) => offset !== '-1' && isOfTopic(metadata),
    );
    const progress = committed.map(({ partition, offset, metadata }) => {
      const next = BigInt(offset);
      return [partition, { next, finished: decodeFinished(next, metadata) }] as const;
    });
    return { offsets, progress: new Map(progress) };
  });
}

/** Sets the group's next offsets. Rejects while the group has members. */
export function commitFor(
  client: KafkaClient,
  groupId: string,
  topic: string,
  ...offsets: readonly { partition: number; offset: bigint }[]
): Promise<void> {
  return withAdmin(client, (admin) =>
    admin.setOffsets({
      groupId,
      topic,
      partitions: offsets.map(({ partition, offset }) => ({ partition, offset: String(offset) })),
    }),
  );
}

export interface GroupMember {
  groupId: string;
  memberId: string;
  clientId: string;
  /** Address as the broker sees it, such as `/10.0.0.7`. */
  clientHost: string;
}

/**
 * Lists the members of these groups. A process that was killed stays a member until its session times out.
 * @param topic existing topic with prefix; kafkajs requests all topics of the cluster until it knows one
 */
export function groupMembers(client: KafkaClient, groupIds: readonly string[], topic: string): Promise<GroupMember[]> {
  return askAdmin(client, async (admin) => {
    await mustExist(admin, [topic], 'finding members of groups');
    await admin.fetchTopicOffsets(topic);
    const { groups } = await admin.describeGroups([...groupIds]);
    return groups.flatMap(({ groupId, members }) =>
      members.map(({ memberId, clientId, clientHost }) => ({ groupId, memberId, clientId, clientHost })),
    );
  });
}
