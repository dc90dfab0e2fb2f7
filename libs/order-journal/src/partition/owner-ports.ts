import { OrderUnreadableError } from '../journal/journal-faults.js';
import type { EventOutlet, JournalEntry, OrderIndex } from '../journal/ports.js';
import type { PublishedEvent } from '../projection/published-event.js';
import type { JournalRecord } from '../state/records.js';
import type { OutageParts } from './outage.js';
import type { LogBounds, PlacementParts } from './placement.js';

/** Reads partitions of the journal's log for as long as they are followed. */
export interface JournalFollower {
  follow(
    partition: number,
    log: {
      from: bigint;
      known: bigint;
      onRecords: (entries: readonly JournalEntry[], next: bigint) => void;
      onFault: (fault: string) => void;
    },
    bounds: LogBounds,
  ): void;
  unfollow(partition: number): void;
  /** Stops and continues the reading of a followed partition. */
  hold(partition: number): void;
  goOn(partition: number): void;
}

export interface OwnerParts extends PlacementParts, OutageParts {
  index: OrderIndex;
  events: EventOutlet;
  follower: JournalFollower;
  /** Called before each placement, which is repeated where this rejects. */
  assertCurrent?: () => Promise<void>;
  /** The journal's epoch: `sequence` of an event starts with it. */
  epoch?: () => number;
  /** Called with published events, without repeats. */
  onPublished?: (published: readonly PublishedEvent[]) => void;
  onRecord?: (record: JournalRecord) => void;
}

/** Memory was dropped, or is not there yet: the caller waits until the owner serves, and reads again. */
export class OwnerNotServingError extends OrderUnreadableError {
  override name = 'OwnerNotServingError';
  constructor(partition: number) {
    super(`The owner of journal partition ${partition} is finding out where to begin`);
  }
}
