import { OrderUnreadableError, stoppedReason } from './journal-faults.js';

export interface StoppedAt {
  partition: number;
  offset: bigint;
  hash: string;
  /** True where people may decide to skip the record; false for a record of a newer release. */
  maySkip: boolean;
}

/** Journal partitions that this process does not read any more, and the reasons. The other partitions are not affected (R2). */
export class StoppedPartitions {
  readonly #reasons = new Map<number, string>();
  readonly #records = new Map<number, StoppedAt>();

  get reasons(): ReadonlyMap<number, string> {
    return this.#reasons;
  }

  /** Partitions that stopped at a record. */
  get records(): readonly StoppedAt[] {
    return [...this.#records.values()];
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

  /** Notes the record that a partition stops at. Only `stop` stops it. */
  noteRecord(record: StoppedAt): void {
    this.#records.set(record.partition, record);
  }

  /** @throws OrderUnreadableError where the partition is stopped */
  refuse(partition: number): void {
    const reason = this.#reasons.get(partition);
    if (reason !== undefined) throw new OrderUnreadableError(reason);
  }
}
