import { hash } from 'node:crypto';
import type { Fetched } from './fetch-position.js';

/** A clean leader election may set the high watermark back below the read position, for at most this long. Milliseconds. */
export const BEHIND_AT_MOST_MS = 60_000;

interface Seen {
  offset: bigint;
  hash: string;
}

/** The read position when the log's bounds were requested. The broker's answer cannot cover anything read later. */
export interface Asked {
  next: bigint;
  last: Seen | undefined;
}

export interface Wanted {
  /** First offset to read; without it reading begins at the end. */
  from?: bigint | undefined;
  /** The reader already knows everything below this offset from elsewhere. `from` may be smaller. */
  known?: bigint | undefined;
}

interface ReadRecord {
  offset: bigint;
  value: Buffer | null;
}

/** A log never goes back: one that does has lost records or was replaced, and reading of it stops. */
export class TailPosition<T extends ReadRecord = ReadRecord> {
  #last: Seen | undefined;
  /** The record that must be read and compared again before anything new is taken. */
  #checked: Seen | undefined;
  /** The last record when the log first ended before the position; records read since may belong to another log. */
  #missed: Seen | undefined;
  /** Records fetched from `next` before the last record could be compared. They are taken if the comparison succeeds. */
  #held: { records: readonly T[]; next: bigint } | undefined;
  #isDoubted = false;
  #behindSinceMs?: number;
  fault?: string;

  constructor(
    private readonly name: string,
    public next: bigint,
    private readonly known: bigint = next,
  ) {}

  /**
   * Places the start. If the log does not reach `known`, or has deleted the records after it, the result is `isBehind` or has a `fault`, as
   * during reading, so that other partitions can continue.
   * @throws if the log ends before `from` and `known` is not given
   */
  static placed<T extends ReadRecord>(
    name: string,
    { low, high }: { low: bigint; high: bigint },
    { from = high, known }: Wanted,
    nowMs: number,
  ): TailPosition<T> {
    if (known === undefined && from > high)
      throw new Error(
        `${name} ends at ${high}, before offset ${from} that was read already: the log was lost or replaced`,
      );
    if (known === undefined) return new TailPosition<T>(name, later(from, low));
    const position = new TailPosition<T>(name, low > known ? from : later(from, low), known);
    position.compare({ low, high }, nowMs);
    return position;
  }

  get isBehind(): boolean {
    return this.#behindSinceMs !== undefined;
  }

  /** True if nothing suggests that the log was replaced: it does not end before the position, and no comparison is pending. */
  get isVerified(): boolean {
    return !this.isBehind && this.#checked === undefined && !this.#isDoubted;
  }

  get asked(): Asked {
    return { next: this.next, last: this.#last };
  }

  /** Offset of the next fetch. While a comparison is pending, this is the offset of the record to compare. */
  get fetchFrom(): bigint {
    return this.#checked?.offset ?? this.next;
  }

  /** Requests a comparison, because the log may have been replaced. */
  check(): void {
    this.#checked = this.#missed ?? this.#last;
  }

  /** Doubts the current fetch: unless it begins with the last read record, nothing of it is taken before the comparison. */
  startVerification(): void {
    this.#isDoubted = this.#last !== undefined;
  }

  /** After a join: as `check`, and held records are fetched again. */
  checkAnew(): void {
    this.#held = undefined;
    this.check();
  }

  /** Before a fetch: if the previous one is doubted, this one begins with the last read record. */
  checkDoubted(): void {
    if (this.#isDoubted && this.#checked === undefined) this.check();
  }

  /** Keeps records fetched from `next` while a comparison is pending; `take` adds them afterwards. */
  holdUntilVerified(records: readonly T[], fetched: Fetched | undefined, next: bigint): void {
    if (this.#checked !== undefined && fetched?.from === this.next) this.#held = { records, next };
  }

  /**
   * Returns the new records in offset order, followed by held ones beyond them. Returns undefined if the fetch did not begin at `fetchFrom`
   * or `fault` is set now. A fetch that began elsewhere may mean that the log ended before the position and has grown beyond it since, so
   * the last record is compared.
   */
  take(records: readonly T[], fetched: Fetched | undefined, next: bigint): T[] | undefined {
    if (this.fault !== undefined) return undefined;
    this.checkDoubted();
    this.holdUntilVerified(records, fetched, next);
    if (fetched && fetched.from !== this.fetchFrom) {
      this.check();
      return undefined;
    }
    if (this.#checked && !this.#isSame(this.#checked, records)) return undefined;
    const fresh = records.filter(({ offset }) => offset >= this.next);
    // Held records are older than this fetch, so where both overlap, this fetch counts.
    const beyond = this.#held?.records.filter(({ offset }) => offset >= next) ?? [];
    const ends = [this.next, next, this.#held?.next ?? next];
    this.#held = undefined;
    this.#isDoubted = beyond.length > 0;
    fresh.push(...beyond);
    const last = fresh.at(-1);
    if (last) this.#last = { offset: last.offset, hash: hashOf(last.value) };
    this.next = ends.reduce(later);
    return fresh;
  }

  #isSame(checked: Seen, records: readonly ReadRecord[]): boolean {
    this.#checked = this.#missed = undefined;
    const again = records.find(({ offset }) => offset === checked.offset);
    if (again && hashOf(again.value) === checked.hash) return true;
    this.fault = `the record at offset ${checked.offset} of ${this.name}, which was read before, is another one: the log was replaced`;
    return false;
  }

  /** Compares the position with the log's bounds. Sets `fault`, or sets or clears `isBehind`. */
  compare({ low, high }: { low: bigint; high: bigint }, nowMs: number, asked: Asked = this.asked): void {
    if (this.fault !== undefined) return;
    const readTo = later(this.next, this.known);
    if (low > readTo) {
      this.fault = `${this.name} begins at ${low}: the records from ${readTo} on were deleted before they were read`;
    } else if (low > this.next) {
      // All below `known` is known from elsewhere, so retention took nothing that was to be read.
      this.next = low;
    } else if (high < later(asked.next, this.known)) {
      this.#behindSinceMs ??= nowMs;
      this.#missed ??= asked.last;
      if (nowMs - this.#behindSinceMs >= BEHIND_AT_MOST_MS)
        this.fault = `${this.name} ends at ${high}, before offset ${readTo} that was read already: the log was lost or replaced`;
    } else if (this.#behindSinceMs !== undefined) {
      this.#behindSinceMs = undefined;
      this.check();
    }
    // Retention deleted the record, so there is nothing left to compare with.
    const isGone = (seen: Seen | undefined) => seen !== undefined && low > seen.offset;
    if (isGone(this.#last)) this.#last = undefined;
    if (isGone(this.#missed)) this.#missed = undefined;
    if (isGone(this.#checked)) this.#checked = this.#last;
    if (this.#last === undefined) {
      this.#isDoubted = false;
      this.#held = undefined;
    }
  }
}

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const hashOf = (value: Buffer | null): string => hash('sha256', value ?? '', 'base64url');
