/** Topic name without prefix, as everywhere except at the client. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface PartitionStart extends TopicPartition {
  committed: bigint | undefined;
  metadata: string | undefined;
  /** First offset that the log still has. */
  low: bigint;
}

export interface CommitPoint extends TopicPartition {
  offset: bigint;
  metadata: string;
}

export interface GroupPort {
  /**
   * Sends one request without retries.
   * @throws MembershipLostError if this member is no longer in the group
   */
  commit(points: CommitPoint[]): Promise<void>;
  /** Partitions that do not exist are left out. */
  starts(partitions: readonly TopicPartition[]): Promise<PartitionStart[]>;
  /** The next fetch begins at this offset. Fetched records that `take` has not received yet are dropped. */
  seek(partition: TopicPartition, offset: bigint): void;
  pause(partition: TopicPartition): void;
  resume(partition: TopicPartition): void;
}
