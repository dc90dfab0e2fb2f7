import { partitionForKey } from '@tranche/runtime';

/** Partitions of the journal, for ever: an order's log must stay where it is (R1). */
export const JOURNAL_PARTITIONS = 12;

/** The journal partition of an order: murmur2(`merchant/orderId`) mod 12 (R1). */
export function journalPartition(orderKey: string): number {
  return partitionForKey(orderKey, JOURNAL_PARTITIONS);
}
