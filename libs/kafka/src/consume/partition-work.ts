import type { ConsumedRecord } from './consumed-record.js';

/** One partition for as long as this member holds it: a new assignment of the same partition is another one. */
export interface Assignment {
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  /**
   * Aborted when the drain begins, because the partition may be taken away or the consumer stops: what waits is given up at once;
   * what runs may still end, and counts if it does so before the drain is over.
   */
  readonly signal: AbortSignal;
  /** To be called when records were finished: the frontier is committed soon, and more may be fetched. */
  progress(): void;
}

/** Fetched and not finished. `span`: offsets from the frontier to the last record fetched. */
export interface Backlog {
  records: number;
  bytes: number;
  span: number;
}

/** What a consumer does with the records of one assignment. The group's work feeds it and commits what it finished. */
export interface PartitionWork {
  /**
   * Asked before `begin`: where to begin instead of at the committed offset; undefined means there, or at `low`. Then the metadata beside the
   * commit counts for nothing. A rejection is asked again. It may be answered after the assignment has ended: what it awaited is of use
   * only while the assignment's signal is not aborted.
   */
  startOffset?(committed: bigint | undefined, low: bigint): Promise<bigint | undefined>;
  /** Called once before the first record: the offset of that record, and the metadata of the commit if it is the committed offset. */
  begin(offset: bigint, metadata: string | undefined): void;
  add(records: ConsumedRecord[]): void;
  /** Rises with whatever is finished: there is something to commit. */
  readonly changes: number;
  /** Everything below `offset` is finished, `metadata` says what is above it. Undefined as long as nothing is known. */
  commitPoint(): { offset: bigint; metadata: string } | undefined;
  backlog(): Backlog;
  /** When the oldest record not finished was fetched, monotonic milliseconds. */
  readonly oldestSinceMs: number | undefined;
  /** Resolves when nothing runs any more; after the abort nothing new starts. */
  settled(): Promise<void>;
}
