import { hash } from 'node:crypto';
import type { Fetched } from './fetch-position.js';

/** A clean election may leave the high watermark behind what was read, for so long at most. Milliseconds. */
export const BEHIND_AT_MOST_MS = 60_000;

/** A record that was read. */
interface Seen {
  offset: bigint;
  hash: string;
}

/** What was read when the broker was asked for the log's ends; what was read meanwhile it could not know. */
export interface Asked {
  next: bigint;
  last: Seen | undefined;
}

/** What a reader wants of a partition. */
export interface Wanted {
  /** The first offset to be read; without it reading begins at the end. */
  from?: bigint | undefined;
  /** The reader knows everything below this offset already, from elsewhere. `from` may lie before it. */
  known?: bigint | undefined;
}

interface ReadRecord {
  offset: bigint;
  value: Buffer | null;
}

/**
 * Where a partition is read, and what was read of it last. A log never goes back: one that does has lost records, or is another log, and is
 * read no further.
 */
export class TailPosition<T extends ReadRecord = ReadRecord> {
  #last: Seen | undefined;
  /** The record that is read once more. */
  #checked: Seen | undefined;
  /** The last one that was read when the log first ended before it. What came at its offset or behind it since says nothing of it. */
  #missed: Seen | undefined;
  /** Fetched from `next` before the record that was read last could be read once more: taken if that is still the same. */
  #held: { records: readonly T[]; next: bigint } | undefined;
  #isDoubted = false;
  #behindSinceMs?: number;
  /** Why nothing more is read of the partition. */
  fault?: string;

  /**
   * @param next the first offset that is wanted and was not read
   * @param known see `Wanted`
   */
  constructor(
    private readonly name: string,
    public next: bigint,
    private readonly known: bigint = next,
  ) {}

  /**
   * Where reading begins. A log that does not reach what its reader knows, or has deleted what follows on it, is for `isBehind` and `fault`,
   * as if it had been read so far: the other partitions go on.
   * @throws where the log ends before `from` and it is not said what is known
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

  /** Nothing says that the log is another one than was read: it does not end before that, and no record is to be read once more. */
  get isSure(): boolean {
    return !this.isBehind && this.#checked === undefined && !this.#isDoubted;
  }

  /** To be kept while the broker is asked for the log's ends. */
  get asked(): Asked {
    return { next: this.next, last: this.#last };
  }

  /** Where to fetch. Begins with a record that was read before, as long as it is to be seen whether that is still there. */
  get fetchFrom(): bigint {
    return this.#checked?.offset ?? this.next;
  }

  /** The log may be another one by now: the record that was read last is read once more, or the one that the log did not hold for a while. */
  check(): void {
    this.#checked = this.#missed ?? this.#last;
  }

  /** What a fetch has just brought may come from another log: unless it begins with the record that was read last, none of it is taken before that is read. */
  doubt(): void {
    this.#isDoubted = this.#last !== undefined;
  }

  /** The group was joined: as `check`, and what was held is read again. */
  checkAnew(): void {
    this.#held = undefined;
    this.check();
  }

  /** Before a fetch: it begins with the record that was read last where the one before it is doubted. */
  checkDoubted(): void {
    if (this.#isDoubted && this.#checked === undefined) this.check();
  }

  /** The records may be taken later: those of a fetch that another one, from elsewhere, is to follow. Without effect where nothing is to be compared. */
  hold(records: readonly T[], fetched: Fetched | undefined, next: bigint): void {
    if (this.#checked !== undefined && fetched?.from === this.next) this.#held = { records, next };
  }

  /**
   * The new ones of some fetched records, in offset order, and behind them what was held and lies beyond them. Undefined where they were not fetched from `fetchFrom`, or `fault` is set now. An
   * answer from elsewhere may mean that the log ended before what was read, and it may have grown beyond it since: the last record is compared.
   */
  take(records: readonly T[], fetched: Fetched | undefined, next: bigint): T[] | undefined {
    if (this.fault !== undefined) return undefined;
    this.checkDoubted();
    this.hold(records, fetched, next);
    if (fetched && fetched.from !== this.fetchFrom) {
      this.check();
      return undefined;
    }
    if (this.#checked && !this.#isSame(this.#checked, records)) return undefined;
    const fresh = records.filter(({ offset }) => offset >= this.next);
    // What was held was read before: what has just been read counts more.
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

  /**
   * Compares with what the broker says of the log. `fault` or `isBehind` may be set afterwards, or `isBehind` taken back.
   */
  compare({ low, high }: { low: bigint; high: bigint }, nowMs: number, asked: Asked = this.asked): void {
    if (this.fault !== undefined) return;
    const readTo = later(this.next, this.known);
    if (low > readTo) {
      this.fault = `${this.name} begins at ${low}: the records from ${readTo} on were deleted before they were read`;
    } else if (high < later(asked.next, this.known)) {
      this.#behindSinceMs ??= nowMs;
      this.#missed ??= asked.last;
      if (nowMs - this.#behindSinceMs >= BEHIND_AT_MOST_MS)
        this.fault = `${this.name} ends at ${high}, before offset ${readTo} that was read already: the log was lost or replaced`;
    } else if (this.#behindSinceMs !== undefined) {
      this.#behindSinceMs = undefined;
      this.check();
    }
    // It was deleted after its time: nothing is left to compare with.
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
