import { JournalReplacedError } from './journal-faults.js';

/** First offset that memory covers, first offset kept at the beginning, offset of the tail's next record, and the journal's end at the beginning. */
interface Followed {
  from: bigint;
  low: bigint;
  next: bigint;
  end: bigint;
  /** The index holds all records below this offset, so the journal must reach it. */
  known?: bigint;
  /** The record at the index's marker, until the tail has read it. */
  marked?: { offset: bigint; hash: string };
}

/** Tracks how far this process has read each journal partition, and from which offset its memory covers what the index lacks (R7). */
export class FollowedPartitions {
  readonly #followed = new Map<number, Followed>();

  begin(partition: number, { low, high }: { low: bigint; high: bigint }, marker?: bigint, hash?: string): void {
    // An index that is older than the kept records is not used: no order can be read until it was rebuilt.
    const counts = marker !== undefined && marker >= low;
    const from = counts ? marker + 1n : low;
    const followed: Followed = { from, low, next: from, end: high };
    if (counts) followed.known = from;
    if (counts && hash !== undefined) followed.marked = { offset: marker, hash };
    this.#followed.set(partition, followed);
  }

  has(partition: number): boolean {
    return this.#followed.has(partition);
  }

  /** Offset from which the tail must start, per partition: at the marker's record where its hash is known, so that the record can be compared. */
  get beginnings(): Map<number, bigint> {
    return new Map([...this.#followed].map(([partition, { from, marked }]) => [partition, marked?.offset ?? from]));
  }

  /** Offset that each partition's log must reach, or else it was truncated (R1). The tail stops a partition that does not reach it. */
  get known(): Map<number, bigint> {
    return new Map(
      [...this.#followed].flatMap(([partition, { known }]) =>
        known === undefined ? [] : [[partition, known] as const],
      ),
    );
  }

  /**
   * The tail reads from here on. Where retention deleted the record at the index's marker since the log's ends were asked, reading begins
   * behind it, and there is nothing to compare.
   */
  placed(partition: number, from: bigint): void {
    const followed = this.#followed.get(partition);
    if (followed?.marked && followed.marked.offset < from) delete followed.marked;
  }

  /** Offset of the tail's next record; undefined for a partition that is not followed. */
  next(partition: number): bigint | undefined {
    return this.#followed.get(partition)?.next;
  }

  /** First offset that memory covers. */
  from(partition: number): bigint {
    return this.#followed.get(partition)?.from ?? 0n;
  }

  /**
   * Takes the offset of a record from the tail. Returns `at-marker` for the record at the index's marker, which the index holds already.
   * @throws JournalReplacedError where another record came there
   */
  advance(partition: number, offset: bigint, hash: () => string): 'new' | 'at-marker' {
    const followed = this.#followed.get(partition);
    if (followed) followed.next = offset + 1n;
    if (!followed?.marked) return 'new';
    const { marked } = followed;
    delete followed.marked;
    if (offset !== marked.offset || hash() !== marked.hash) throw new JournalReplacedError(marked.offset);
    return 'at-marker';
  }

  /** Number of records until memory has reached the journal's end as of the beginning. Partitions for which `without` is true are left out. */
  behind(without: (partition: number) => boolean): number {
    let records = 0n;
    for (const [partition, { next, end }] of this.#followed)
      if (next < end && !without(partition)) records += end - next;
    return Number(records);
  }

  /**
   * Number of records per partition that memory holds because the index lacks them. A partition without a marker is left out, because its commands
   * wait for the index, unless memory holds its whole log.
   */
  indexBehind(markers: ReadonlyMap<number, bigint>, without: (partition: number) => boolean): Map<number, number> {
    const behind = new Map<number, number>();
    for (const [partition, { from, next }] of this.#followed) {
      const marker = markers.get(partition);
      if (without(partition) || (marker === undefined && !this.reaches(partition, marker))) continue;
      // Records that retention deleted before this process read them are missing in the index, but are not in memory.
      const lacking = marker !== undefined && marker + 1n > from ? marker + 1n : from;
      behind.set(partition, next > lacking ? Number(next - lacking) : 0);
    }
    return behind;
  }

  /** Raises the first offset that memory must cover to the index's markers. */
  indexCovers(markers: ReadonlyMap<number, bigint>): void {
    for (const [partition, followed] of this.#followed) {
      const marker = markers.get(partition);
      if (marker !== undefined && marker >= followed.from) followed.from = marker + 1n;
    }
  }

  /** True where an index with this marker and memory have no gap between them (R7). Without a marker, memory must hold the whole log. */
  reaches(partition: number, marker: bigint | undefined): boolean {
    const { from, low } = this.#followed.get(partition) ?? { from: 0n, low: 0n };
    return (marker ?? low - 1n) >= from - 1n;
  }
}
