import { bytesOf, type ConsumedRecord } from './consumed-record.js';

export interface BufferBounds {
  readonly records: number;
  readonly bytes: number;
}

const mebibyte = 1024 * 1024;
export const defaultBufferBounds: BufferBounds = { records: 4_000, bytes: 4 * mebibyte };

/** Complete for the offsets from `from` up to, but without, `next`. */
interface Range {
  from: bigint;
  next: bigint;
  records: ConsumedRecord[];
  bytes: number;
}

/**
 * Keeps records that the tail of a topic has read until the group consumer of the same process has committed them. Only partitions of that
 * consumer are kept, and within bounds: beyond them the oldest records are dropped, and the consumer fetches those itself.
 */
export class TailBuffer {
  readonly #ranges = new Map<number, Range>();
  #kept: ReadonlySet<number> = new Set();
  #onMoved: (partition: number) => void = () => undefined;

  constructor(private readonly bounds: BufferBounds = defaultBufferBounds) {}

  begin(partition: number, offset: bigint): void {
    this.#ranges.set(partition, { from: offset, next: offset, records: [], bytes: 0 });
    this.#onMoved(partition);
  }

  add(partition: number, records: readonly ConsumedRecord[]): void {
    const range = this.#ranges.get(partition);
    if (!range) return;
    for (const record of records) {
      if (record.offset < range.next) continue;
      range.records.push(record);
      range.bytes += bytesOf(record);
      range.next = record.offset + 1n;
    }
    if (!this.#kept.has(partition)) return this.#removeFirst(range, range.records.length);
    // Hand over first: records that the consumer takes now must not be dropped by the bound.
    this.#onMoved(partition);
    this.#keepBounds(range);
  }

  keep(partitions: Iterable<number>): void {
    this.#kept = new Set(partitions);
    for (const [partition, range] of this.#ranges)
      if (!this.#kept.has(partition)) this.#removeFirst(range, range.records.length);
  }

  /** Called when the tail of a partition begins and after each read. One listener: a tail feeds one group consumer. */
  onMoved(listener: (partition: number) => void): void {
    this.#onMoved = listener;
  }

  /** True if no record from `offset` on was dropped; the tail may not have reached `offset` yet. */
  covers(partition: number, offset: bigint): boolean {
    const range = this.#ranges.get(partition);
    return range !== undefined && offset >= range.from && offset <= range.next;
  }

  recordsFrom(partition: number, offset: bigint, most: number): ConsumedRecord[] {
    const { records } = this.#ranges.get(partition) ?? { records: [] };
    const first = firstFrom(records, offset);
    return records.slice(first, first + most);
  }

  drop(partition: number, offset: bigint): void {
    const range = this.#ranges.get(partition);
    if (range) this.#removeFirst(range, firstFrom(range.records, offset));
  }

  get size(): { records: number; bytes: number } {
    const sum = { records: 0, bytes: 0 };
    for (const { records, bytes } of this.#ranges.values()) {
      sum.records += records.length;
      sum.bytes += bytes;
    }
    return sum;
  }

  #keepBounds(range: Range): void {
    let bytes = range.bytes;
    let count = 0;
    while (range.records.length - count > this.bounds.records || bytes > this.bounds.bytes)
      bytes -= bytesOf(range.records[count++]!);
    this.#removeFirst(range, count);
  }

  #removeFirst(range: Range, count: number): void {
    const removed = range.records.splice(0, count);
    for (const record of removed) range.bytes -= bytesOf(record);
    const last = removed.at(-1);
    if (last) range.from = last.offset + 1n;
  }
}

function firstFrom(records: readonly ConsumedRecord[], offset: bigint): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (records[middle]!.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
