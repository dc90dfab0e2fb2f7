import type { JournalFollower } from './owner-ports.js';
import type { ReadRecord } from './published-batch.js';

const BATCH_RECORDS = 1_000;
const MAX_RECORDS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Records of a partition that were read and that the index lacks. It stops the partition's reader while they are too many. */
export class ReadAhead {
  #records: ReadRecord[] = [];
  bytes = 0;
  #isHeld = false;

  constructor(
    private readonly partition: number,
    private readonly follower: Pick<JournalFollower, 'hold' | 'goOn'>,
  ) {}

  get length(): number {
    return this.#records.length;
  }

  add(record: ReadRecord): void {
    this.#records.push(record);
    this.bytes += record.bytes;
  }

  batch(): ReadRecord[] {
    return this.#records.slice(0, BATCH_RECORDS);
  }

  remove(batch: readonly ReadRecord[]): void {
    this.#records.splice(0, batch.length);
    for (const { bytes } of batch) this.bytes -= bytes;
  }

  clear(): void {
    this.#records = [];
    this.bytes = 0;
  }

  holdWhereFull(): void {
    if (this.#isAtMost(1)) return;
    this.#isHeld = true;
    this.follower.hold(this.partition);
  }

  /** Half the room must be free, so that the reader does not stop and start with every batch. */
  goOnWhereHalfFree(): void {
    if (this.#isAtMost(0.5)) this.goOn();
  }

  goOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.follower.goOn(this.partition);
  }

  #isAtMost(part: number): boolean {
    return this.#records.length <= MAX_RECORDS * part && this.bytes <= MAX_BYTES * part;
  }
}
