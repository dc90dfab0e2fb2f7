import type { Assignment, Backlog, PartitionWork } from './group-port.js';
import { type ConsumedRecord, bytesOf } from './record.js';

export class AssignedPartition {
  /** False until the start offset is known; nothing is fetched before. */
  isPlaced = false;
  /** Id of the topic whose offsets these are; undefined where no broker told it. */
  topicId: string | undefined;
  /** Monotonic milliseconds since the log was first seen to end before the committed offset. */
  behindSinceMs: number | undefined;
  isFull = false;
  committedChanges: number;
  isCommitted = false;
  readonly position = new FetchPosition(0n);
  private isWorkOver = false;

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

  setPosition(offset: bigint, isCommitted: boolean, topicId: string | undefined): void {
    this.position.next = offset;
    this.isCommitted = isCommitted;
    this.topicId = topicId;
    this.isPlaced = true;
  }

  /** Ends the work once: an `end` that came after the next assignment had begun would take that one for ended. */
  endWork(): void {
    if (this.isWorkOver) return;
    this.isWorkOver = true;
    this.work.end?.();
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

/** Offsets of a fetch response: the fetch began at `from`; the next one begins at `next` if all records are taken. */
export interface Fetched {
  readonly from: bigint;
  readonly next: bigint;
}

/** After this many stray responses in a row the log itself has changed. */
const straysAtMost = 2;

/** Several fetches may be in flight to several brokers, so a response need not belong to the last seek. */
class FetchPosition {
  private strays = 0;

  constructor(public next: bigint) {}

  /**
   * `stray`: the response began elsewhere, before the last seek or before the partition's leader moved. Taking it would skip the records in
   * between. If this lasts after each seek, there are no records in between any more (deleted, or control records), and the response is
   * `next`; or it began earlier, because the log ends before `next` and kafkajs went back to its beginning: it is `behind`.
   */
  place({ from }: Fetched): 'next' | 'stray' | 'behind' {
    if (from !== this.next && this.strays++ < straysAtMost) return 'stray';
    this.strays = 0;
    return from < this.next ? 'behind' : 'next';
  }
}

/** Bounds for fetched but unfinished records. Fetching of a partition pauses at these watermarks and resumes at half of them. */
export const defaultWatermarks = {
  records: 2000,
  bytes: 16 * 1024 * 1024,
  /** From the frontier to the last fetched record. A hard bound, because the commit's metadata cannot hold more. */
  span: 16_000,
  /** Maximum of all partitions of this member together. Each partition may always use its even share. */
  allRecords: 16_000,
  allBytes: 64 * 1024 * 1024,
};
export type Watermarks = Readonly<typeof defaultWatermarks>;

interface All {
  records: number;
  bytes: number;
  partitions: number;
}

const resumeAt = 0.5;

/** `all` is called only if the partition itself is below its watermarks, because it sums over all partitions. */
export function isFull(backlog: Backlog, all: () => All, watermarks: Watermarks): boolean {
  return reaches(backlog, all, watermarks, 1);
}

export function hasRoom(backlog: Backlog, all: () => All, watermarks: Watermarks): boolean {
  return !reaches(backlog, all, watermarks, resumeAt);
}

/** Number of these records to take: at most twice a watermark, however large the fetch, and none beyond the span. */
export function roomFor(records: ConsumedRecord[], backlog: Backlog, watermarks: Watermarks): number {
  const first = records[0]?.offset ?? 0n;
  let bytes = backlog.bytes;
  let taken = 0;
  for (const record of records) {
    if (
      backlog.records + taken >= 2 * watermarks.records ||
      backlog.span + Number(record.offset - first) >= watermarks.span
    )
      break;
    if (bytes >= 2 * watermarks.bytes) break;
    bytes += bytesOf(record);
    taken++;
  }
  return taken;
}

function reaches({ records, bytes, span }: Backlog, sumOf: () => All, watermarks: Watermarks, part: number): boolean {
  if (records >= watermarks.records * part || bytes >= watermarks.bytes * part || span >= watermarks.span * part)
    return true;
  const all = sumOf();
  const share = part / Math.max(1, all.partitions);
  if (all.records >= watermarks.allRecords * part && records >= watermarks.allRecords * share) return true;
  return all.bytes >= watermarks.allBytes * part && bytes >= watermarks.allBytes * share;
}
