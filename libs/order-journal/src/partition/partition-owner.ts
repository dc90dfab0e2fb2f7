import { backOffMs } from '@tranche/runtime';
import {
  EntryUnreadableError,
  isBug,
  JournalChangedError,
  OrderUnreadableError,
  stoppedReason,
} from '../journal/journal-faults.js';
import { OpenIntents } from '../journal/open-intents.js';
import { MarkerMovedError } from '../journal/ports.js';
import { unlessAborted } from '../journal/waits.js';
import { adviceOnLoss, adviceOnRecord } from '../recovery/partition-health.js';
import type { OrderState } from '../state/order-state.js';
import { OwnerNotServingError, type Owning, type OwnerParts } from './owner-ports.js';
import { PlacedPartition } from './placed-partition.js';
import { later, MarkAbsentError, openIntentsIn, placeOwner } from './placement.js';

/**
 * `draining`: the assignment is over; calls under way still read their records. `stopped`: its log is not the one that was read, or holds a record
 * that this release cannot read; a person decides.
 */
export type OwnerState = 'place' | 'catch_up' | 'serve' | 'draining' | 'stopped' | 'closed';

const LOOK_AGAIN_MS = 200;
/** Repeats that last longer need a person. Milliseconds. */
const TROUBLE_AFTER_MS = 60_000;
const RETRY = { firstMs: 100, maxMs: 10_000 };

/**
 * Everything that one process does with one partition while Kafka assigns it to this process: reads the journal once, folds each record once,
 * wakes who waits for it, publishes the events, writes the index. Safety does not rest on owning: another owner may be at work (R3, R7).
 *
 * place → catch up → serve → draining. Whatever surprises it drops its placement whole, and places anew. The offsets:
 *
 * | offset         | lives in  | what it is                                   | place       | catch_up       | serve    | draining  |
 * | -------------- | --------- | -------------------------------------------- | ----------- | -------------- | -------- | --------- |
 * | `published`    | owner     | the group may commit up to here              | as before   | rises          | rises    | stays     |
 * | `acknowledged` | owner     | Kafka has the events of all records below    | as before   | rises          | rises    | stays     |
 * | `#goal`        | placement | end of the log when it was placed            | -           | > `#position`  | passed   | passed    |
 * | `#position`    | placement | the reader's next record: memory is up to it | -           | rises          | rises    | rises     |
 * | `#next`        | placement | first record that the index lacks            | -           | <= `#position` | the same | stays     |
 * | `#covers`      | placement | first record that memory holds               | -           | <= `#next`     | the same | stays     |
 *
 * Why what belongs to a placement is an object: the fields of both columns once lay in one class, and a counter said to which placement an answer
 * belonged that came late. Each await needed the comparison, and one that was forgotten put orders of the last placement under the next one's marker.
 */
export class PartitionOwner implements Owning {
  readonly openIntents = new OpenIntents();
  isAssigned = true;
  acknowledged: bigint | undefined;
  #published: bigint | undefined;
  #placed: PlacedPartition | undefined;
  #absentAt: bigint | undefined;
  #end: { state: 'stopped' | 'closed'; error: OrderUnreadableError } | undefined;
  /** An outage, until what is repeated succeeds. */
  #failing: { sinceMs: number; error: unknown } | undefined;
  #whenServing: (() => void)[] = [];
  readonly #ended = new AbortController();

  constructor(
    readonly partition: number,
    private readonly parts: OwnerParts,
    private readonly onProgress: () => void,
  ) {}

  get state(): OwnerState {
    if (this.#end) return this.#end.state;
    if (!this.isAssigned) return 'draining';
    if (!this.#placed) return 'place';
    return this.#placed.isCaughtUp ? 'serve' : 'catch_up';
  }

  get isServing(): boolean {
    return this.state === 'serve';
  }

  /** Offset behind the last record whose events were published, for the group's commit. */
  get published(): bigint | undefined {
    return this.#published;
  }

  /** Another object after each placement; undefined while it is placed. */
  get placed(): object | undefined {
    return this.#placed;
  }

  /** Offset of the next record that will be folded. */
  get position(): bigint {
    return this.#placed?.position ?? 0n;
  }

  get stoppedBecause(): string | undefined {
    return this.#end?.state === 'stopped' ? this.#end.error.message : undefined;
  }

  /** Says what has been repeated in vain for more than a minute. */
  get troubledBecause(): string | undefined {
    const { sinceMs = Infinity, error } = this.#failing ?? {};
    const seconds = Math.round((this.parts.timing.monotonicMs() - sinceMs) / 1_000);
    if (seconds * 1_000 < TROUBLE_AFTER_MS) return undefined;
    return `journal partition ${this.partition} gets no further for ${seconds} s: ${(error as Error).message}`;
  }

  /** Records and orders that memory holds because the index lacks them. */
  get backlog(): { records: number; bytes: number; orders: number } {
    return this.#placed?.backlog ?? { records: 0, bytes: 0, orders: 0 };
  }

  /** Runs until the assignment is over. `committed`: the group's commit of the journal's partition. Never rejects. */
  async run(committed: bigint | undefined): Promise<void> {
    this.#published = this.acknowledged = committed;
    for (let failures = 0; this.isAssigned;) {
      try {
        this.#placed = await this.#place();
        failures = 0;
        this.#failing = undefined;
        this.#placed.follow();
        await this.#placed.project();
      } catch (error) {
        if (!this.isAssigned) return;
        this.#placed?.drop(new OwnerNotServingError(this.partition));
        this.#placed = undefined;
        if (this.stopFor(error)) return;
        if (error instanceof MarkAbsentError) this.#absentAt = error.marker;
        if (error instanceof MarkerMovedError) await this.#lookAgain(error);
        else
          await this.#pauseAfter(error, ++failures, 'The owner of a journal partition could not begin; it tries again');
      }
    }
  }

  async #place(): Promise<PlacedPartition> {
    const { partition, parts } = this;
    await parts.assertCurrent?.();
    this.#assertAssigned();
    const place = await placeOwner(parts, partition, this.acknowledged, () => this.#assertAssigned());
    this.#assertAssigned();
    this.acknowledged = place.publishFrom;
    this.afterPublished(place.publishFrom);
    for (const intent of await openIntentsIn(parts, partition, place.mark.marker)) this.openIntents.add(intent);
    this.#assertAssigned();
    return new PlacedPartition(this, parts, place, this.#absentAt);
  }

  caughtUp(): void {
    for (const resolve of this.#whenServing.splice(0)) resolve();
  }

  afterAcknowledged(offset: bigint): void {
    this.acknowledged = later(this.acknowledged, offset);
  }

  afterPublished(offset: bigint): void {
    if (this.#published !== undefined && this.#published >= offset) return;
    this.#published = offset;
    this.onProgress();
  }

  /** Repeats what is asked of Kafka or Redis while it is away, and nothing else. What an ended assignment awaited leads to no further step. */
  readonly untilDone = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      this.#assertAssigned();
      try {
        const done = await ask();
        this.#failing = undefined;
        this.#assertAssigned();
        return done;
      } catch (error) {
        if (!this.isAssigned || error instanceof MarkerMovedError || this.stopFor(error)) throw error;
        await this.#pauseAfter(error, attempt, 'Publishing a batch failed; it is repeated');
      }
    }
  };

  async #lookAgain(error: Error): Promise<void> {
    const { logger, timing } = this.parts;
    const facts = { err: error, partition: this.partition };
    logger.info(facts, 'The index of a journal partition has changed: its owner places anew');
    await timing.sleep(LOOK_AGAIN_MS, this.#ended.signal).catch(() => undefined);
  }

  async #pauseAfter(error: unknown, attempt: number, what: string): Promise<void> {
    const { logger, timing, random } = this.parts;
    const nowMs = timing.monotonicMs();
    const { sinceMs } = (this.#failing = { sinceMs: this.#failing?.sinceMs ?? nowMs, error });
    const level = nowMs - sinceMs < TROUBLE_AFTER_MS ? 'warn' : 'error';
    logger[level]({ err: error, partition: this.partition, attempt }, what);
    await timing.sleep(backOffMs(attempt, RETRY, random?.()), this.#ended.signal).catch(() => undefined);
  }

  /** Resolves when everything that was read is published (before it serves: the batch under way), or the assignment is over. */
  async settled(): Promise<void> {
    if (this.isAssigned) await this.#placed?.settled();
  }

  doubtIndex(marker?: bigint): void {
    this.#placed?.doubtIndex(marker);
  }

  /** Resolves when orders may be readable: it serves, is stopped or closed; or when the signal aborts. */
  async whenServing(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#end || this.#placed?.isCaughtUp === true) return;
    await new Promise<void>((resolve) => {
      this.#whenServing.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** The newest state that this process knows. @throws OrderUnreadableError while the owner does not serve, or the index lags behind memory */
  async read(merchant: string, orderId: string): Promise<OrderState> {
    for (;;) {
      const placed = this.#readable();
      try {
        return await placed.read(merchant, orderId);
      } catch (error) {
        if (placed === this.#placed) throw error;
      }
    }
  }

  async readTo(end: bigint, signal: AbortSignal): Promise<void> {
    await this.#readable().readTo(end, signal);
  }

  /** Resolves with the order once a record beyond `offset` was folded, also across a placement. */
  async waitForRecordAfter(
    merchant: string,
    orderId: string,
    offset: bigint,
    signal: AbortSignal,
  ): Promise<OrderState> {
    for (;;) {
      try {
        return await this.#readable().waitForRecordAfter(merchant, orderId, offset, signal);
      } catch (error) {
        if (!(error instanceof OwnerNotServingError) || this.#end) throw error;
        await unlessAborted(this.whenServing(signal), signal);
      }
    }
  }

  /** Drops orders that the index holds from memory. To be called every few seconds. */
  forget(): void {
    this.#placed?.forget();
  }

  /** @throws OrderUnreadableError */
  #readable(): PlacedPartition {
    if (this.#end) throw this.#end.error;
    if (this.#placed?.isCaughtUp === true) return this.#placed;
    throw new OwnerNotServingError(this.partition);
  }

  #assertAssigned(): void {
    if (!this.isAssigned) throw new Error(`Journal partition ${this.partition} is not owned any more`);
  }

  /** The log is not the one that was read: no order of it is read, nothing is granted, and waits reject (R11). */
  stop(why: string): void {
    this.#stop(`${why}${adviceOnLoss(this.partition)}`);
  }

  stopFor(error: unknown): boolean {
    if (error instanceof JournalChangedError) this.stop(error.message);
    else if (error instanceof EntryUnreadableError)
      this.#stop(`${error.message}${adviceOnRecord(this.partition, error)}`, error.entry.offset);
    else if (isBug(error))
      this.#stop(`${String(error)}: no repeat changes that; report it, and start this instance again`);
    else return false;
    return true;
  }

  #stop(why: string, offset?: bigint): void {
    if (this.#end) return;
    // The next owner compares the log itself. A process that stood still may read a log that retention cut for its successor.
    if (!this.isAssigned) return this.close();
    const reason = stoppedReason(this.partition, why, offset);
    this.parts.logger.error({ partition: this.partition }, reason);
    this.#leave('stopped', reason);
  }

  /** The assignment is over: nothing is published or written any more. Calls under way still read their records until `close`. */
  end(): void {
    this.isAssigned = false;
    this.#ended.abort(new Error(`Journal partition ${this.partition} is not owned any more`));
    this.#placed?.leave();
  }

  close(): void {
    if (this.#end?.state !== 'closed')
      this.#leave('closed', `Journal partition ${this.partition} is not owned here any more`);
  }

  #leave(state: 'stopped' | 'closed', why: string): void {
    const error = new OrderUnreadableError(why);
    this.#end = { state, error };
    this.end();
    this.#placed?.drop(error);
    this.#placed = undefined;
    this.caughtUp();
  }
}
