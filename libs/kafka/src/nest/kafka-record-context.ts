import type { ConsumedRecord } from '../consume/consumed-record.js';
import type { Slot } from '../consume/key-ordered-pool.js';
import { HandlerCall } from './kafka-handler.js';

/** What a handler may ask for by `@Ctx()`. */
export class KafkaRecordContext extends HandlerCall {
  constructor(
    readonly record: ConsumedRecord,
    /** From 1. */
    readonly attempt: number,
    /**
     * Aborted when the partition may be taken away or the service stops: waits are to be given up at once (throw; the record comes
     * again). What runs may still end, and counts if it does so before the drain is over (`rebalanceDrainMs`, `drainTimeoutMs`).
     */
    readonly signal: AbortSignal,
    private readonly slot: Slot = { withoutSlot: (wait) => wait() },
  ) {
    super();
  }

  /**
   * Runs `wait` without a place among those in flight: the record keeps its key, other keys run meanwhile. Afterwards it takes a place
   * again, in turn, before the promise resolves or rejects. `wait` has to end when `signal` aborts; what it rejects with then comes
   * through at once.
   */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
    return this.slot.withoutSlot(wait);
  }
}
