import { FetchPosition } from './fetch-position.js';
import type { Assignment, PartitionWork } from './partition-work.js';

/** A partition of one epoch: its work, and how far fetching and committing have come. */
export class AssignedPartition {
  /** False until the offset to begin at is known. */
  isPlaced = false;
  isFull = false;
  /** `changes` of the work when it was last committed. */
  committedChanges: number;
  /** The group has a commit of it. */
  isCommitted = false;
  readonly position = new FetchPosition(0n);

  constructor(
    readonly assignment: Assignment,
    readonly work: PartitionWork,
    readonly end: AbortController,
  ) {
    this.committedChanges = work.changes;
  }

  get hasEnded(): boolean {
    return this.assignment.signal.aborted;
  }

  place(offset: bigint, isCommitted: boolean): void {
    this.position.next = offset;
    this.isCommitted = isCommitted;
    this.isPlaced = true;
  }
}

export interface WorkBacklog {
  records: number;
  bytes: number;
  span: number;
  partitions: number;
  oldestSinceMs: number | undefined;
}

export function backlogOf(all: ReadonlyMap<unknown, AssignedPartition>): WorkBacklog {
  const sum: WorkBacklog = { records: 0, bytes: 0, span: 0, partitions: all.size, oldestSinceMs: undefined };
  for (const { work } of all.values()) {
    const { records, bytes, span } = work.backlog();
    sum.records += records;
    sum.bytes += bytes;
    sum.span = Math.max(sum.span, span);
    const { oldestSinceMs } = work;
    if (oldestSinceMs !== undefined) sum.oldestSinceMs = Math.min(sum.oldestSinceMs ?? Infinity, oldestSinceMs);
  }
  return sum;
}

/** Of what began at that time; 0 where nothing waits. The clock is read last: an age is never negative. */
export function ageSeconds(sinceMs: number | undefined, now: () => number = () => performance.now()): number {
  return sinceMs === undefined ? 0 : Math.max(0, now() - sinceMs) / 1000;
}
