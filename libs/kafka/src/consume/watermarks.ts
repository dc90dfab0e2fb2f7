import { bytesOf, type ConsumedRecord } from './consumed-record.js';
import type { Backlog } from './partition-work.js';

/** Bounds for fetched but unfinished records. Fetching of a partition pauses at these watermarks and resumes at half of them. */
export interface Watermarks {
  readonly records: number;
  readonly bytes: number;
  /** From the frontier to the last fetched record. A hard bound, because the commit's metadata cannot hold more. */
  readonly span: number;
  /** Maximum of all partitions of this member together. Each partition may always use its even share. */
  readonly allRecords: number;
  readonly allBytes: number;
}

export const defaultWatermarks: Watermarks = {
  records: 2000,
  bytes: 16 * 1024 * 1024,
  span: 16_000,
  allRecords: 16_000,
  allBytes: 64 * 1024 * 1024,
};

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
