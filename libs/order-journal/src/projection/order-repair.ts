import { MarkerMovedError, type OrderIndex } from '../journal/ports.js';
import type { OrderState } from '../state/order-state.js';

/**
 * Replaces orders of an index at its current marker, and retries when that moves meanwhile.
 * @param folded returns the orders as the journal has them below an offset; undefined where more was folded already
 * @param assertCurrent throws once nothing may be written any more
 */
export async function replaceOrders(
  index: Pick<OrderIndex, 'readTogether' | 'replace'>,
  partition: number,
  folded: (until: bigint) => Promise<OrderState[] | undefined>,
  assertCurrent: () => void,
): Promise<void> {
  for (;;) {
    assertCurrent();
    const { marker } = await index.readTogether(partition, []);
    if (marker === undefined) return;
    try {
      const orders = await folded(marker + 1n);
      // The index was restored from an older copy; the next audit compares it.
      if (orders === undefined) return;
      assertCurrent();
      return await index.replace(partition, marker, orders);
    } catch (error) {
      if (!(error instanceof MarkerMovedError)) throw error;
    }
  }
}
