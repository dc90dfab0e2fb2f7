/** What was fetched: asked for from `from`, and fetching goes on at `next` if all of it is taken. */
export interface Fetched {
  readonly from: bigint;
  readonly next: bigint;
}

/** So often the log may say something else than what was expected; then it is the log that has changed. */
const straysAtMost = 2;

/** Where a partition is fetched. Several fetches may be under way, to several brokers: not every answer belongs to the last seek. */
export class FetchPosition {
  /** Answers to other fetches, one after the other. */
  private strays = 0;

  /** @param next where the next fetch begins */
  constructor(public next: bigint) {}

  /**
   * An answer to a fetch that began elsewhere: of before the seek, or before the partition's leader moved. To take it would skip what lies
   * between. But where it comes again after each seek nothing lies between any more: it was deleted, or is no record.
   */
  isStray({ from }: Fetched): boolean {
    if (from === this.next || this.strays === straysAtMost) this.strays = 0;
    else this.strays++;
    return this.strays > 0;
  }
}
