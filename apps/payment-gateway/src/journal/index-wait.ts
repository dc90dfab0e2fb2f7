import type { Mark } from '@tranche/order-journal';

/** A marker that has not moved for this long counts as stalled: its projector has stopped, or there is none. Milliseconds. */
export const STANDS_STILL_MS = 60_000;

export interface IndexProgress {
  /** Records that the index still lacks, summed over all partitions. */
  behind: bigint;
  /** Partitions that the start does not wait for, and the reason for each. */
  left: Map<number, string>;
}

/**
 * Decides at a start if the index is close enough to the journal's end. A partition with a stalled index is left out once the other
 * partitions are close enough, so that their orders need not wait.
 */
export class IndexWait {
  /** First time that each marker was seen at its current offset, in milliseconds. */
  readonly #seen = new Map<number, { marker: bigint; sinceMs: number }>();

  constructor(
    private readonly offsets: ReadonlyMap<number, { low: bigint; high: bigint }>,
    /** Maximum of missing records in all partitions. */
    private readonly limit: number,
  ) {}

  /** @param isStopped true where this process's projector has stopped at the partition; the marker alone does not show that */
  look(marks: ReadonlyMap<number, Mark>, nowMs: number, isStopped: (partition: number) => boolean): IndexProgress {
    let behind = 0n;
    const standing: { partition: number; lacking: bigint }[] = [];
    for (const [partition, { low, high }] of this.offsets) {
      const marker = marks.get(partition)?.marker;
      const next = (marker ?? low - 1n) + 1n;
      const lacking = high - (next > low ? next : low);
      const standsStill = this.#standsStill(partition, marker, nowMs);
      if (lacking <= 0n) continue;
      behind += lacking;
      if (standsStill || isStopped(partition)) standing.push({ partition, lacking });
    }
    return this.#without(standing, behind);
  }

  /** Leaves out the partitions with the most missing records first, and no more than needed: memory can hold the rest. */
  #without(standing: { partition: number; lacking: bigint }[], behind: bigint): IndexProgress {
    const left = new Map<number, string>();
    const moving = standing.reduce((records, { lacking }) => records - lacking, behind);
    if (moving > this.limit) return { behind, left };
    for (const { partition, lacking } of standing.sort((one, other) => Number(other.lacking - one.lacking))) {
      if (behind <= this.limit) break;
      left.set(
        partition,
        `its index lacks ${lacking} records and stands still. Find out why its projector does not go on, then restart this instance`,
      );
      behind -= lacking;
    }
    return { behind, left };
  }

  /** A partition without a marker is being built, and gets its marker at the end. It does not count as stalled. */
  #standsStill(partition: number, marker: bigint | undefined, nowMs: number): boolean {
    const seen = this.#seen.get(partition);
    if (marker === undefined) this.#seen.delete(partition);
    else if (seen?.marker !== marker) this.#seen.set(partition, { marker, sinceMs: nowMs });
    else return nowMs - seen.sinceMs >= STANDS_STILL_MS;
    return false;
  }
}
