/** Offsets of a fetch response: the fetch began at `from`; the next one begins at `next` if all records are taken. */
export interface Fetched {
  readonly from: bigint;
  readonly next: bigint;
}

/** After this many stray responses in a row the log itself has changed, so the next one is taken. */
const straysAtMost = 2;

/** Several fetches may be in flight to several brokers, so a response need not belong to the last seek. */
export class FetchPosition {
  private strays = 0;

  constructor(public next: bigint) {}

  /**
   * Returns true for a response that began elsewhere: before the last seek, or before the partition's leader moved. Taking it would skip
   * the records in between. If the same response arrives again after each seek, there are no records in between any more (deleted, or
   * control records), and it is accepted.
   */
  isStray({ from }: Fetched): boolean {
    if (from === this.next || this.strays === straysAtMost) this.strays = 0;
    else this.strays++;
    return this.strays > 0;
  }
}
