/** A journal end that the index has not reached yet, and when it was first seen. */
interface Goal {
  end: bigint;
  seenAtMs: number;
}

/** Measures for how long each partition's index has been behind the journal. The delay also grows while measuring fails. */
export class IndexDelays {
  readonly #goals = new Map<number, Goal>();

  /** `next`: offset of the first record that the index lacks; `end`: the journal's end now. */
  measured(partition: number, next: bigint, end: bigint): void {
    const goal = this.#goals.get(partition);
    if (goal === undefined || next >= goal.end) this.#goals.set(partition, { end, seenAtMs: performance.now() });
  }

  /** For a partition that was never measured, the delay starts with this call. */
  secondsOf(partition: number): number {
    const goal = this.#goals.get(partition) ?? { end: 0n, seenAtMs: performance.now() };
    this.#goals.set(partition, goal);
    return (performance.now() - goal.seenAtMs) / 1_000;
  }

  /** Drops partitions that this instance does not project any more. */
  keep(partitions: ReadonlySet<number>): void {
    for (const partition of this.#goals.keys()) if (!partitions.has(partition)) this.#goals.delete(partition);
  }
}
