import { createHash } from 'node:crypto';
import type { Fetched } from './fetch-position.js';

/** A clean election may leave the high watermark behind what was read, for so long at most. Milliseconds. */
export const BEHIND_AT_MOST_MS = 60_000;

interface ReadRecord {
  offset: bigint;
  value: Buffer | null;
}

/**
 * Where a partition is read, and what was read of it last. A log never goes back: one that does has lost records, or is another log, and is
 * read no further.
 */
export class TailPosition {
  #last?: { offset: bigint; hash: string };
  #isChecking = false;
  #behindSinceMs?: number;
  /** Why nothing more is read of the partition. */
  fault?: string;

  /** @param next the first offset that is wanted and was not read */
  constructor(
    private readonly name: string,
    public next: bigint,
  ) {}

  get isBehind(): boolean {
    return this.#behindSinceMs !== undefined;
  }

  /** Where to fetch. Begins with the record that was read last, as long as it is to be seen whether that is still there. */
  get fetchFrom(): bigint {
    return this.#isChecking && this.#last ? this.#last.offset : this.next;
  }

  /** The log may be another one by now: the record that was read last is read once more. */
  check(): void {
    this.#isChecking = this.#last !== undefined;
  }

  /** The new ones of some fetched records, in offset order. Undefined where they were not fetched from `fetchFrom`, or `fault` is set now. */
  take<T extends ReadRecord>(records: readonly T[], fetched: Fetched | undefined, next: bigint): T[] | undefined {
    if (this.fault !== undefined) return undefined;
    if (fetched && fetched.from !== this.fetchFrom) return undefined;
    if (this.#isChecking && !this.#isSame(records)) return undefined;
    const fresh = records.filter(({ offset }) => offset >= this.next);
    const last = fresh.at(-1);
    if (last) this.#last = { offset: last.offset, hash: hashOf(last.value) };
    if (next > this.next) this.next = next;
    return fresh;
  }

  #isSame(records: readonly ReadRecord[]): boolean {
    const last = this.#last!;
    this.#isChecking = false;
    const again = records.find(({ offset }) => offset === last.offset);
    if (again && hashOf(again.value) === last.hash) return true;
    this.fault = `the record at offset ${last.offset} of ${this.name}, which was read before, is another one: the log was replaced`;
    return false;
  }

  /**
   * Compares with what the broker says of the log. `fault` or `isBehind` may be set afterwards, or `isBehind` taken back.
   * @param asked `next` when the broker was asked: what was read meanwhile it could not know
   */
  compare({ low, high }: { low: bigint; high: bigint }, nowMs: number, asked = this.next): void {
    if (this.fault !== undefined) return;
    if (low > this.next) {
      this.fault = `${this.name} begins at ${low}: the records from ${this.next} on were deleted before they were read`;
    } else if (high < asked) {
      this.#behindSinceMs ??= nowMs;
      if (nowMs - this.#behindSinceMs >= BEHIND_AT_MOST_MS)
        this.fault = `${this.name} ends at ${high}, before offset ${this.next} that was read already: the log was lost or replaced`;
    } else if (this.#behindSinceMs !== undefined) {
      this.#behindSinceMs = undefined;
      this.check();
    }
    // It was deleted after its time: nothing is left to compare with.
    if (this.#last && low > this.#last.offset) {
      this.#last = undefined;
      this.#isChecking = false;
    }
  }
}

const hashOf = (value: Buffer | null): string =>
  createHash('sha256')
    .update(value ?? '')
    .digest('base64url');
