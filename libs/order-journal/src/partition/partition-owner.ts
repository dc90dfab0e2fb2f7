import { orderKey } from '@tranche/contracts';
import { backOffMs } from '@tranche/runtime';
import {
  EntryUnreadableError,
  JournalChangedError,
  OrderUnreadableError,
  stoppedReason,
} from '../journal/journal-faults.js';
import { OpenIntents } from '../journal/open-intents.js';
import { OrderCache } from '../journal/order-cache.js';
import { MarkerMovedError, type JournalEntry } from '../journal/ports.js';
import { unlessAborted, Waits } from '../journal/waits.js';
import type { OrderState } from '../state/order-state.js';
import { adviceOnLoss, adviceOnRecord } from '../recovery/partition-health.js';
import { recordHash } from '../state/records.js';
import { decodeRecord } from '../state/versions.js';
import { OwnerNotServingError, type OwnerParts } from './owner-ports.js';
import { assertReaches, later, MarkedRecord, openIntentsIn, placeOwner } from './placement.js';
import { batchOf, type PublishedBatch, type ReadRecord } from './published-batch.js';
import { ReadAhead } from './read-ahead.js';

/** `stopped`: its log is not the one that was read, or holds a record that this release cannot read. A person decides. */
export type OwnerState = 'place' | 'catch_up' | 'serve' | 'stopped' | 'closed';

const INDEX_READS = 5;
const LOOK_AGAIN_MS = 200;
const RETRY = { firstMs: 100, maxMs: 10_000 };

/**
 * Everything that one process does with one partition while Kafka assigns it to this process: reads the journal once, folds each record once,
 * wakes who waits for it, publishes the events, writes the index. Safety does not rest on owning: another owner may be at work (R3, R7).
 *
 * place → catch up → serve. Whatever surprises it drops memory and batches, and places anew.
 */
export class PartitionOwner {
  readonly openIntents = new OpenIntents();
  readonly #cache = new OrderCache();
  readonly #ends = new Waits();
  #state: OwnerState = 'place';
  /** False once the assignment is over: nothing is published and written any more; calls under way still read their records. */
  #mayWrite = true;
  #reason: string | undefined;
  /** Increases at each placement. What was awaited across one counts no more. */
  #placements = 0;
  readonly #mark: MarkedRecord;
  #goal = 0n;
  /** Offset of the reader's next record; of the first record that the index lacks; of the first one that memory covers. */
  #position = 0n;
  #next = 0n;
  #covers = 0n;
  /** Offset behind the last record whose events were acknowledged; the same, once the index has the records too. */
  #acknowledged: bigint | undefined;
  #published: bigint | undefined;
  readonly #ahead: ReadAhead;
  #isDoubted = false;
  #wakeProjection: () => void = () => undefined;
  #whenServing: (() => void)[] = [];
  #whenSettled: (() => void)[] = [];
  readonly #ended = new AbortController();

  constructor(
    readonly partition: number,
    private readonly parts: OwnerParts,
    private readonly onProgress: () => void,
  ) {
    this.#ahead = new ReadAhead(partition, parts.follower);
    this.#mark = new MarkedRecord(partition);
  }

  get state(): OwnerState {
    return this.#state;
  }

  get isServing(): boolean {
    return this.#state === 'serve';
  }

  /** Offset behind the last record whose events were published, for the group's commit. */
  get published(): bigint | undefined {
    return this.#published;
  }

  /** Offset of the next record that will be folded. */
  get position(): bigint {
    return this.#position;
  }

  get placements(): number {
    return this.#placements;
  }

  get stoppedBecause(): string | undefined {
    return this.#reason;
  }

  /** Records and orders that memory holds because the index lacks them. */
  get backlog(): { records: number; bytes: number; orders: number } {
    return { records: this.#ahead.length, bytes: this.#ahead.bytes, orders: this.#cache.size };
  }

  /** Runs until the assignment is over. `committed`: the group's commit of the journal's partition. Never rejects. */
  async run(committed: bigint | undefined): Promise<void> {
    this.#published = this.#acknowledged = committed;
    for (let failures = 0; this.#mayWrite;) {
      try {
        await this.#place();
        failures = 0;
        await this.#project();
      } catch (error) {
        if (!this.#mayWrite) return;
        if (error instanceof JournalChangedError) return this.stop(error.message);
        if (error instanceof EntryUnreadableError) return this.#stopAt(error.entry, error);
        const isMoved = error instanceof MarkerMovedError;
        const { logger, timing, random } = this.parts;
        const facts = { err: error, partition: this.partition };
        if (isMoved) logger.info(facts, 'The index of a journal partition has changed: its owner places anew');
        else logger.warn(facts, 'The owner of a journal partition could not begin; it tries again');
        const waitMs = isMoved ? LOOK_AGAIN_MS : backOffMs(++failures, RETRY, random?.());
        await timing.sleep(waitMs, this.#ended.signal).catch(() => undefined);
      }
    }
  }

  async #place(): Promise<void> {
    const { partition, parts } = this;
    this.#state = 'place';
    this.#placements++;
    parts.follower.unfollow(partition);
    this.#ahead.restart();
    this.#settle();
    this.#isDoubted = false;
    this.#cache.clear(new OwnerNotServingError(partition));
    this.#ends.fail(new OwnerNotServingError(partition));
    await parts.assertCurrent?.();
    this.#assertMayWrite();
    const place = await placeOwner(parts, partition, this.#acknowledged, () => this.#assertMayWrite());
    this.#assertMayWrite();
    const { mark, low, high } = place;
    const next = mark.marker + 1n;
    this.#next = this.#covers = this.#position = next;
    this.#goal = high;
    this.#acknowledged = place.publishFrom;
    this.#advancePublished(place.publishFrom);
    for (const intent of await openIntentsIn(parts, partition, mark.marker)) this.openIntents.add(intent);
    this.#assertMayWrite();
    const from = this.#mark.place(mark, low);
    this.#state = 'catch_up';
    const placement = this.#placements;
    parts.follower.follow(
      partition,
      {
        ...{ from, known: next },
        onRecords: (entries, behind) => placement === this.#placements && this.take(entries, behind),
        onFault: (fault) => placement === this.#placements && this.stop(fault),
      },
      place,
    );
    this.#serveWhenCaughtUp();
  }

  /** Takes records from the reader in offset order. `next`: offset behind the last one. */
  take(entries: readonly JournalEntry[], next: bigint): void {
    if (this.#state !== 'catch_up' && this.#state !== 'serve') return;
    const seenMs = this.parts.timing.monotonicMs();
    for (const entry of entries) {
      const { key, offset, value, headers } = entry;
      const bytes = value?.length ?? 0;
      try {
        const hash = recordHash(value);
        if (this.#mark.isDeleted(offset)) {
          this.parts.follower.unfollow(this.partition);
          return this.#wakeProjection();
        }
        this.#mark.compare(offset, hash);
        if (offset < this.#position) continue;
        const record = decodeRecord(value);
        this.openIntents.see(record, seenMs);
        const folded = this.#cache.apply(key ?? '', offset, record, hash);
        if (this.#mayWrite) this.#ahead.add({ offset, headers, record, hash, folded, bytes });
        this.parts.onRecord?.(record);
      } catch (error) {
        if (error instanceof JournalChangedError) return this.stop(error.message);
        return this.#stopAt(entry, error as Error);
      }
      this.#position = offset + 1n;
    }
    if (next > this.#position) this.#position = next;
    this.#ends.look();
    this.#serveWhenCaughtUp();
    // A command waits for the records that come while the owner serves.
    if (!this.isServing) this.#ahead.holdWhereFull();
    this.#wakeProjection();
  }

  #stopAt(entry: Pick<JournalEntry, 'offset' | 'value'>, { message }: Error): void {
    this.stop(`${message}${adviceOnRecord(this.partition, entry)}`, entry.offset);
  }

  #serveWhenCaughtUp(): void {
    if (this.#state !== 'catch_up' || this.#position < this.#goal) return;
    this.#state = 'serve';
    this.#ahead.goOn();
    for (const resolve of this.#whenServing.splice(0)) resolve();
  }

  /** Publishes what was read, in batches, until the assignment is over. @throws MarkerMovedError where the index is not where it was left */
  async #project(): Promise<void> {
    while (this.#mayWrite) {
      if (this.#isDoubted) await this.#assertIndexWhole();
      this.#mark.assertKept();
      const records = this.#ahead.batch();
      if (records.length === 0) await new Promise<void>((resolve) => (this.#wakeProjection = resolve));
      else await this.#publish(records);
      // Before it serves, many records may be read whose orders nobody asks for.
      if (!this.isServing) this.forget();
      this.#ahead.goOnWhereHalfFree();
    }
  }

  async #publish(records: readonly ReadRecord[]): Promise<void> {
    const { parts, partition } = this;
    const batch = await this.#untilDone(() => {
      const from = { partition, next: this.#next, publishFrom: this.#acknowledged ?? 0n, epoch: parts.epoch?.() };
      return batchOf(parts.index, records, from);
    });
    await this.#untilDone(() => parts.events.publish(batch.events));
    if (batch.published.length > 0) parts.onPublished?.(batch.published);
    for (const mismatch of batch.mismatches) parts.onSnapshotMismatch?.(mismatch);
    this.#acknowledged = later(this.#acknowledged, batch.to + 1n);
    await this.#untilDone(() => this.#write(batch));
    this.#ahead.remove(records);
    this.#next = batch.to + 1n;
    this.#advancePublished(this.#next);
    if (this.#ahead.length === 0 || !this.isServing) this.#settle();
  }

  #write({ to, hash, orders, redirectHtml }: PublishedBatch): Promise<void> {
    const { partition } = this;
    return this.parts.index.write({ partition, from: this.#next - 1n, to, hash, orders, redirectHtml });
  }

  #advancePublished(offset: bigint): void {
    if (this.#published !== undefined && this.#published >= offset) return;
    this.#published = offset;
    this.onProgress();
  }

  /** Repeats a step while Kafka or Redis is away. What an ended assignment awaited leads to no further step. */
  async #untilDone<T>(step: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      this.#assertMayWrite();
      try {
        const done = await step();
        this.#assertMayWrite();
        return done;
      } catch (error) {
        if (!this.#mayWrite || error instanceof MarkerMovedError || error instanceof JournalChangedError) throw error;
        const { logger, timing, random } = this.parts;
        logger.warn({ err: error, partition: this.partition, attempt }, 'Publishing a batch failed; it is repeated');
        await timing.sleep(backOffMs(attempt, RETRY, random?.()), this.#ended.signal);
      }
    }
  }

  /** Resolves when everything that was read is published (before it serves: the batch under way), or the assignment is over. */
  async settled(): Promise<void> {
    if (this.#mayWrite && this.#ahead.length > 0) await new Promise<void>((resolve) => this.#whenSettled.push(resolve));
  }

  #settle(): void {
    for (const resolve of this.#whenSettled.splice(0)) resolve();
  }

  /** The projection compares the index where the marker found in it is older than the one that this owner wrote, or is not there. */
  doubtIndex(marker?: bigint): void {
    if (marker !== undefined && marker >= this.#next - 1n) return;
    this.#isDoubted = true;
    this.#wakeProjection();
  }

  async #assertIndexWhole(): Promise<void> {
    this.#isDoubted = false;
    const { marker } = await this.#untilDone(() => this.parts.index.readTogether(this.partition, []));
    assertReaches(this.partition, marker, this.#next - 1n);
  }

  /** Resolves when it serves, is stopped or closed, or when the signal aborts. */
  async whenServing(signal: AbortSignal): Promise<void> {
    if (signal.aborted || (this.#state !== 'place' && this.#state !== 'catch_up')) return;
    await new Promise<void>((resolve) => {
      this.#whenServing.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** The newest state that this process knows. @throws OrderUnreadableError while the owner does not serve, or the index lags behind memory */
  async read(merchant: string, orderId: string): Promise<OrderState> {
    const key = orderKey(merchant, orderId);
    for (let reads = 0; reads < INDEX_READS; reads++) {
      this.#assertServing();
      const known = this.#cache.find(key);
      if (known) return known;
      const placement = this.#placements;
      const { order, marker } = await this.parts.index.read(key);
      if (placement !== this.#placements) continue;
      // A state counts only if its marker reaches what memory covers when it is used (R7).
      if (marker !== undefined && marker >= this.#covers - 1n)
        return this.#cache.load(merchant, orderId, order, marker);
      this.doubtIndex(marker);
    }
    throw new OrderUnreadableError(`The index of journal partition ${this.partition} is behind what memory covers`);
  }

  async readTo(end: bigint, signal: AbortSignal): Promise<void> {
    this.#assertServing();
    if (this.#position < end) await this.#ends.until(() => this.#position >= end || undefined, signal);
  }

  /** Resolves with the order once a record beyond `offset` was folded, also across a placement. */
  async waitForRecordAfter(
    merchant: string,
    orderId: string,
    offset: bigint,
    signal: AbortSignal,
  ): Promise<OrderState> {
    const key = orderKey(merchant, orderId);
    for (;;) {
      try {
        // Orders may leave memory between two turns of the event loop, so the wait starts in the turn in which the order was found.
        while (!this.#cache.find(key)) await this.read(merchant, orderId);
        this.#assertServing();
        return await this.#cache.waitForRecordAfter(key, offset, signal);
      } catch (error) {
        if (!(error instanceof OwnerNotServingError) || this.#state === 'closed') throw error;
        await unlessAborted(this.whenServing(signal), signal);
      }
    }
  }

  /** Drops orders that the index holds from memory. To be called every few seconds. */
  forget(): void {
    if (!this.isServing && this.#state !== 'catch_up') return;
    this.#covers = this.#next;
    this.#cache.forget((_key, lastOffset) => lastOffset < this.#next);
  }

  #assertServing(): void {
    if (this.#reason !== undefined) throw new OrderUnreadableError(this.#reason);
    if (this.isServing) return;
    throw new OwnerNotServingError(this.partition);
  }

  #assertMayWrite(): void {
    if (!this.#mayWrite) throw new Error(`Journal partition ${this.partition} is not owned any more`);
  }

  /** The partition stops: no order of it is read, nothing is granted, and waits reject (R11). `offset`: of the record that cannot be read. */
  stop(why: string, offset?: bigint): void {
    if (this.#state === 'stopped' || this.#state === 'closed') return;
    // The next owner compares the log itself. A process that stood still may read a log that retention cut for its successor.
    if (!this.#mayWrite) return this.close();
    const advice = offset === undefined ? adviceOnLoss(this.partition) : '';
    this.#reason = stoppedReason(this.partition, `${why}${advice}`, offset);
    this.parts.logger.error({ partition: this.partition }, this.#reason);
    this.#leave('stopped', new OrderUnreadableError(this.#reason));
  }

  /** The assignment is over: nothing is published or written any more. Calls under way still read their records until `close`. */
  end(): void {
    this.#mayWrite = false;
    this.#ahead.clear();
    this.#ended.abort(new Error(`Journal partition ${this.partition} is not owned any more`));
    this.#settle();
    this.#wakeProjection();
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#leave('closed', new OrderUnreadableError(`Journal partition ${this.partition} is not owned here any more`));
  }

  #leave(state: 'stopped' | 'closed', error: Error): void {
    this.#state = state;
    this.end();
    this.#placements++;
    this.parts.follower.unfollow(this.partition);
    this.#cache.clear(error);
    this.#ends.fail(error);
    for (const resolve of this.#whenServing.splice(0)) resolve();
  }
}
