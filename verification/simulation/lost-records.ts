import { journalPartition, type JournalRecord } from '@tranche/order-journal';

/** What the referee knows of a journal partition that lost records: nothing in most worlds. */
export class LostRecords {
  partition: number | undefined;
  /** Virtual; of the decision of two people that it goes on. */
  resumedMs = Infinity;
  /** Commands of which the partition held a record before it was resumed: nobody may know any more how they ended. */
  readonly begun = new Set<string>();
  /** Events of records that were lost: some were published before. */
  readonly events = new Set<string>();

  /** Whether it is an order of that partition. */
  has(key: string): boolean {
    return this.partition !== undefined && journalPartition(key) === this.partition;
  }

  get isResumed(): boolean {
    return this.resumedMs < Infinity;
  }

  noteBegun(record: JournalRecord): void {
    if ('commandId' in record && record.commandId !== undefined) this.begun.add(record.commandId);
  }
}
