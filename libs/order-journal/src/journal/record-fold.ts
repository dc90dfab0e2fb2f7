import { orderKey } from '@tranche/contracts';
import { fold, type Folded } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { recordHash, UnreadableJournalError, type JournalRecord } from '../state/records.js';
import { decodeRecord } from '../state/versions.js';
import { EntryUnreadableError } from './journal-faults.js';
import type { JournalEntry } from './ports.js';

/** A record and its place in the log. `key`: its order's; `hash`: `recordHash` of its stored bytes. */
export interface StoredRecord {
  readonly key: string;
  readonly offset: bigint;
  readonly record: JournalRecord;
  readonly hash: string;
}

export type OrderName = Pick<JournalRecord, 'merchant' | 'orderId'>;

export const keyOf = ({ merchant, orderId }: OrderName): string => orderKey(merchant, orderId);

/** @throws EntryUnreadableError for bytes that are no record of their key's order */
export function readEntry({ key, offset, value }: Pick<JournalEntry, 'key' | 'offset' | 'value'>): StoredRecord {
  const hash = recordHash(value);
  try {
    const record = decodeRecord(value);
    const ofRecord = keyOf(record);
    // A record in place of a skipped one has no other order than its key says.
    if (ofRecord !== key && record.record !== 'SKIPPED')
      throw new UnreadableJournalError(`A journal record of ${ofRecord} has another key`);
    return { key: ofRecord, offset, record, hash };
  } catch (cause) {
    throw new EntryUnreadableError({ offset, hash }, `a record of ${key ?? 'no order'}`, cause);
  }
}

/**
 * Folds one record of the log into its order. Everything that reads the log folds by this function, so that a record that fails is named, and stops
 * its partition wherever it is met (R2).
 * @throws EntryUnreadableError
 */
export function foldStored(order: OrderState | undefined, stored: StoredRecord): Folded {
  const { offset, record, hash } = stored;
  return named(stored, () => fold(order ?? emptyOrder(record.merchant, record.orderId), record, offset, () => hash));
}

/**
 * Computes something from one record without I/O, so any error is a bug of the fold, or a record that it does not know: it names the record, and no
 * repeat changes it. Every other error comes from what Kafka or Redis was asked, of whatever class: clients throw TypeErrors too. It is repeated.
 * @throws EntryUnreadableError
 */
export function named<T>({ offset, record, hash }: StoredRecord, compute: () => T): T {
  try {
    return compute();
  } catch (cause) {
    throw new EntryUnreadableError({ offset, hash }, `${record.record} of ${keyOf(record)}`, cause);
  }
}
