import type { ConsumedRecord } from './consumed-record.js';

/** One partition for as long as this member holds it: a new assignment of the same partition is another one. */
export interface Assignment {
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  /** Aborted when the partition is taken away or the consumer stops: what waits is given up, what runs ends by itself. */
  readonly signal: AbortSignal;
  /** To be called when records were finished: the frontier is committed soon, and more may be fetched. */
  progress(): void;
}

/** What a consumer does with the records of one assignment. The group consumer feeds it and commits its frontier. */
export interface PartitionWork {
  add(records: ConsumedRecord[]): void;
  /** Offset to commit: everything below it is finished. Undefined until something is. */
  frontier(): bigint | undefined;
  /** Fetched and not finished. */
  backlog(): { records: number; bytes: number };
  /** Resolves when nothing runs any more; after the abort nothing new starts. */
  settled(): Promise<void>;
}
