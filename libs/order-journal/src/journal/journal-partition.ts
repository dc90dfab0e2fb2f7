import { partitionForKey } from '@tranche/runtime';

/** Number of journal partitions. It can never change, because an order's log must stay in its partition (R1). */
export const JOURNAL_PARTITIONS = 12;

/** Journal partition of an order: murmur2(`merchant/orderId`) mod 12 (R1). */
export function journalPartition(orderKey: string): number {
  return partitionForKey(orderKey, JOURNAL_PARTITIONS);
}
