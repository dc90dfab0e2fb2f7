import { Injectable } from '@nestjs/common';
import { JournalRecovery, recoveryRecordOf } from '@tranche/order-journal';
import type { ConsumedRecord } from '@tranche/kafka';

/** Decisions of two people to skip a record of the journal, which every reader must apply (docs/decisions/0121). */
@Injectable()
export class SkippedRecords {
  readonly #recovery = new JournalRecovery();
  readonly substitute = <T extends { key: string | null; value: Buffer | null }>(entry: T): T =>
    this.#recovery.skipped.substitute(entry);

  /** Returns true where a record was skipped: a partition that stopped at it goes on. */
  take({ value }: Pick<ConsumedRecord, 'value'>): boolean {
    const record = recoveryRecordOf(value);
    if (record === undefined) return false;
    this.#recovery.take(record);
    return record.record === 'skipped';
  }
}
