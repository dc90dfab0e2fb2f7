import { FetchPosition } from './fetch-position.js';
import type { Assignment, PartitionWork } from './partition-work.js';

export class AssignedPartition {
  /** False until the start offset is known; nothing is fetched before. */
  isPlaced = false;
  isFull = false;
  committedChanges: number;
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

  setPosition(offset: bigint, isCommitted: boolean): void {
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

/** @param sinceMs monotonic milliseconds; undefined if nothing waits */
export function ageSeconds(sinceMs: number | undefined, now: () => number = () => performance.now()): number {
  return sinceMs === undefined ? 0 : Math.max(0, now() - sinceMs) / 1000;
}
