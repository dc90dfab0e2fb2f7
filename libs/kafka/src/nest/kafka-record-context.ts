import type { ConsumedRecord } from '../consumed-record.js';
import type { Slot } from '../consume/key-ordered-pool.js';
import { HandlerCall } from './kafka-handler.js';

export class KafkaRecordContext extends HandlerCall {
  constructor(
    readonly record: ConsumedRecord,
    /** Counts from 1. */
    readonly attempt: number,
    /**
     * Aborts when the partition may be taken away or the service stops. A waiting handler should throw at once; the record is redelivered.
     * A running handler may end, and counts if it does so before the drain is over (`rebalanceDrainMs`, `drainTimeoutMs`).
     */
    readonly signal: AbortSignal,
    private readonly slot: Slot = { withoutSlot: (wait) => wait() },
  ) {
    super();
  }

  /**
   * Runs `wait` without a slot among those in flight, so that other keys can run; the record keeps its key. Afterwards a slot is taken
   * again, in turn, before the promise settles. `wait` must end when `signal` aborts; its rejection then passes through at once.
   */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
    return this.slot.withoutSlot(wait);
  }
}
