import type { Log } from '@tranche/runtime';
import { JOURNAL_PARTITIONS } from '../journal/ports.js';

/** A partition of the notifications: offset of the first record that may not be journaled yet, and the log's end. */
export interface NotificationOffsets {
  next: bigint;
  end: bigint;
}

interface Watched {
  /** The journal has everything that Kafka had acknowledged before. Milliseconds since the epoch; -Infinity until the first goal is reached. */
  untilMs: number;
  /** The end of the log, and a time before it was asked for. */
  goal: { end: bigint; atMs: number };
}

/** A wait that is longer needs a person. Milliseconds. */
const TELL_AFTER_MS = 60_000;

/**
 * Knows for each partition a time before which all acknowledged notifications are journaled. Timers judge an order as of that time: after a stop
 * of days they would otherwise end payments whose results wait in the topic (docs/decisions/0103).
 */
export class NotificationWatermark {
  readonly #partitions = new Map<number, Watched>();

  #isTold = false;

  constructor(private readonly logger: Log) {}

  /**
   * To be called every few seconds, with the offsets of all partitions.
   * @param atMs our time before they were asked for
   */
  looked(atMs: number, offsets: ReadonlyMap<number, NotificationOffsets>): void {
    for (const [partition, { next, end }] of offsets) {
      const { untilMs = -Infinity, goal } = this.#partitions.get(partition) ?? {};
      const isGoalReached = goal !== undefined && next >= goal.end;
      // The end of a topic that was made anew may be lower.
      const keepsGoal = goal !== undefined && !isGoalReached && next < end && end >= goal.end;
      if (keepsGoal) continue;
      const reachedMs = next >= end ? atMs : isGoalReached ? goal.atMs : untilMs;
      this.#partitions.set(partition, { untilMs: reachedMs, goal: { end, atMs } });
    }
  }

  /** The time as of which orders of this journal partition may be judged. Milliseconds since the epoch. */
  untilMs(journalPartition: number): number {
    const { size } = this.#partitions;
    if (size === 0) return -Infinity;
    // Any other number may have grown in several steps, so any partition may hold an order's notifications.
    const holding = size === JOURNAL_PARTITIONS ? [journalPartition] : [...this.#partitions.keys()];
    return Math.min(...holding.map((partition) => this.#partitions.get(partition)?.untilMs ?? -Infinity));
  }

  /** For how long each partition has not been read to the end that it had. Milliseconds. */
  waitsMs(nowMs: number): Map<number, number> {
    return new Map([...this.#partitions].map(([partition, { goal }]) => [partition, Math.max(0, nowMs - goal.atMs)]));
  }

  /** To be called every few seconds, also while the offsets can not be asked for. */
  tell(nowMs: number): void {
    const waits = [...this.waitsMs(nowMs)].filter(([, ms]) => ms > TELL_AFTER_MS);
    if (waits.length > 0 === this.#isTold) return;
    this.#isTold = waits.length > 0;
    const partitions = waits.map(([partition]) => partition);
    if (this.#isTold)
      this.logger.warn(
        { partitions },
        `Partitions ${partitions.join(', ')} of the notifications have not been read to the end that they had a minute ago: expiries, reminders and look-ups of their orders wait until then. If the wait does not end by itself, look for what the instances log about these partitions`,
      );
    else this.logger.info({}, 'Timers wait for notifications no more');
  }
}
