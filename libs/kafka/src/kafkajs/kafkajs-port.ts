import type { Batch, Cluster, Consumer, EachBatchPayload, Offsets, PartitionMetadata } from 'kafkajs';
import type { Fetched } from '../core/assigned-partition.js';
import type { CommitPoint, GroupPort, PartitionStart, TopicPartition } from '../core/group-port.js';
import type { Partitions } from '../core/sticky-plan.js';
import { GenerationUnknownError, MembershipLostError } from '../errors.js';
import { withAdmin, type KafkaClient } from './kafka-client.js';
import { topicIdOf } from './topic-ids.js';

interface KafkajsPortOptions {
  client: KafkaClient;
  groupId: string;
  topicPrefix: string;
  consumer: Consumer;
  /** The consumer's own connections: what they know of the topics, and commits of a member that fetches nothing. */
  cluster: () => Cluster | undefined;
}

const membershipLost = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID']);

/**
 * The group's port on kafkajs. Between dropping its group and reporting the crash, kafkajs throws on seek, pause and resume. Such calls do
 * nothing here, because each join places every partition again.
 */
export class KafkajsPort implements GroupPort {
  private hasGroup = false;
  private commitOffsets: ((offsets: Offsets) => Promise<void>) | undefined;
  private membership: { groupGenerationId: number; memberId: string } | undefined;

  constructor(private readonly options: KafkajsPortOptions) {
    options.consumer.on('consumer.heartbeat', ({ payload: { groupGenerationId, memberId } }) => {
      this.membership = { groupGenerationId, memberId };
    });
  }

  /** Undefined from a join to its first heartbeat. */
  get memberId(): string | undefined {
    return this.membership?.memberId;
  }

  begin(): void {
    this.hasGroup = true;
    this.commitOffsets = undefined;
    this.membership = undefined;
  }

  end(): void {
    this.hasGroup = false;
    this.commitOffsets = undefined;
    this.membership = undefined;
  }

  /** Commits use the generation of the last fetch, or before the first fetch that of the last heartbeat. */
  fetched(fetched: EachBatchPayload): void {
    this.commitOffsets = (offsets) => fetched.commitOffsetsIfNecessary(offsets);
  }

  /** consumer.commitOffsets retries by itself, and a retry after a rebalance would commit old offsets in the new generation. */
  async commit(points: CommitPoint[]): Promise<void> {
    const { commitOffsets = (offsets: Offsets) => this.commitAsMember(offsets) } = this;
    const topics = [...new Set(points.map(({ topic }) => topic))].map((topic) => ({
      topic: this.nameOf(topic),
      partitions: points
        .filter((point) => point.topic === topic)
        .map(({ partition, offset, metadata }) => ({ partition, offset: String(offset), metadata })),
    }));
    try {
      await commitOffsets({ topics });
    } catch (error) {
      const { type } = error as { type?: string };
      if (type !== undefined && membershipLost.has(type))
        throw new MembershipLostError(`the group goes on without us: ${type}`, { cause: error });
      throw error;
    }
  }

  async starts(partitions: readonly TopicPartition[]): Promise<PartitionStart[]> {
    const { client, groupId, topicPrefix, cluster } = this.options;
    // Only the group's leader has asked at the join.
    await cluster()?.refreshMetadata();
    // A topic that is made anew from here on has another id, and is noticed by it.
    const ids = new Map(partitions.map(({ topic }) => [topic, this.topicId(topic)]));
    const starts = await startsOf(client, groupId, topicPrefix, partitions);
    return starts.map((start) => ({ ...start, topicId: ids.get(start.topic) }));
  }

  topicId(topic: string): string | undefined {
    return topicIdOf(this.partitionsOf(topic));
  }

  /** Partitions as kafkajs was told last; none before the first answer. */
  partitionsOf(topic: string): readonly PartitionMetadata[] {
    try {
      return this.options.cluster()?.findTopicPartitionMetadata(this.nameOf(topic)) ?? [];
    } catch {
      return [];
    }
  }

  seek({ topic, partition }: TopicPartition, offset: bigint): void {
    if (this.hasGroup) this.options.consumer.seek({ topic: this.nameOf(topic), partition, offset: String(offset) });
  }

  pause({ topic, partition }: TopicPartition): void {
    if (this.hasGroup) this.options.consumer.pause([{ topic: this.nameOf(topic), partitions: [partition] }]);
  }

  resume({ topic, partition }: TopicPartition): void {
    if (this.hasGroup) this.options.consumer.resume([{ topic: this.nameOf(topic), partitions: [partition] }]);
  }

  /** Sends a single request, as kafkajs does for a batch. The broker rejects it if the generation is over. */
  private async commitAsMember(offsets: Offsets): Promise<void> {
    const { membership } = this;
    const cluster = this.options.cluster();
    if (!cluster || !membership)
      throw new GenerationUnknownError('neither a fetch nor a heartbeat has come back since the group was joined');
    const { groupId } = this.options;
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    await coordinator.offsetCommit({ groupId, ...membership, ...offsets });
  }

  private nameOf(topic: string): string {
    return this.options.topicPrefix + topic;
  }
}

/** kafkajs sets `fetchedOffset` but leaves it out of its types. */
export function fetchedOf(batch: Batch & { fetchedOffset?: string }): Fetched | undefined {
  const { fetchedOffset } = batch;
  return fetchedOffset === undefined
    ? undefined
    : { from: BigInt(fetchedOffset), next: BigInt(batch.lastOffset()) + 1n };
}

export function byTopic(partitions: readonly TopicPartition[], prefix: string): Partitions {
  const topics: Partitions = {};
  for (const { topic, partition } of partitions) (topics[prefix + topic] ??= []).push(partition);
  return topics;
}

/** Start offsets for a group member; topic names without prefix. A partition that does not exist is left out. */
function startsOf(
  client: KafkaClient,
  groupId: string,
  topicPrefix: string,
  partitions: readonly TopicPartition[],
): Promise<PartitionStart[]> {
  const topics = [...new Set(partitions.map(({ topic }) => topic))];
  return withAdmin(client, async (admin) => {
    const names = topics.map((topic) => topicPrefix + topic);
    // The topics' offsets come first: to find a coordinator, kafkajs requests all topics of the cluster until it knows one topic.
    const logs = await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)));
    const groups = await admin.fetchOffsets({ groupId, topics: names });
    return topics.flatMap((topic, at) => {
      const commits = new Map(
        groups.find((group) => group.topic === names[at])?.partitions.map((commit) => [commit.partition, commit]),
      );
      return logs[at]!.map(({ partition, low, high }) => {
        const { offset, metadata } = commits.get(partition) ?? { offset: '-1', metadata: null };
        const committed = BigInt(offset) < 0n ? undefined : BigInt(offset);
        return { topic, partition, committed, metadata: metadata ?? undefined, low: BigInt(low), high: BigInt(high) };
      });
    });
  });
}
