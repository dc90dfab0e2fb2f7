import type { Log, Timing } from '@tranche/runtime';
import { setMaxListeners } from 'node:events';
import { IndexRestorer } from './index-restorer.js';
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
  onPublished?: BatchParts['onPublished'];
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
    const projection = new PartitionProjection(this.parts, this.#restorer, partition, signal);
    this.#assigned.set(partition, projection);
    return projection;
  }

  /** Finds indexes that were lost while no record came; to be called about once a second. */
  async poll(): Promise<void> {
    const markers = await this.parts.index.markers();
    for (const [partition, projection] of this.#assigned)
      if (projection.isBehind(markers.get(partition))) projection.restoreInBackground();
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
