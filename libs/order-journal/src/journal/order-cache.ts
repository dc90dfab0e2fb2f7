import { orderKey } from '@tranche/contracts';
import type { Folded } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';
import { JournalChangedError } from './journal-faults.js';
import { foldStored, type StoredRecord } from './record-fold.js';
import { Waits } from './waits.js';

interface Entry {
  /** State up to the last record of the tail; absent until the order is first read. */
  order?: OrderState;
  /** Records that came before the order was first read, oldest first. */
  unfolded: StoredRecord[];
  /** `order` and `unfolded` include every record of the order up to this offset. */
  lastOffset: bigint;
  waiting: Waits;
}

/** Newest states in memory: the tail's records folded on top of the index's states (R7). */
export class OrderCache {
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Takes a record from the tail. Records of an order must come in offset order. Returns undefined where it was not folded: the order is not loaded, or
   * includes the record already.
   */
  apply(stored: StoredRecord): Folded | undefined {
    const { key, offset, record } = stored;
    const entry = this.#entryOf(key);
    if (offset <= entry.lastOffset) return undefined;
    entry.lastOffset = offset;
    const folded = entry.order && foldStored(entry.order, stored);
    if (folded) entry.order = folded.order;
    else entry.unfolded.push({ ...stored, record: withoutPage(record) });
    entry.waiting.look();
    return folded;
  }

  find(key: string): OrderState | undefined {
    return this.#entries.get(key)?.order;
  }

  /**
   * Puts the index's state of an order beneath the tail's records.
   * @param marker the index's marker when `indexed` was read; without `indexed`, the order has no record up to it
   * @throws JournalChangedError where `indexed` lacks a record of the tail that its marker covers: the index was made from another log. A command that
   * waits for that record would ask for the state without end.
   */
  load(merchant: string, orderId: string, indexed: OrderState | undefined, marker = -1n): OrderState {
    const entry = this.#entryOf(orderKey(merchant, orderId));
    const lacking = indexed && entry.unfolded.findLast(({ offset }) => offset <= marker);
    if (lacking && lacking.offset > BigInt(indexed.lastOffset))
      throw new JournalChangedError(
        `the index covers offset ${marker}, and its state of ${lacking.key} ends at ${indexed.lastOffset}, before the record at ${lacking.offset}: it was made from another log`,
      );
    entry.order ??= entry.unfolded
      .filter(({ offset }) => offset > marker)
      .reduce((order, stored) => foldStored(order, stored).order, indexed ?? emptyOrder(merchant, orderId));
    entry.unfolded = [];
    const known = indexed ? BigInt(entry.order.lastOffset) : marker;
    if (known > entry.lastOffset) entry.lastOffset = known;
    return entry.order;
  }

  /** Resolves when the loaded order has folded a record beyond `offset`; rejects with the signal's reason. */
  waitForRecordAfter(key: string, offset: bigint, signal: AbortSignal): Promise<OrderState> {
    const entry = this.#entryOf(key);
    return entry.waiting.until(() => (entry.lastOffset > offset ? entry.order : undefined), signal);
  }

  /** Drops every order; waits for records reject. */
  clear(error: Error): void {
    for (const { waiting } of this.#entries.values()) waiting.fail(error);
    this.#entries.clear();
  }

  /** Drops orders that the index holds too: they have no record above the marker, and no command waits for one. */
  forget(isIndexed: (key: string, lastOffset: bigint) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (entry.waiting.size > 0 || !isIndexed(key, entry.lastOffset)) continue;
      this.#entries.delete(key);
    }
  }

  #entryOf(key: string): Entry {
    const known = this.#entries.get(key);
    if (known) return known;
    const entry: Entry = { unfolded: [], lastOffset: -1n, waiting: new Waits() };
    this.#entries.set(key, entry);
    return entry;
  }
}

/** A state never contains REDIRECTHTML, so folding does not need it; tens of thousands of pages would fill the memory. */
function withoutPage(record: JournalRecord): JournalRecord {
  if (!('answer' in record) || record.answer?.redirectHtml === undefined) return record;
  const { redirectHtml, ...answer } = record.answer;
  return { ...record, answer };
}
