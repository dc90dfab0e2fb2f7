import { journalPartition, type JournalRecord, type OrderState } from '@tranche/order-journal';

/** The referee's notes about a journal partition that lost records. Most worlds have none. */
export class LostRecords {
  partition: number | undefined;
  /** The loss took so many records. */
  records = 0;
  /** The partition held these orders until then. */
  readonly before = new Map<string, OrderState>();
  /** Virtual time at which two people decided to resume the partition. */
  resumedMs = Infinity;
  /** The notifications of the partition are to be read again from their topic. */
  isReadAgain = false;
  /** Commands with a record in the partition before its resume: their result may be lost. */
  readonly begun = new Set<string>();
  /** Events of lost records; some were published before the loss. */
  readonly events = new Set<string>();

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
