import type { Log, Timing } from '@tranche/runtime';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import type { EventOutlet, JournalEntry, JournalReader, OrderIndex } from '../journal/ports.js';
import type { RebuildProgress } from '../projection/index-rebuild.js';
import type { PublishedEvent } from '../projection/published-event.js';
import type { JournalRecord } from '../state/records.js';
import type { SnapshotMismatch } from '../state/snapshot.js';
import type { LogBounds } from './placement.js';

/** Reads partitions of the journal's log for as long as they are followed. */
export interface JournalFollower {
  follow(
    partition: number,
    log: {
      from: bigint;
      known: bigint;
      onRecords: (entries: readonly JournalEntry[], next: bigint) => void;
      onFault: (fault: string, isCut: boolean) => void;
    },
    bounds: LogBounds,
  ): void;
  unfollow(partition: number): void;
  /** Stops and continues the reading of a followed partition. */
  hold(partition: number): void;
  goOn(partition: number): void;
}

export interface OwnerParts {
  index: OrderIndex;
  journal: JournalReader;
  events: EventOutlet;
  follower: JournalFollower;
  bounds: (partition: number) => Promise<LogBounds>;
  timing: Timing;
  logger: Log;
  /** From 0 to 1: spreads the retries of many owners. Default: Math.random. */
  random?: () => number;
  /** Called before each placement, which is repeated where this rejects. */
  assertCurrent?: () => Promise<void>;
  /** The journal's epoch: `sequence` of an event starts with it. */
  epoch?: () => number;
  onRebuild?: (progress: RebuildProgress) => void;
  /** Called with published events, without repeats. */
  onPublished?: (published: readonly PublishedEvent[]) => void;
  /** Called for each snapshot that differs from the state of its records. */
  onSnapshotMismatch?: (mismatch: SnapshotMismatch) => void;
  onRecord?: (record: JournalRecord) => void;
}

/** Memory was dropped, or is not there yet: the caller waits until the owner serves, and reads again. */
export class OwnerNotServingError extends OrderUnreadableError {
  override name = 'OwnerNotServingError';
  constructor(partition: number) {
    super(`The owner of journal partition ${partition} is finding out where to begin`);
  }
}
