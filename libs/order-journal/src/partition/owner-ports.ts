import { OrderUnreadableError } from '../journal/journal-faults.js';
import type { OpenIntents } from '../journal/open-intents.js';
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

/** A placement asks its owner, and tells it what it has done. */
export interface Owning {
  readonly partition: number;
  readonly openIntents: OpenIntents;
  /** Offset behind the last record whose events were acknowledged. */
  readonly acknowledged: bigint | undefined;
  afterAcknowledged(offset: bigint): void;
  /** The index has everything below `offset` too. */
  afterPublished(offset: bigint): void;
  /** Everything was read that the log had at the placement. */
  caughtUp(): void;
  /** Repeats what is asked of Kafka or Redis while it is away, and nothing else. What an ended assignment awaited leads to no further step. */
  untilDone<T>(ask: () => Promise<T>, assigned: AbortSignal): Promise<T>;
  /** The log is not the one that was read. */
  stop(why: string): void;
  /** Stops the partition where no repeat changes the error; returns false for another error. */
  stopFor(error: unknown): boolean;
}

/** Memory was dropped, or is not there yet: the caller waits until the owner serves, and reads again. */
export class OwnerNotServingError extends OrderUnreadableError {
  override name = 'OwnerNotServingError';
  constructor(partition: number) {
    super(`The owner of journal partition ${partition} is finding out where to begin`);
  }
}
