import { OrderUnreadableError } from '../journal/journal-faults.js';
import { OrderCache } from '../journal/order-cache.js';
import { MarkerMovedError, type JournalEntry } from '../journal/ports.js';
import { keyOf, readEntry, type OrderName } from '../journal/record-fold.js';
import { Waits } from '../journal/waits.js';
import type { OrderState } from '../state/order-state.js';
import { OwnerNotServingError, type OwnerParts } from './owner-ports.js';
import type { PartitionOwner } from './partition-owner.js';
import { assertReaches, later, MarkedRecord, type Place } from './placement.js';
import { batchOf, type PublishedBatch, type ReadRecord } from './published-batch.js';
import { ReadAhead } from './read-ahead.js';

const INDEX_READS = 5;

/**
 * All that belongs to one placement of a partition: its reader, the orders in memory, who waits for a record, and what the index lacks. Its owner
 * drops it whole and places anew; a callback that comes later finds a placement that does nothing.
 */
export class PlacedPartition {
  /** True once everything was read that the log had at the placement, the index's last record included: nothing is appended to another log. */
  isCaughtUp = false;
  readonly #cache = new OrderCache();
  readonly #ends = new Waits();
  readonly #ahead: ReadAhead;
  readonly #mark: MarkedRecord;
  readonly #goal: bigint;
  position: bigint;
  #next: bigint;
  /** All below was in the index at the last `forget`. */
  #indexed: bigint;
  #covers: bigint;
  #isDropped = false;
  #isDoubted = false;
  #surprise: MarkerMovedError | undefined;
  #wakeProjection: () => void = () => undefined;
  #whenSettled: (() => void)[] = [];

  constructor(
    private readonly owner: PartitionOwner,
    private readonly parts: OwnerParts,
    private readonly place: Place,
    /** Aborts when the assignment ends: nothing is published and written any more. */
    private readonly assigned: AbortSignal,
    /** Marker at which the log held no record when the partition was placed before. */
    absentAt: bigint | undefined,
  ) {
    this.position = this.#next = this.#indexed = this.#covers = place.mark.marker + 1n;
    this.#goal = place.high;
    this.#ahead = new ReadAhead(owner.partition, parts.follower);
    this.#mark = new MarkedRecord(owner.partition, place, absentAt);
  }

  get backlog(): { records: number; bytes: number; orders: number } {
    return { records: this.#ahead.length, bytes: this.#ahead.bytes, orders: this.#cache.size };
  }

  /** Begins to read at the index's marker. */
  follow(): void {
    this.parts.follower.follow(
      this.owner.partition,
      {
        from: this.#mark.readFrom,
        known: this.#next,
        onRecords: (entries, behind) => this.#take(entries, behind),
        onFault: (fault, isCut) => this.#readNoFurther(fault, isCut),
      },
      this.place,
    );
    this.#afterReading();
  }

  /**
   * A process that stood still reads a log that retention cut meanwhile, of which its successor has projected everything. So a cut is left to the next
   * placement: only the index and the acknowledged events say if a deleted record is missed.
   */
  #readNoFurther(fault: string, isCut: boolean): void {
    if (this.#isDropped) return;
    if (isCut && !this.assigned.aborted) this.#surprisedBy(new MarkerMovedError(fault));
    else this.owner.stop(fault);
  }

  /** Nothing of it is used any more: waits reject with `error`. */
  drop(error: Error): void {
    this.#isDropped = true;
    this.parts.follower.unfollow(this.owner.partition);
    this.#cache.clear(error);
    this.#ends.fail(error);
    this.settle();
    this.#wakeProjection();
  }

  /** Takes records from the reader in offset order. `next`: offset behind the last one. */
  #take(entries: readonly JournalEntry[], next: bigint): void {
    if (this.#isDropped) return;
    const seenMs = this.parts.timing.monotonicMs();
    for (const entry of entries) {
      const { offset, value, headers } = entry;
      try {
        if (this.#mark.isCompared(offset, value) || offset < this.position) continue;
        const stored = readEntry(entry);
        const { key, record, hash } = stored;
        this.owner.openIntents.see(record, seenMs);
        const folded = this.#cache.apply(stored);
        if (!this.assigned.aborted)
          this.#ahead.add({ key, offset, headers, record, hash, folded, bytes: value?.length ?? 0 });
        this.parts.onRecord?.(record);
      } catch (error) {
        if (error instanceof MarkerMovedError) return this.#surprisedBy(error);
        if (this.owner.stopFor(error)) return;
        throw error;
      }
      this.position = offset + 1n;
    }
    if (next > this.position) this.position = next;
    this.#ends.look();
    this.#afterReading();
  }

  #afterReading(): void {
    if (!this.isCaughtUp && this.position >= this.#goal && !this.#mark.isAwaited) {
      this.isCaughtUp = true;
      this.#ahead.goOn();
      this.owner.caughtUp();
    }
    // A command waits for the records that come while the owner serves.
    if (!this.isCaughtUp) this.#ahead.holdWhereFull();
    this.#wakeProjection();
  }

  /** Reading ends; the projection, which the owner awaits, ends with the error. */
  #surprisedBy(error: MarkerMovedError): void {
    this.parts.follower.unfollow(this.owner.partition);
    this.#surprise = error;
    this.#wakeProjection();
  }

  /** Publishes what was read, in batches, until the assignment is over. @throws MarkerMovedError where the index is not where it was left */
  async project(): Promise<void> {
    while (!this.assigned.aborted) {
      if (this.#isDoubted) await this.#assertIndexWhole();
      if (this.#surprise) throw this.#surprise;
      const records = this.#ahead.batch();
      if (records.length === 0) await new Promise<void>((resolve) => (this.#wakeProjection = resolve));
      else await this.#publish(records);
      // Before it serves, many records may be read whose orders nobody asks for.
      if (!this.isCaughtUp) this.forget();
      this.#ahead.goOnWhereHalfFree();
    }
  }

  async #publish(records: readonly ReadRecord[]): Promise<void> {
    const { parts, owner } = this;
    const from = { partition: owner.partition, next: this.#next, publishFrom: owner.acknowledged ?? 0n };
    const batch = await batchOf(parts.index, records, { ...from, epoch: parts.epoch?.() }, this.#untilDone);
    await this.#untilDone(() => parts.events.publish(batch.events));
    if (batch.published.length > 0) parts.onPublished?.(batch.published);
    for (const mismatch of batch.mismatches) parts.onSnapshotMismatch?.(mismatch);
    owner.acknowledged = later(owner.acknowledged, batch.to + 1n);
    await this.#untilDone(() => this.#write(batch));
    this.#ahead.remove(records);
    this.#next = batch.to + 1n;
    owner.afterPublished(this.#next);
    if (this.#ahead.length === 0 || !this.isCaughtUp) this.settle();
  }

  readonly #untilDone = <T>(ask: () => Promise<T>): Promise<T> => this.owner.untilDone(ask, this.assigned);

  #write({ to, hash, orders, redirectHtml }: PublishedBatch): Promise<void> {
    const { partition } = this.owner;
    return this.parts.index.write({ partition, from: this.#next - 1n, to, hash, orders, redirectHtml });
  }

  /** Resolves when everything that was read is published (before it serves: the batch under way), or it is dropped. */
  async settled(): Promise<void> {
    if (this.#ahead.length > 0) await new Promise<void>((resolve) => this.#whenSettled.push(resolve));
  }

  settle(): void {
    for (const resolve of this.#whenSettled.splice(0)) resolve();
  }

  /** The assignment is over: what was read and not published is left to the next owner. */
  leave(): void {
    this.#ahead.clear();
    this.settle();
    this.#wakeProjection();
  }

  /** The projection compares the index where the marker found in it is older than the one that this owner wrote, or is not there. */
  doubtIndex(marker?: bigint): void {
    if (marker !== undefined && marker >= this.#next - 1n) return;
    this.#isDoubted = true;
    this.#wakeProjection();
  }

  async #assertIndexWhole(): Promise<void> {
    const { partition } = this.owner;
    this.#isDoubted = false;
    const { marker } = await this.#untilDone(() => this.parts.index.readTogether(partition, []));
    assertReaches(partition, marker, this.#next - 1n);
  }

  /** The newest state that this process knows. @throws OrderUnreadableError where it is dropped, or the index lags behind memory */
  async read(name: OrderName): Promise<OrderState> {
    const { partition } = this.owner;
    for (let reads = 0; reads < INDEX_READS; reads++) {
      const known = this.#cache.find(keyOf(name));
      if (known) return known;
      const { order, marker } = await this.parts.index.read(keyOf(name));
      if (this.#isDropped) throw new OwnerNotServingError(partition);
      // A state counts only if its marker reaches what memory covers when it is used (R7).
      if (marker !== undefined && marker >= this.#covers - 1n) return this.#load(name, order, marker);
      this.doubtIndex(marker);
    }
    throw new OrderUnreadableError(`The index of journal partition ${partition} is behind what memory covers`);
  }

  /** A command on the order waits where one of its records can not be folded: the partition is stopped there. */
  #load({ merchant, orderId }: OrderName, stored: OrderState | undefined, marker: bigint): OrderState {
    try {
      return this.#cache.load(merchant, orderId, stored, marker);
    } catch (error) {
      throw this.owner.stopFor(error) ? new OrderUnreadableError((error as Error).message) : error;
    }
  }

  /** Resolves once everything below `end` was read. */
  async readTo(end: bigint, signal: AbortSignal): Promise<void> {
    await this.#ends.until(() => this.position >= end || undefined, signal);
  }

  /** Resolves with the order once a record beyond `offset` was folded. */
  async waitForRecordAfter(name: OrderName, offset: bigint, signal: AbortSignal): Promise<OrderState> {
    // Orders may leave memory between two turns of the event loop, so the wait starts in the turn in which the order was found.
    while (!this.#cache.find(keyOf(name))) await this.read(name);
    return this.#cache.waitForRecordAfter(keyOf(name), offset, signal);
  }

  /** Drops orders from memory that the index held at the last call: most that were in use then are in use no more. */
  forget(): void {
    this.#covers = this.#indexed;
    this.#cache.forget((_key, lastOffset) => lastOffset < this.#covers);
    this.#indexed = this.#next;
  }
}
