import type { Log, Timing } from '@tranche/runtime';
import { setMaxListeners } from 'node:events';
import { IndexRestorer } from './index-restorer.js';
import { LogTrust } from './log-trust.js';
import type { RebuildProgress } from './index-rebuild.js';
import { PartitionProjection } from './partition-projection.js';
import type { BatchParts } from './project-batch.js';
import type { EventOutlet, JournalReader, OrderIndex } from '../journal/ports.js';

export interface ProjectorParts {
  index: OrderIndex;
  events: EventOutlet;
  journal: JournalReader;
  timing: Timing;
  logger: Log;
  /** Of the journal: `sequence` of an event begins with it. */
  epoch?: number;
  onPublished?: BatchParts['onPublished'];
  /** A partition is projected no further (R11), or goes on: `why` is undefined then. */
  onStopped?: (partition: number, why: string | undefined) => void;
  /** Called after every step of a rebuild. */
  onRebuild?: (progress: RebuildProgress) => void;
}

/**
 * The journal's outbox: folds each partition in order, publishes what the records made known, then moves the index. A crash in
 * between publishes the same events under the same ids once more.
 *
 * An index that is lost, or older than what was written to it, is restored from the journal before anything else is projected (R7).
 */
export class Projector {
  readonly #closing = new AbortController();
  readonly #restorer: IndexRestorer;
  /** The newest assignment of each partition. */
  readonly #assigned = new Map<number, PartitionProjection>();
  readonly #trust = new LogTrust();
  /** Partitions of other processes whose index lacked published records at the last look, and its marker then. */
  #laggards = new Map<number, bigint | undefined>();

  constructor(private readonly parts: ProjectorParts) {
    setMaxListeners(0, this.#closing.signal);
    this.#restorer = new IndexRestorer(parts, this.#closing.signal);
  }

  /** Partitions whose index is being restored. */
  get restoring(): number[] {
    return this.#restorer.partitions;
  }

  /** A new assignment of a partition. The one before has ended: what it still awaits changes nothing any more. */
  assign(partition: number, signal: AbortSignal): PartitionProjection {
    this.#assigned.get(partition)?.end();
    const projection = new PartitionProjection(this.parts, this.#restorer, partition, signal, this.#trust);
    this.#assigned.set(partition, projection);
    return projection;
  }

  /** Nothing is published of the partition while the tail of this process compares its log with what was read; or that is over. */
  unsure(partition: number, isUnsure: boolean): void {
    this.#trust.unsure(partition, isUnsure);
  }

  /**
   * The tail of this process has seen that the partition's log is not the one that was read. Nothing more is published of it, and its index stays as it is: it may be
   * the only copy of what was lost (R11).
   */
  stop(partition: number, why: string): void {
    this.#trust.changed(partition, why);
    const projection = this.#assigned.get(partition);
    if (projection !== undefined && !projection.isEnded) this.parts.onStopped?.(partition, why);
  }

  /** Finds indexes that were lost while no record came; to be called about once a second. */
  async poll(): Promise<void> {
    const markers = await this.parts.index.markers();
    for (const [partition, projection] of this.#assigned)
      if (projection.isBehind(markers.get(partition))) projection.restoreInBackground();
  }

  /**
   * Restores indexes of partitions that other processes project, and publishes nothing. They may project into another index, of another
   * release; then nobody else builds this one. To be called every few seconds: an index must have stood still since the last look.
   * @param published per partition the offset behind the last record whose events were acknowledged: no index may be brought beyond it here
   */
  async pollOthers(published: ReadonlyMap<number, bigint>): Promise<void> {
    const { index } = this.parts;
    const markers = await index.markers();
    const own = new Set(this.assigned.map(({ partition }) => partition));
    const before = this.#laggards;
    this.#laggards = new Map();
    for (const [partition, next] of published) {
      const marker = markers.get(partition);
      const isLeftAlone = own.has(partition) || this.#trust.whyChanged(partition) !== undefined;
      if (isLeftAlone || next === 0n || (marker !== undefined && marker >= next - 1n)) continue;
      this.#laggards.set(partition, marker);
      if (before.has(partition) && before.get(partition) === marker) this.#restoreOfOther(partition, next);
    }
  }

  #restoreOfOther(partition: number, next: bigint): void {
    if (this.#restorer.isRunning(partition)) return;
    const { index, journal, logger } = this.parts;
    const restore = async () => {
      // It may be whole, and the keys of this process wrong: only who projects it may take it away.
      if (await index.isUnverified(partition)) return;
      // What was deleted unpublished is for its projector to find.
      if ((await journal.firstKept(partition)) <= next) await this.#restorer.restore(partition, next);
    };
    restore().catch((error: unknown) => {
      if (!this.#closing.signal.aborted)
        logger.warn(
          { err: error, partition },
          'The index of another process could not be restored; it will be tried again',
        );
    });
  }

  /** What is assigned now, for an audit. */
  get assigned(): { partition: number; projection: PartitionProjection }[] {
    return [...this.#assigned].flatMap(([partition, projection]) =>
      projection.isEnded ? [] : [{ partition, projection }],
    );
  }

  /** Rebuilds under way end at their next step; what they built counts for nothing. */
  close(): void {
    this.#closing.abort(new Error('the projector is closing'));
  }
}
