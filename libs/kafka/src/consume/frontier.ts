import { decodeFinished, encodeFinished } from './gap-metadata.js';

/** Entry for a delivered record. It outlives the record, whose content is released when it is done. */
export interface Delivery {
  readonly offset: bigint;
  /** Monotonic milliseconds of the fetch. */
  readonly sinceMs: number;
  isDone: boolean;
}

/**
 * Progress of one assignment: every record below the frontier is finished, and some above it. Offsets have gaps (control records,
 * compaction), so the frontier moves to the next delivered offset and is never incremented by 1.
 */
export class Frontier {
  /** Entries in delivery order; all before `firstOpen` are done. */
  private delivered: Delivery[] = [];
  private firstOpen = 0;
  private lastDelivered: bigint | undefined;
  private reached: bigint | undefined;
  /** Offsets that the last commit's metadata marks as finished and that were not delivered yet. Our commits repeat them until then. */
  private finishedBefore = new Set<bigint>();
  private changeCount = 0;

  /** Sets the start: the committed offset and the metadata of that commit. May be called only before the first delivery. */
  begin(offset: bigint, metadata?: string | null): void {
    this.reached = offset;
    this.finishedBefore = decodeFinished(offset, metadata);
  }

  get changes(): number {
    return this.changeCount;
  }

  /** Returns undefined if the record was finished before this assignment and must not be handled again. */
  deliver(offset: bigint, sinceMs: number): Delivery | undefined {
    const delivery = { offset, sinceMs, isDone: this.finishedBefore.delete(offset) };
    if (this.firstOpen === this.delivered.length) this.reached = offset;
    this.delivered.push(delivery);
    this.lastDelivered = offset;
    if (!delivery.isDone) return delivery;
    this.advance();
    return undefined;
  }

  finish(delivery: Delivery): void {
    delivery.isDone = true;
    this.advance();
  }

  get offset(): bigint | undefined {
    return this.reached;
  }

  get span(): number {
    const { offset } = this;
    return offset === undefined || this.lastDelivered === undefined
      ? 0
      : Math.max(0, Number(this.lastDelivered - offset) + 1);
  }

  get oldestSinceMs(): number | undefined {
    return this.delivered[this.firstOpen]?.sinceMs;
  }

  metadata(): string {
    const { offset } = this;
    return offset === undefined ? '' : encodeFinished(offset, this.finishedAbove());
  }

  private *finishedAbove(): Generator<bigint> {
    for (let at = this.firstOpen; at < this.delivered.length; at++) {
      const delivery = this.delivered[at]!;
      if (delivery.isDone) yield delivery.offset;
    }
    yield* this.finishedBefore;
  }

  private advance(): void {
    this.changeCount++;
    if (!this.delivered[this.firstOpen]?.isDone) return;
    while (this.delivered[this.firstOpen]?.isDone) this.firstOpen++;
    this.reached = this.delivered[this.firstOpen]?.offset ?? this.lastDelivered! + 1n;
    if (this.firstOpen > 1000 && this.firstOpen * 2 > this.delivered.length) {
      this.delivered = this.delivered.slice(this.firstOpen);
      this.firstOpen = 0;
    }
  }
}
