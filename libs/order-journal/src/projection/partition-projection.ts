import type { IndexRestorer } from './index-restorer.js';
import { recordHash } from '../state/records.js';
import {
  JournalChangedError,
  JournalCutError,
  JournalLostError,
  JournalReplacedError,
  JournalWentBackError,
} from '../journal/journal-faults.js';
import { MarkerMovedError, type JournalEntry, type JournalReader } from '../journal/ports.js';
import type { LogIdentity } from './log-identity.js';
import { assertSameJournal } from './same-journal.js';
import { later, projectBatch, type Progress } from './project-batch.js';
import type { ProjectorParts } from './projector.js';

/** One assignment of a journal partition. Its progress ends with it, so that an ended assignment can't change its successor's. */
export class PartitionProjection {
  #progress?: Progress;
  #isProjecting = false;
  #isSuperseded = false;
  /** First offset of this assignment. Older records in it mean that the log has changed. */
  #begin = 0n;
  /** The record that was projected last. */
  #last?: { offset: bigint; hash: string };

  constructor(
    private readonly parts: ProjectorParts,
    private readonly restorer: IndexRestorer,
    private readonly partition: number,
    private readonly signal: AbortSignal,
    private readonly trust: LogIdentity,
  ) {}

  get isEnded(): boolean {
    return this.#isSuperseded || this.signal.aborted;
  }

  /** Ends the assignment when the partition is assigned again. A running batch stops before its next write. */
  end(): void {
    this.#isSuperseded = true;
  }

  /** True where the index lacks records that this assignment wrote or relies on, and this process is not restoring it. */
  isBehind(marker: bigint | undefined): boolean {
    const { partition, restorer, trust } = this;
    if (!this.#progress || this.isEnded || this.#isProjecting || restorer.isRunning(partition)) return false;
    if (trust.whyChanged(partition) !== undefined) return false;
    return marker === undefined || marker < this.#progress.next - 1n;
  }

  /**
   * Returns the first offset of this assignment. Earlier records that the index lacks are restored from the journal in the background.
   * @param committed offset behind the last record whose events were published, if any
   * @param low first offset that the journal keeps
   * @throws JournalChangedError where the index is beyond the journal's end, the journal holds another record at the marker, or records were deleted
   * before they were projected (R1, R10, R11); also throws where the assignment ended meanwhile
   */
  async startOffset(committed: bigint | undefined, low: bigint): Promise<bigint> {
    try {
      const begin = await this.#startOffset(committed, low);
      this.parts.onStopped?.(this.partition, undefined);
      return begin;
    } catch (error) {
      if (error instanceof JournalChangedError && !this.isEnded) this.parts.onStopped?.(this.partition, error.message);
      throw error;
    }
  }

  async #startOffset(committed: bigint | undefined, low: bigint): Promise<bigint> {
    const { partition, parts } = this;
    // No wait here, because the member's other partitions would have to wait too.
    this.trust.assertVerified(partition);
    const seen = (await parts.index.marks()).get(partition);
    // Read after the marker, because other processes append and project meanwhile.
    const end = await parts.journal.end(partition);
    if (seen !== undefined && seen.marker >= end) throw new JournalLostError(partition, seen.marker, end);
    // The index may be lost too. The committed offset still shows how far the journal was.
    if (committed !== undefined && committed > end) throw new JournalLostError(partition, committed - 1n, end);
    // A running restoration reads the partition, and verifies the journal itself.
    if (!this.restorer.isRunning(partition)) await assertSameJournal(parts.journal, partition, seen);
    // Read again, because the previous assignment may have projected more meanwhile.
    const marker = (await parts.index.markers()).get(partition);
    this.#assertSureAndNotEnded();
    // Everything in the index was published too. Where neither marker nor committed offset exists, the journal begins here.
    const known = [committed, marker === undefined ? undefined : marker + 1n].filter((offset) => offset !== undefined);
    const next = known.length === 0 ? low : known.reduce(later);
    if (next < low) throw new JournalCutError(partition, next, low);
    this.#begin = next;
    this.#progress = {
      next,
      publishFrom: next,
      assertCurrent: () => this.#assertCurrent(),
      settled: () => this.#settled(),
    };
    if (marker === undefined || marker < next - 1n) this.restoreInBackground();
    return next;
  }

  /** Rejects where the batch must be redelivered. Where the log has changed, it waits for the assignment's end first. */
  async project(entries: readonly JournalEntry[]): Promise<void> {
    try {
      await this.#project(entries);
    } catch (error) {
      if (!(error instanceof JournalChangedError) || this.isEnded) throw error;
      this.parts.onStopped?.(this.partition, error.message);
      await aborted(this.signal);
      throw error;
    }
  }

  async #project(entries: readonly JournalEntry[]): Promise<void> {
    const progress = this.#placed();
    await this.trust.whenVerified(this.partition, this.signal);
    this.#assertSameLast(entries);
    const first = entries[0]?.offset ?? progress.next;
    if (first < this.#begin) throw new JournalWentBackError(this.partition, first, this.#begin);
    await this.restorer.settled(this.partition);
    this.#assertNotEnded();
    this.#isProjecting = true;
    try {
      const begin = entries[0]?.offset ?? progress.next;
      if (begin > progress.next) await this.#projectMissed(begin, progress);
      await this.#advance(entries, progress);
    } finally {
      this.#isProjecting = false;
    }
  }

  restoreInBackground(): void {
    this.restore().catch((error: unknown) => {
      if (this.isEnded || this.restorer.isClosing) return;
      this.parts.logger.warn(
        { err: error, partition: this.partition },
        'The index could not be restored; it will be tried again',
      );
    });
  }

  /** Resolves when the index holds everything that this assignment relies on. */
  async restore(): Promise<void> {
    const progress = this.#placed();
    this.#assertCurrent();
    await this.parts.index.dropUnverified(this.partition);
    this.#assertCurrent();
    this.#moveTo(progress, await this.restorer.restore(this.partition, progress.next));
  }

  async #isJournalWhole(): Promise<boolean> {
    return (await this.parts.journal.firstKept(this.partition)) === 0n;
  }

  async #advance(entries: readonly JournalEntry[], progress: Progress): Promise<void> {
    try {
      await projectBatch(this.parts, this.partition, entries, progress);
    } catch (error) {
      if (!(error instanceof MarkerMovedError)) throw error;
      await this.restore();
      await projectBatch(this.parts, this.partition, entries, progress);
    }
    const last = entries.at(-1);
    if (last && last.offset >= (this.#last?.offset ?? 0n))
      this.#last = { offset: last.offset, hash: recordHash(last.value) };
  }

  /**
   * Projects records between the last projected one and the batch. Offsets may have gaps, but where records were missed, the index is rebuilt up to
   * where it was right, and they are published before the batch.
   */
  async #projectMissed(begin: bigint, progress: Progress): Promise<void> {
    const { partition, parts } = this;
    const firstKept = await parts.journal.firstKept(partition);
    if (firstKept > progress.next) throw new JournalCutError(partition, progress.next, firstKept);
    if (!(await hasRecords(parts.journal, partition, progress.next, begin))) return;
    this.trust.assertVerified(partition);
    parts.logger.error(
      { partition, next: String(progress.next), begin: String(begin) },
      'Records before this batch were never projected: the index is rebuilt and their events are published',
    );
    this.#assertNotEnded();
    if (await this.#isJournalWhole()) this.#moveTo(progress, await this.restorer.rebuild(partition, progress.next));
    while (await hasRecords(parts.journal, partition, progress.next, begin)) {
      try {
        for await (const entries of parts.journal.read(partition, progress.next, begin))
          await projectBatch(parts, partition, entries, progress);
      } catch (error) {
        if (!(error instanceof MarkerMovedError)) throw error;
        await this.restore();
      }
    }
  }

  /** An index that is further was moved by another projector, which published its records. */
  #moveTo(progress: Progress, marker: bigint): void {
    progress.next = later(progress.next, marker + 1n);
    progress.publishFrom = later(progress.publishFrom, marker + 1n);
  }

  #placed(): Progress {
    if (this.#progress) return this.#progress;
    throw new Error(`Journal partition ${this.partition} was not assigned, or it is not known yet where it begins`);
  }

  /** After a failed batch its records are redelivered. The last projected record must then be the same; otherwise the log has changed. */
  #assertSameLast(entries: readonly JournalEntry[]): void {
    const last = this.#last;
    const [first] = entries;
    if (last === undefined || first === undefined || first.offset > last.offset) return;
    const again = entries.find(({ offset }) => offset >= last.offset);
    if (again !== undefined && (again.offset !== last.offset || recordHash(again.value) !== last.hash))
      throw new JournalReplacedError(last.offset);
  }

  #assertCurrent(): void {
    this.trust.assertVerified(this.partition);
    this.#assertNotSuperseded();
  }

  async #settled(): Promise<void> {
    await this.trust.whenVerified(this.partition, this.signal);
    this.#assertNotSuperseded();
  }

  #assertSureAndNotEnded(): void {
    this.trust.assertVerified(this.partition);
    this.#assertNotEnded();
  }

  #assertNotEnded(): void {
    this.signal.throwIfAborted();
    this.#assertNotSuperseded();
  }

  /** Between the drain and the next assignment a running batch may still complete, and counts then. */
  #assertNotSuperseded(): void {
    if (this.#isSuperseded)
      throw new Error(`Journal partition ${this.partition} was assigned anew: this batch is the next assignment's`);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function hasRecords(journal: JournalReader, partition: number, from: bigint, until: bigint): Promise<boolean> {
  if (from >= until) return false;
  for await (const entries of journal.read(partition, from, until)) if (entries.length > 0) return true;
  return false;
}
