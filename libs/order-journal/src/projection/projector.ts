import type { Log, Timing } from '@tranche/runtime';
import { setMaxListeners } from 'node:events';
import { IndexRestorer } from './index-restorer.js';
import { LogIdentity } from './log-identity.js';
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
  /** The journal's epoch: `sequence` of an event starts with it. */
  epoch?: number;
  onPublished?: BatchParts['onPublished'];
  /** Called when a partition is stopped (R11), or continues: `why` is undefined then. */
  onStopped?: (partition: number, why: string | undefined) => void;
  /** Called after every step of a rebuild. */
  onRebuild?: (progress: RebuildProgress) => void;
}

/**
 * The journal's outbox: folds each partition in order, publishes the records' events, then moves the index. After a crash in between, the same events
 * are published again under the same ids.
 *
 * An index that is lost, or older than what was written to it, is restored from the journal before anything else is projected (R7).
 */
export class Projector {
  readonly #closing = new AbortController();
  readonly #restorer: IndexRestorer;
  /** The newest assignment of each partition. */
  readonly #assigned = new Map<number, PartitionProjection>();
  readonly #identity = new LogIdentity();
  /** Other processes' partitions whose index lacked published records at the last poll, with its marker then. */
  #laggards = new Map<number, bigint | undefined>();

  constructor(private readonly parts: ProjectorParts) {
    setMaxListeners(0, this.#closing.signal);
    this.#restorer = new IndexRestorer(parts, this.#closing.signal);
  }

  get restoring(): number[] {
    return this.#restorer.partitions;
  }

  /** Starts a new assignment of a partition. It ends the previous one, whose pending results are dropped. */
  assign(partition: number, signal: AbortSignal): PartitionProjection {
    this.#assigned.get(partition)?.end();
    const projection = new PartitionProjection(this.parts, this.#restorer, partition, signal, this.#identity);
    this.#assigned.set(partition, projection);
    return projection;
  }

  /** While the process's tail verifies the partition's log (`true`), nothing is published from it. */
  setUnverified(partition: number, isUnverified: boolean): void {
    this.#identity.setUnverified(partition, isUnverified);
  }

  /** Stops a partition whose log is not the one that the tail read. Its index stays: it may be the only copy of the lost records (R11). */
  stop(partition: number, why: string): void {
    this.#identity.changed(partition, why);
    const projection = this.#assigned.get(partition);
    if (projection !== undefined && !projection.isEnded) this.parts.onStopped?.(partition, why);
  }

  /** Detects lost indexes of partitions without new records. Must be called about once a second. */
  async poll(): Promise<void> {
    const markers = await this.parts.index.markers();
    for (const [partition, projection] of this.#assigned)
      if (projection.isBehind(markers.get(partition))) projection.restoreInBackground();
  }

  /**
   * Restores indexes of partitions that other processes project, and publishes nothing. A projector of another release may write another index; then
   * no other process builds this one. Must be called every few seconds; only an index that has not moved since the last call is restored.
   * @param published offset per partition behind the last record whose events were acknowledged; no index is restored beyond it
   */
  async pollOthers(published: ReadonlyMap<number, bigint>): Promise<void> {
    const { index } = this.parts;
    const markers = await index.markers();
    const own = new Set(this.assigned.map(({ partition }) => partition));
    const before = this.#laggards;
    this.#laggards = new Map();
    for (const [partition, next] of published) {
      const marker = markers.get(partition);
      const isLeftAlone = own.has(partition) || this.#identity.whyChanged(partition) !== undefined;
      if (isLeftAlone || next === 0n || (marker !== undefined && marker >= next - 1n)) continue;
      this.#laggards.set(partition, marker);
      if (before.has(partition) && before.get(partition) === marker) this.#restoreOfOther(partition, next);
    }
  }

  #restoreOfOther(partition: number, next: bigint): void {
    if (this.#restorer.isRunning(partition)) return;
    const { index, journal, logger } = this.parts;
    const restore = async () => {
      // The index may be whole and this process's keys wrong, so only its projector may delete the marker.
      if (await index.isUnverified(partition)) return;
      // Records that were deleted unpublished must be reported by the partition's projector.
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

  get assigned(): { partition: number; projection: PartitionProjection }[] {
    return [...this.#assigned].flatMap(([partition, projection]) =>
      projection.isEnded ? [] : [{ partition, projection }],
    );
  }

  /** Ends running rebuilds at their next step. They leave no valid index. */
  close(): void {
    this.#closing.abort(new Error('the projector is closing'));
  }
}
