import { decodeFinished, encodeFinished } from './gap-metadata.js';

/** What is left of a record in the list of those delivered; its content goes when it is done. */
export interface Place {
  readonly offset: bigint;
  /** When it was fetched, monotonic milliseconds. */
  readonly sinceMs: number;
  isDone: boolean;
}

/**
 * How far one assignment of a partition has come: the frontier, below which everything is finished, and what is finished above it.
 * Offsets have gaps (control records, compaction): the frontier moves to the next one delivered, never by 1.
 */
export class Frontier {
  /** In delivery order; the ones before `firstOpen` are done. */
  private delivered: Place[] = [];
  private firstOpen = 0;
  private lastDelivered: bigint | undefined;
  private reached: bigint | undefined;
  /** Finished before this assignment, as its commit says, and not delivered yet. Stays in our commits as long. */
  private finishedBefore = new Set<bigint>();
  private changeCount = 0;

  /** Where consuming begins: the committed offset and the metadata that stood beside it. Before the first delivery, if at all. */
  begin(offset: bigint, metadata?: string | null): void {
    this.reached = offset;
    this.finishedBefore = decodeFinished(offset, metadata);
  }

  /** Rises with every record finished: what is to be committed has changed. */
  get changes(): number {
    return this.changeCount;
  }

  /** Undefined when the record was finished before this assignment: nothing is to be done about it. */
  deliver(offset: bigint, sinceMs: number): Place | undefined {
    const place = { offset, sinceMs, isDone: this.finishedBefore.delete(offset) };
    if (this.firstOpen === this.delivered.length) this.reached = offset;
    this.delivered.push(place);
    this.lastDelivered = offset;
    if (!place.isDone) return place;
    this.advance();
    return undefined;
  }

  finish(place: Place): void {
    place.isDone = true;
    this.advance();
  }

  /** Everything below is finished. Undefined before it is known where consuming begins. */
  get offset(): bigint | undefined {
    return this.reached;
  }

  /** How far the last record delivered is above the frontier, in offsets. */
  get span(): number {
    const { offset } = this;
    return offset === undefined || this.lastDelivered === undefined
      ? 0
      : Math.max(0, Number(this.lastDelivered - offset) + 1);
  }

  /** When the oldest record that is not finished was fetched, monotonic milliseconds. */
  get oldestSinceMs(): number | undefined {
    return this.delivered[this.firstOpen]?.sinceMs;
  }

  /** For the commit of `offset`: the finished ones above it. */
  metadata(): string {
    const { offset } = this;
    return offset === undefined ? '' : encodeFinished(offset, this.finishedAbove());
  }

  private *finishedAbove(): Generator<bigint> {
    for (let at = this.firstOpen; at < this.delivered.length; at++) {
      const place = this.delivered[at]!;
      if (place.isDone) yield place.offset;
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
