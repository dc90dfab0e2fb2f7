import { orderKey } from '@tranche/contracts';
import { fold } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';

interface Waiter {
  look(): void;
  fail(error: Error): void;
}

interface Entry {
  /** Folded up to the last record that the tail brought; absent until somebody asked for the order. */
  order?: OrderState;
  /** Records that came before the order was asked for, oldest first. */
  unfolded: { offset: bigint; record: JournalRecord; hash: string }[];
  /** No record of the order up to here is missing in `order` and `unfolded`. */
  lastOffset: bigint;
  waiting: Set<Waiter>;
}

/** The journal's newest states in memory: what the tail brought since its start, on top of the index's states (R7). */
export class OrderCache {
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** Takes a record off the tail. Records of an order must come in offset order. `hash`: of its stored bytes. */
  apply(key: string, offset: bigint, record: JournalRecord, hash: string): void {
    const entry = this.#entryOf(key);
    if (offset <= entry.lastOffset) return;
    entry.lastOffset = offset;
    if (entry.order) entry.order = fold(entry.order, record, offset, () => hash).order;
    else entry.unfolded.push({ offset, record, hash });
    for (const waiter of entry.waiting) waiter.look();
  }

  /** The order's newest state, if it was loaded. */
  find(key: string): OrderState | undefined {
    return this.#entries.get(key)?.order;
  }

  /**
   * Puts the index's state of an order beneath what the tail brought since.
   * @param marker how far the index was when it had `indexed`; no order there means that there was nothing to know up to it
   */
  load(merchant: string, orderId: string, indexed: OrderState | undefined, marker = -1n): OrderState {
    const entry = this.#entryOf(orderKey(merchant, orderId));
    entry.order ??= entry.unfolded
      .filter(({ offset }) => offset > marker)
      .reduce(
        (order, { offset, record, hash }) => fold(order, record, offset, () => hash).order,
        indexed ?? emptyOrder(merchant, orderId),
      );
    entry.unfolded = [];
    const known = indexed ? BigInt(entry.order.lastOffset) : marker;
    if (known > entry.lastOffset) entry.lastOffset = known;
    return entry.order;
  }

  /** Resolves when the loaded order has folded a record beyond `offset`; rejects with the signal's reason. */
  waitForRecordAfter(key: string, offset: bigint, signal: AbortSignal): Promise<OrderState> {
    const entry = this.#entryOf(key);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        entry.waiting.delete(waiter);
        signal.removeEventListener('abort', abandon);
        act();
      };
      const look = () => {
        const { order, lastOffset } = entry;
        if (order && lastOffset > offset) settle(() => resolve(order));
      };
      const abandon = () => settle(() => reject(signal.reason as Error));
      const waiter: Waiter = { look, fail: (error) => settle(() => reject(error)) };
      entry.waiting.add(waiter);
      signal.addEventListener('abort', abandon, { once: true });
      if (signal.aborted) abandon();
      else look();
    });
  }

  /** Whoever waits for a record of these orders waits in vain. */
  failWaiting(isMeant: (key: string) => boolean, error: Error): void {
    for (const [key, { waiting }] of this.#entries)
      if (waiting.size > 0 && isMeant(key)) for (const waiter of [...waiting]) waiter.fail(error);
  }

  /** Drops orders that the index has as well: they have no record above the marker, and no command waits for one. */
  forget(isIndexed: (key: string, lastOffset: bigint) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (entry.waiting.size === 0 && isIndexed(key, entry.lastOffset)) this.#entries.delete(key);
    }
  }

  #entryOf(key: string): Entry {
    const known = this.#entries.get(key);
    if (known) return known;
    const entry: Entry = { unfolded: [], lastOffset: -1n, waiting: new Set() };
    this.#entries.set(key, entry);
    return entry;
  }
}
