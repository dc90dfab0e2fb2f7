import { orderKey } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';

/** An order id of shop-fr in this journal partition. */
export const neighbourIn = (partition: number): string => orderIn(partition, 'neighbour');

/** The same, with `beginning` as its first part. */
export const orderIn = (partition: number, beginning: string): string =>
  Array.from({ length: 200 }, (_, number) => `${beginning}-${number}`).find(
    (name) => journalPartition(orderKey('shop-fr', name)) === partition,
  )!;
