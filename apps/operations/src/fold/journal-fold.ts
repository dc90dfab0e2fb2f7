/** Folds a batch of one journal partition. */
import type { ConsumedRecord } from '@tranche/kafka';
import {
  EntryUnreadableError,
  foldStored,
  isEmptyOrder,
  isPayment,
  keyOf,
  readEntry,
  summaryOf,
  transactionIdsOf,
  type OrderState,
  type StoredRecord,
} from '@tranche/order-journal';
import { withoutBuyersData, type RecordRow } from './stored-rows.js';

export type Entry = Pick<ConsumedRecord, 'key' | 'offset' | 'value'>;

interface FoldedBatch {
  stored: StoredRecord[];
  /** The first record that this release can't read or fold: the partition stops before it. */
  unreadable?: EntryUnreadableError;
}

/**
 * @param orders the states that are known, by key; those after the batch are put there
 * @param substitute puts a record that freezes its order in the place of one that two people skipped
 */
export function foldBatch(
  records: readonly Entry[],
  orders: Map<string, OrderState>,
  substitute: (entry: Entry) => Entry,
): FoldedBatch {
  const stored: StoredRecord[] = [];
  try {
    for (const entry of records) {
      const read = readEntry(substitute(entry));
      const one = { ...read, record: withoutBuyersData(read.record) };
      const key = keyOf(one.record);
      orders.set(key, foldStored(orders.get(key), one).order);
      stored.push(one);
    }
    return { stored };
  } catch (error) {
    if (error instanceof EntryUnreadableError) return { stored, unreadable: error };
    throw error;
  }
}

export const journalRow = ({ offset, hash, record }: StoredRecord): RecordRow => ({
  ...{ offset, key: keyOf(record), merchant: record.merchant, at: record.at, kind: record.record, hash },
  body: record,
});

interface OrderColumns {
  status: string;
  currency: string | null;
  amount: number | null;
  /** TRANSACTIONIDs and ids of commands, by which the order is found. */
  names: string[];
}

/** Undefined for an order that the journal forgot: its columns stay as they were. */
export function columnsOf(order: OrderState): OrderColumns | undefined {
  if (isEmptyOrder(order)) return undefined;
  const { status, amounts } = summaryOf(order);
  const payment = order.operations.findLast(isPayment) ?? order.operations.at(-1);
  const commands = order.operations.map(({ commandId }) => commandId);
  return {
    ...{ status, currency: amounts.currency, amount: payment?.amount ?? null },
    names: [...new Set([...commands, ...transactionIdsOf(order)])],
  };
}
