import { OrderUnreadableError, stoppedReason } from './journal-faults.js';

/** Journal partitions that this process does not read any more, and the reasons. The other partitions are not affected (R2). */
export class StoppedPartitions {
  readonly #reasons = new Map<number, string>();

  get reasons(): ReadonlyMap<number, string> {
    return this.#reasons;
  }

  has(partition: number): boolean {
    return this.#reasons.has(partition);
  }

  /** Returns the partition's new reason; undefined where it was stopped before. */
  stop(partition: number, why: string, offset?: bigint): string | undefined {
    if (this.has(partition)) return undefined;
    const reason = stoppedReason(partition, why, offset);
    this.#reasons.set(partition, reason);
    return reason;
  }

  /** @throws OrderUnreadableError where the partition is stopped */
  refuse(partition: number): void {
    const reason = this.#reasons.get(partition);
    if (reason !== undefined) throw new OrderUnreadableError(reason);
  }
}
