import { hash } from 'node:crypto';

/** A clean leader election may set a log's end back below the read position, for at most this long. Milliseconds. */
export const BEHIND_AT_MOST_MS = 60_000;

export interface LogBounds {
  /** First offset that the log still has. */
  low: bigint;
  /** Offset of its next record. */
  high: bigint;
}

interface Seen {
  offset: bigint;
  hash: string;
}

/** The position when the log's bounds were requested. The broker's answer cannot cover anything read later. */
interface Asked {
  next: bigint;
  last: Seen | undefined;
}

interface ReadRecord {
  offset: bigint;
  value: Buffer | null;
}

/**
 * Position of a reader in a log, and the proof that it is still the same log. A log never goes back: one that does has lost records or was
 * replaced. So after anything unusual (`doubt`) the last record is read once more, and nothing is taken before its hash was compared; a log
 * whose end is before the position is waited for, for at most a minute. Reading stops with `fault` where either fails (decision 0121).
 */
export class LogPosition {
  #last: Seen | undefined;
  /** The record that must be read and compared before anything new is taken. */
  #checked: Seen | undefined;
  #behindSinceMs: number | undefined;
  fault?: string;
  /** With `fault`: retention deleted records before they were read. What is left of the log may still be the same one. */
  isCut = false;

  /**
   * @param next first offset to read
   * @param known everything below this offset is known from elsewhere; the log must reach it. It may be beyond `next`.
   */
  constructor(
    private readonly name: string,
    public next: bigint,
    private readonly known: bigint = next,
  ) {}

  /** True while the log ends before what is known of it: nothing can be fetched. */
  get isBehind(): boolean {
    return this.#behindSinceMs !== undefined;
  }

  get asked(): Asked {
    return { next: this.next, last: this.#checked ?? this.#last };
  }

  /** Offset of the next fetch: the record to compare, where one must be. */
  get fetchFrom(): bigint {
    return this.#checked?.offset ?? this.next;
  }

  /** The log may be another one since the last fetch that was taken. */
  doubt(): void {
    this.#checked ??= this.#last;
  }

  /**
   * Returns the new records in offset order, or undefined if none may be taken: the fetch did not begin at `fetchFrom`, or `fault` is set.
   * A fetch that began elsewhere was out of range, so the log may have been shorter, and is doubted.
   * @param from offset of the fetch
   * @param next offset behind the last record of the answer
   */
  take<T extends ReadRecord>(records: readonly T[], from: bigint | undefined, next: bigint): T[] | undefined {
    if (this.fault !== undefined || this.isBehind) return undefined;
    if (from !== undefined && from !== this.fetchFrom) {
      this.doubt();
      return undefined;
    }
    if (this.#checked && !this.#isSame(this.#checked, records)) return undefined;
    this.#checked = undefined;
    const fresh = records.filter(({ offset }) => offset >= this.next);
    const last = fresh.at(-1);
    if (last) this.#last = { offset: last.offset, hash: hashOf(last.value) };
    this.next = later(this.next, next);
    return fresh;
  }

  /**
   * Takes offsets without records. Returns false if they are not the next ones, or a record must be compared first; offsets before `first` were
   * not read yet. Sets `fault` if that record is gone.
   */
  pass(first: bigint, last: bigint): boolean {
    if (this.fault !== undefined || this.isBehind) return false;
    if (this.#checked) {
      if (first <= this.#checked.offset && this.#checked.offset <= last) this.#isSame(this.#checked, []);
      return false;
    }
    if (first > this.next || last < this.next) return false;
    this.next = last + 1n;
    return true;
  }

  /**
   * Compares the position with the log's bounds; sets `fault`, or sets or clears `isBehind`.
   * @param bounds undefined where the log does not exist
   * @param asked `asked` before the bounds were requested
   */
  compare(bounds: LogBounds | undefined, nowMs: number, asked: Asked = this.asked): void {
    if (this.fault !== undefined) return;
    const { low, high } = bounds ?? { low: 0n, high: 0n };
    const readTo = later(this.next, this.known);
    if (low > readTo) {
      this.isCut = true;
      this.fault = `${this.name} begins at ${low}: the records from ${readTo} on were deleted before they were read`;
    } else if (high < later(asked.next, this.known)) {
      this.#behindSinceMs ??= nowMs;
      // Records that were read since may be of another log, so the comparison is with the last one of before.
      this.#checked = asked.last;
      const found = bounds ? `ends at ${high}, before` : 'does not exist any more, and was read to';
      const until = bounds ? `offset ${readTo} that was read already` : `offset ${readTo}`;
      if (nowMs - this.#behindSinceMs >= BEHIND_AT_MOST_MS)
        this.fault = `${this.name} ${found} ${until}: the log was lost or replaced`;
    } else {
      this.#behindSinceMs = undefined;
      // All below `known` is known from elsewhere, so retention took nothing that was to be read.
      this.next = later(this.next, low);
    }
    // Retention deleted the record, so there is nothing left to compare with.
    if (this.#last && low > this.#last.offset) this.#last = undefined;
    if (this.#checked && low > this.#checked.offset) this.#checked = this.#last;
  }

  #isSame({ offset, hash }: Seen, records: readonly ReadRecord[]): boolean {
    const again = records.find((record) => record.offset === offset);
    if (again && hashOf(again.value) === hash) return true;
    this.fault = `the record at offset ${offset} of ${this.name}, which was read before, is another one: the log was replaced`;
    return false;
  }
}

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const hashOf = (value: Buffer | null): string => hash('sha256', value ?? '', 'base64url');
