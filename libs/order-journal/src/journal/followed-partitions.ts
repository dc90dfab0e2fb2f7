import { JournalReplacedError } from './journal-faults.js';

/** First offset that memory covers, the first that was kept at the beginning, the next one that the tail brings, and where the journal ended. */
interface Followed {
  from: bigint;
  low: bigint;
  next: bigint;
  end: bigint;
  /** The index holds everything below this offset, and the journal must still have what follows on it. */
  known?: bigint;
  /** The record at the index's marker, until the tail has brought it. */
  marked?: { offset: bigint; hash: string };
}

/** How far this process follows each partition of the journal, and from where on its memory holds what the index lacks (R7). */
export class FollowedPartitions {
  readonly #followed = new Map<number, Followed>();

  begin(partition: number, { low, high }: { low: bigint; high: bigint }, marker?: bigint, hash?: string): void {
    // An index that is older than what is kept counts no more: until it was rebuilt no order can be read.
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

  /** The offset per partition from which the tail must begin: at the marker's record where its hash is known, to see that it is still the same. */
  get beginnings(): Map<number, bigint> {
    return new Map([...this.#followed].map(([partition, { from, marked }]) => [partition, marked?.offset ?? from]));
  }

  /** Per partition what its log must reach, or it was lost (R1): for the tail, which waits for it, and stops that partition alone. */
  get known(): Map<number, bigint> {
    return new Map(
      [...this.#followed].flatMap(([partition, { known }]) =>
        known === undefined ? [] : [[partition, known] as const],
      ),
    );
  }

  /** The tail reads from here on. A marker's record before it was deleted by its age since the log was asked where it begins: it proves nothing. */
  placed(partition: number, from: bigint): void {
    const followed = this.#followed.get(partition);
    if (followed?.marked && followed.marked.offset < from) delete followed.marked;
  }

  /** Offset of the record that the tail brings next; undefined for a partition that is not followed. */
  next(partition: number): bigint | undefined {
    return this.#followed.get(partition)?.next;
  }

  /** First offset that memory covers. */
  from(partition: number): bigint {
    return this.#followed.get(partition)?.from ?? 0n;
  }

  /**
   * The tail brings a record. Says whether it is new: the one at the index's marker is not, the index holds it.
   * @throws JournalReplacedError where that is another record
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

  /** Records to go until memory has caught up with the journal as it was at the beginning, without those partitions. */
  behind(without: (partition: number) => boolean): number {
    let records = 0n;
    for (const [partition, { next, end }] of this.#followed)
      if (next < end && !without(partition)) records += end - next;
    return Number(records);
  }

  /**
   * Records per partition that memory holds because the index lacks them. A partition without a marker is being built, and its commands wait: it is
   * left out, unless memory alone holds its whole log, so that its commands go on.
   */
  indexBehind(markers: ReadonlyMap<number, bigint>, without: (partition: number) => boolean): Map<number, number> {
    const behind = new Map<number, number>();
    for (const [partition, { from, next }] of this.#followed) {
      const marker = markers.get(partition);
      if (without(partition) || (marker === undefined && !this.reaches(partition, marker))) continue;
      // Records that were deleted before this process could read them are missing in the index, but they are not in memory.
      const lacking = marker !== undefined && marker + 1n > from ? marker + 1n : from;
      behind.set(partition, next > lacking ? Number(next - lacking) : 0);
    }
    return behind;
  }

  /** Memory covers less once the index covers more. */
  indexCovers(markers: ReadonlyMap<number, bigint>): void {
    for (const [partition, followed] of this.#followed) {
      const marker = markers.get(partition);
      if (marker !== undefined && marker >= followed.from) followed.from = marker + 1n;
    }
  }

  /** Whether an index with this marker and memory have no gap between them (R7). Without a marker it must be memory alone. */
  reaches(partition: number, marker: bigint | undefined): boolean {
    const { from, low } = this.#followed.get(partition) ?? { from: 0n, low: 0n };
    return (marker ?? low - 1n) >= from - 1n;
  }
}
