import {
  EntryUnreadableError,
  JournalChangedError,
  OrderUnreadableError,
  stoppedReason,
} from '../journal/journal-faults.js';
import { OpenIntents } from '../journal/open-intents.js';
import { MarkerMovedError } from '../journal/ports.js';
import { unlessAborted, Waits } from '../journal/waits.js';
import { adviceOnLoss, adviceOnRecord } from '../recovery/partition-health.js';
import type { OrderName } from '../journal/record-fold.js';
import type { OrderState } from '../state/order-state.js';
import { Outage } from './outage.js';
import { OwnerNotServingError, type OwnerParts } from './owner-ports.js';
import { PlacedPartition } from './placed-partition.js';
import { openIntentsIn, placeOwner, type Place } from './placement.js';

/**
 * `place`: it is found out where to begin; between two assignments that waits. `draining`: an assignment is over, and calls under way still read their
 * records. `stopped`: its log is not the one that was read, or holds a record that this release cannot read; a person decides.
 */
export type OwnerState = 'place' | 'catch_up' | 'serve' | 'draining' | 'stopped' | 'closed';

const LOOK_AGAIN_MS = 200;

/**
 * Everything that one process does with one partition for as long as it has it, over any number of assignments: reads the journal, folds each record
 * once, wakes who waits for it, publishes the events, writes the index. Safety does not rest on owning: another owner may be at work (R3, R7).
 *
 * place → catch_up → serve → draining → place … closed. A placement belongs to one assignment; whatever surprises it drops it whole, and places anew.
 *
 * | offset         | every record below it …  | place begins with | place ends with | catch_up       | serve    | draining | Redis is flushed during a batch    |
 * | -------------- | ------------------------ | ----------------- | --------------- | -------------- | -------- | -------- | ---------------------------------- |
 * | `published`    | may be committed         | group's commit    | `acknowledged`  | rises          | rises    | stays    | stays, until the index is rebuilt  |
 * | `acknowledged` | has its events in Kafka  | group's commit    | >= `#next`      | rises          | rises    | stays    | rises, then index is rebuilt to it |
 * | `#goal`        | was in the log           | -                 | the log's end   | >= `position`  | passed   | passed   | dropped, asked again               |
 * | `position`     | was read                 | -                 | marker + 1      | rises          | rises    | rises    | dropped, then `acknowledged`       |
 * | `#next`        | is in the index          | -                 | marker + 1      | <= `position`  | the same | stays    | dropped, then `acknowledged`       |
 * | `#covers`      | may have left memory     | -                 | marker + 1      | <= `#next`     | the same | the same | dropped, then `acknowledged`       |
 *
 * The first two are of the assignment, the others of a placement (`PlacedPartition`). A batch reads the states of its orders from the index, goes out as
 * events, raises `acknowledged`, is written to the index, and raises `published`. If Redis is flushed, the next read or write finds the marker gone, the
 * placement is dropped, and the index is rebuilt from the journal. Flushed before the batch read the states: it is published after the rebuild. Flushed
 * after: nothing looks at Redis while events go out, so they are acknowledged, the write fails, and the rebuilt index holds the batch; this assignment
 * does not publish it again, while the next one begins at the group's commit, which may lie below it. The gauges of the process look at the markers too
 * (`doubtIndex`), so that an idle owner notices.
 */
export class PartitionOwner {
  readonly openIntents = new OpenIntents();
  /** Offset behind the last record whose events Kafka has acknowledged. */
  acknowledged: bigint | undefined;
  /** Offset behind the last record whose events were published, for the group's commit. */
  published: bigint | undefined;
  /** Another object after each placement; undefined while it is placed. */
  placed: PlacedPartition | undefined;
  #absentAt: bigint | undefined;
  #end: { state: 'stopped' | 'closed'; error: OrderUnreadableError } | undefined;
  #assignment: AbortController | undefined;
  #onProgress = (): void => undefined;
  #life: Promise<void> | undefined;
  #wake = (): void => undefined;
  readonly #readers = new Waits();
  readonly #outage: Outage;

  constructor(
    readonly partition: number,
    private readonly parts: OwnerParts,
  ) {
    this.#outage = new Outage(partition, parts);
  }

  get state(): OwnerState {
    if (this.#end) return this.#end.state;
    if (!this.placed) return 'place';
    if (!this.#isAssigned) return 'draining';
    return this.placed.isCaughtUp ? 'serve' : 'catch_up';
  }

  get isServing(): boolean {
    return this.state === 'serve';
  }

  get #isAssigned(): boolean {
    return this.#assignment?.signal.aborted === false;
  }

  /** Offset of the next record that will be folded. */
  get position(): bigint {
    return this.placed?.position ?? 0n;
  }

  get stoppedBecause(): string | undefined {
    return this.#end?.state === 'stopped' ? this.#end.error.message : undefined;
  }

  /** Says what has been repeated in vain for more than a minute. */
  get troubledBecause(): string | undefined {
    return this.#outage.troubledBecause;
  }

  /** Records and orders that memory holds because the index lacks them. */
  get backlog(): { records: number; bytes: number; orders: number } {
    return this.placed?.backlog ?? { records: 0, bytes: 0, orders: 0 };
  }

  /**
   * Begins an assignment. The partition is placed anew, because another process may have owned it meanwhile; a placement that the assignment before
   * left unfinished goes on first, so that joins do not set back the rebuild of an index. Resolves when the owner is stopped or closed; never rejects.
   * @param committed the group's commit of the journal's partition
   * @param onProgress called when the group's commit may advance to `published`
   */
  run(committed: bigint | undefined, onProgress: () => void): Promise<void> {
    this.#drop();
    this.published = this.acknowledged = committed;
    this.#onProgress = onProgress;
    this.#assignment = new AbortController();
    this.#wake();
    return (this.#life ??= this.#live());
  }

  async #live(): Promise<void> {
    for (let failures = 0; ;) {
      await this.#untilAssigned();
      if (this.#end) return;
      const { signal } = this.#assignment!;
      try {
        const place = await this.#place();
        signal.throwIfAborted();
        const placed = (this.placed = new PlacedPartition(this, this.parts, place, signal, this.#absentAt));
        failures = 0;
        this.#outage.end();
        placed.follow();
        await placed.project();
      } catch (error) {
        // Requests of an ended assignment may fail. What it found out about the log still holds.
        if (signal.aborted && !this.stopFor(error)) continue;
        this.#drop();
        if (this.stopFor(error)) continue;
        if (error instanceof MarkerMovedError) await this.#lookAgain(error, signal);
        else await this.#outage.pause('Placing a journal partition failed; it is repeated', error, ++failures, signal);
      }
    }
  }

  async #untilAssigned(): Promise<void> {
    while (!this.#isAssigned && !this.#end) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async #place(): Promise<Place> {
    const { partition, parts } = this;
    const { signal } = this.#assignment!;
    const mayWrite = async () => {
      await this.#untilAssigned();
      if (this.#end) throw this.#end.error;
    };
    await parts.assertCurrent?.();
    const place = await placeOwner(parts, partition, () => this.acknowledged, mayWrite);
    signal.throwIfAborted();
    this.acknowledged = place.publishFrom;
    this.afterPublished(place.publishFrom);
    for (const intent of await openIntentsIn(parts, partition, place.mark.marker)) this.openIntents.add(intent);
    return place;
  }

  caughtUp(): void {
    this.#readers.look();
  }

  afterPublished(offset: bigint): void {
    if (this.published !== undefined && this.published >= offset) return;
    this.published = offset;
    this.#onProgress();
  }

  /** Repeats what is asked of Kafka or Redis while it is away, and nothing else. What an ended assignment awaited leads to no further step. */
  untilDone<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#outage.repeat('Publishing a batch', ask, signal, (error) => error instanceof MarkerMovedError);
  }

  async #lookAgain(error: MarkerMovedError, signal: AbortSignal): Promise<void> {
    const { logger, timing } = this.parts;
    const facts = { err: error, partition: this.partition };
    this.#absentAt = error.absentAt ?? this.#absentAt;
    logger.info(facts, 'The index of a journal partition has changed: its owner places anew');
    await timing.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined);
  }

  /** Resolves when everything that was read is published (before it serves: the batch under way), or the assignment is over. */
  async settled(): Promise<void> {
    if (this.#isAssigned) await this.placed?.settled();
  }

  doubtIndex(marker?: bigint): void {
    this.placed?.doubtIndex(marker);
  }

  /** Resolves when orders may be readable: it serves, is stopped or closed; or when the signal aborts. */
  async whenServing(signal: AbortSignal): Promise<void> {
    await this.#readers.until(() => this.isServing || this.#end, signal).catch(() => undefined);
  }

  /** The newest state that this process knows. @throws OrderUnreadableError while the owner does not serve, or the index lags behind memory */
  async read(name: OrderName): Promise<OrderState> {
    for (;;) {
      const placed = this.#readable();
      try {
        return await placed.read(name);
      } catch (error) {
        if (placed === this.placed) throw error;
      }
    }
  }

  async readTo(end: bigint, signal: AbortSignal): Promise<void> {
    await this.#readable().readTo(end, signal);
  }

  /** Resolves with the order once a record beyond `offset` was folded, also across a placement. */
  async waitForRecordAfter(name: OrderName, offset: bigint, signal: AbortSignal): Promise<OrderState> {
    for (;;) {
      try {
        return await this.#readable().waitForRecordAfter(name, offset, signal);
      } catch (error) {
        if (!(error instanceof OwnerNotServingError)) throw error;
        if (this.#end) throw this.#end.error;
        await unlessAborted(this.whenServing(signal), signal);
      }
    }
  }

  /** Drops orders that the index holds from memory. To be called every few seconds. */
  forget(): void {
    this.placed?.forget();
  }

  /** @throws OrderUnreadableError */
  #readable(): PlacedPartition {
    if (this.#end) throw this.#end.error;
    if (this.placed?.isCaughtUp === true) return this.placed;
    throw new OwnerNotServingError(this.partition);
  }

  /** The log is not the one that was read: no order of it is read, nothing is granted, and waits reject (R11). */
  stop(why: string): void {
    this.#stop(`${why}${adviceOnLoss(this.partition)}`);
  }

  stopFor(error: unknown): boolean {
    if (error instanceof JournalChangedError) this.stop(error.message);
    else if (error instanceof EntryUnreadableError)
      this.#stop(`${error.message}${adviceOnRecord(this.partition, error)}`, error.entry.offset);
    else return false;
    return true;
  }

  #stop(why: string, offset?: bigint): void {
    if (this.#end) return;
    // The next owner compares the log itself. A process that stood still may read a log that retention cut for its successor.
    if (!this.#isAssigned) return this.#drop();
    const reason = stoppedReason(this.partition, why, offset);
    this.parts.logger.error({ partition: this.partition }, reason);
    this.#leave('stopped', reason);
  }

  /** The assignment is over: nothing is published or written before the next one. Calls under way still read their records until then, or `close`. */
  end(): void {
    this.#assignment?.abort(new Error(`Journal partition ${this.partition} is not owned any more`));
    this.placed?.leave();
  }

  close(): void {
    if (this.#end?.state !== 'closed')
      this.#leave('closed', `Journal partition ${this.partition} is not owned here any more`);
  }

  #leave(state: 'stopped' | 'closed', why: string): void {
    this.#end = { state, error: new OrderUnreadableError(why) };
    this.end();
    this.#drop(this.#end.error);
    this.caughtUp();
    this.#wake();
  }

  #drop(error: Error = new OwnerNotServingError(this.partition)): void {
    this.placed?.drop(error);
    this.placed = undefined;
  }
}
