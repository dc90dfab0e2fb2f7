/** An end of the journal that was seen, and is not known to be in the index yet. */
interface Goal {
  end: bigint;
  seenAtMs: number;
}

/** For how long the index of each partition has lacked what the journal had: it grows too while nothing can be measured. */
export class IndexDelays {
  readonly #goals = new Map<number, Goal>();

  /** `next`: the offset of the first record that the index does not hold; `end`: where the journal ends now. */
  measured(partition: number, next: bigint, end: bigint): void {
    const goal = this.#goals.get(partition);
    if (goal === undefined || next >= goal.end) this.#goals.set(partition, { end, seenAtMs: performance.now() });
  }

  /** Of a partition that was not measured yet the time begins with this question. */
  secondsOf(partition: number): number {
    const goal = this.#goals.get(partition) ?? { end: 0n, seenAtMs: performance.now() };
    this.#goals.set(partition, goal);
    return (performance.now() - goal.seenAtMs) / 1_000;
  }

  /** Those of other instances are forgotten. */
  keep(partitions: ReadonlySet<number>): void {
    for (const partition of this.#goals.keys()) if (!partitions.has(partition)) this.#goals.delete(partition);
  }
}
