import { bytesOf, type ConsumedRecord } from './consumed-record.js';
import type { Backlog } from './partition-work.js';

/** How much may be fetched and not finished. A partition stops being fetched at these watermarks and goes on at half of them. */
export interface Watermarks {
  /** Of one partition. */
  readonly records: number;
  readonly bytes: number;
  /** Of one partition, in offsets from the frontier to the last one fetched. A hard bound, for the commit's metadata holds no more. */
  readonly span: number;
  /** Of all partitions of this member together; a partition may always have its even share of them. */
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

/** `all` is asked only where the partition itself has not reached a mark. */
export function isFull(backlog: Backlog, all: () => All, watermarks: Watermarks): boolean {
  return reaches(backlog, all, watermarks, 1);
}

export function hasRoom(backlog: Backlog, all: () => All, watermarks: Watermarks): boolean {
  return !reaches(backlog, all, watermarks, resumeAt);
}

/** How many of these records may be taken: no more than twice a mark, whatever a fetch brings, and none beyond the span. */
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
