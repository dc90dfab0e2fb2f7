import type { ConsumedRecord } from './record.js';

/** Topic name without prefix, as everywhere except at the client. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface PartitionStart extends TopicPartition {
  /** Id of the topic, told before these offsets were; undefined if no broker tells it. */
  topicId?: string | undefined;
  committed: bigint | undefined;
  metadata: string | undefined;
  /** First offset that the log still has. */
  low: bigint;
  /** Offset of its next record. */
  high: bigint;
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
  /** Id of the topic as it was last told; another topic of the same name has another id. Undefined if no broker tells it. */
  topicId(topic: string): string | undefined;
  pause(partition: TopicPartition): void;
  resume(partition: TopicPartition): void;
}

/** One partition for as long as this member owns it. If the partition is assigned again, that is another `Assignment`. */
export interface Assignment {
  /** Topic name without prefix. */
  readonly topic: string;
  readonly partition: number;
  /**
   * Aborts when the drain begins, because the partition may be taken away or the consumer stops. Waiting records are given up at once.
   * Running handlers may end, and count if they end before the drain is over.
   */
  readonly signal: AbortSignal;
  /** To be called when records were finished; schedules a commit and lets fetching resume. */
  progress(): void;
}

/** Fetched but unfinished records. `span`: offsets from the frontier to the last fetched record. */
export interface Backlog {
  records: number;
  bytes: number;
  span: number;
}

/** Handles the records of one assignment. `GroupWork` feeds it and commits its finished records. */
export interface PartitionWork {
  /**
   * Called before `begin`: returns another start than the committed offset; undefined means the committed one, or `low`. The metadata of
   * the commit is ignored if the start differs. A rejection is retried. The assignment may end meanwhile, so check its signal after each
   * await.
   * @param committed `low` if the commit is of another log, which was deleted or cut
   */
  startOffset?(committed: bigint | undefined, low: bigint, topicId: string | undefined): Promise<bigint | undefined>;
  /**
   * @param offset of the first record
   * @param metadata of the commit, if `offset` is the committed one
   */
  begin(offset: bigint, metadata: string | undefined): void;
  add(records: ConsumedRecord[]): void;
  /** Increases when records are finished; a commit is due then. */
  readonly changes: number;
  /** Every record below `offset` is finished; `metadata` holds the finished ones above it. Undefined while the start is unknown. */
  commitPoint(): { offset: bigint; metadata: string } | undefined;
  backlog(): Backlog;
  /** Monotonic milliseconds of its fetch. */
  readonly oldestSinceMs: number | undefined;
  /** Resolves when nothing is running; after the abort nothing new starts. */
  settled(): Promise<void>;
  /**
   * Called once: when a drain has settled all work, or the epoch is over, or this member is out of its group. Nothing more may begin. The
   * last commit of a drain follows.
   */
  end?(): void;
  /** The group was joined again after `end`, and the partition is not among those of this member any more. */
  left?(): void;
}
