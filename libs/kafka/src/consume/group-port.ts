/** Topic without prefix, as everywhere in the core. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface PartitionStart extends TopicPartition {
  /** What the group has committed, if anything. */
  committed: bigint | undefined;
  /** What stood beside that commit. */
  metadata: string | undefined;
  /** The first offset still kept. */
  low: bigint;
}

export interface CommitPoint extends TopicPartition {
  offset: bigint;
  metadata: string;
}

/** What the group's work asks of the client: kafkajs, or a simulated log. */
export interface GroupPort {
  /** One request, no repeats. Rejects when it was not taken; with MembershipLostError when this member is out of the group. */
  commit(points: CommitPoint[]): Promise<void>;
  /** Where these may begin; those that do not exist are left out. */
  starts(partitions: readonly TopicPartition[]): Promise<PartitionStart[]>;
  /** The next record fetched is this one. What was fetched before and not yet given to `take` is dropped. */
  seek(partition: TopicPartition, offset: bigint): void;
  pause(partition: TopicPartition): void;
  resume(partition: TopicPartition): void;
}
