import type { Batch, Consumer, EachBatchPayload, Offsets } from 'kafkajs';
import type { Fetched } from '../consume/fetch-position.js';
import type { CommitPoint, GroupPort, PartitionStart, TopicPartition } from '../consume/group-port.js';
import type { Partitions } from '../consume/sticky-plan.js';
import { MembershipLostError } from '../errors.js';
import { startsOf } from '../topics/offsets.js';
import type { KafkaClient } from './kafka-client.js';

export interface KafkajsPortOptions {
  client: KafkaClient;
  groupId: string;
  topicPrefix: string;
  consumer: Consumer;
}

const membershipLost = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID']);

/**
 * What the group's work asks of kafkajs. That one drops its group before it reports a crash, and in between its seek, pause and resume
 * throw: a call then is without effect, for each join places every partition anew.
 */
export class KafkajsPort implements GroupPort {
  private hasGroup = false;
  private commitOffsets: ((offsets: Offsets) => Promise<void>) | undefined;

  constructor(private readonly options: KafkajsPortOptions) {}

  /** The group has been joined. */
  begin(): void {
    this.hasGroup = true;
    this.commitOffsets = undefined;
  }

  /** kafkajs has no group any more. */
  end(): void {
    this.hasGroup = false;
    this.commitOffsets = undefined;
  }

  /** Commits go by what was fetched last. */
  fetched(fetched: EachBatchPayload): void {
    this.commitOffsets = (offsets) => fetched.commitOffsetsIfNecessary(offsets);
  }

  /** Not consumer.commitOffsets: that one repeats by itself, and a repeat after a rebalance would carry old offsets into the new assignment. */
  async commit(points: CommitPoint[]): Promise<void> {
    const { commitOffsets } = this;
    if (!commitOffsets) throw new Error('nothing has been fetched since the group was joined');
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

  starts(partitions: readonly TopicPartition[]): Promise<PartitionStart[]> {
    const { client, groupId, topicPrefix } = this.options;
    return startsOf(client, groupId, topicPrefix, partitions);
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

  private nameOf(topic: string): string {
    return this.options.topicPrefix + topic;
  }
}

/** kafkajs sets `fetchedOffset` and leaves it out of its types. */
export function fetchedOf(batch: Batch & { fetchedOffset?: string }): Fetched | undefined {
  const { fetchedOffset } = batch;
  return fetchedOffset === undefined ? undefined : { from: BigInt(fetchedOffset), next: BigInt(batch.lastOffset()) + 1n };
}

/** As kafkajs names them. */
export function byTopic(partitions: readonly TopicPartition[], prefix: string): Partitions {
  const topics: Partitions = {};
  for (const { topic, partition } of partitions) (topics[prefix + topic] ??= []).push(partition);
  return topics;
}
