import type { Mark } from '@tranche/order-journal';

/** A marker that has not moved for so long does not move by itself: its projector has stopped, or there is none. */
export const STANDS_STILL_MS = 60_000;

export interface IndexProgress {
  /** Records that the index lacks, in all partitions. */
  behind: bigint;
  /** Partitions whose index is not waited for, and why. */
  left: Map<number, string>;
}

/**
 * Decides at a start whether the index is far enough. A partition whose index stands still is left out once it alone is in the way: the orders of
 * the others do not wait for it.
 */
export class IndexWait {
  /** Markers as they were seen first, and when. Milliseconds. */
  readonly #seen = new Map<number, { marker: bigint; sinceMs: number }>();

  constructor(
    private readonly offsets: ReadonlyMap<number, { low: bigint; high: bigint }>,
    /** So many records may be lacking in all. */
    private readonly limit: number,
  ) {}

  /** @param isStopped whether the projector of this process has stopped at a partition: every instance sees a marker, and only this one sees that */
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

  /** The largest first, and no more than need be: memory can hold what the others lack. */
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

  /** Without a marker the index is being built: it gets one at the end. */
  #standsStill(partition: number, marker: bigint | undefined, nowMs: number): boolean {
    const seen = this.#seen.get(partition);
    if (marker === undefined) this.#seen.delete(partition);
    else if (seen?.marker !== marker) this.#seen.set(partition, { marker, sinceMs: nowMs });
    else return nowMs - seen.sinceMs >= STANDS_STILL_MS;
    return false;
  }
}
