import { orderKey, parseOrderKey } from '@tranche/contracts';
import { murmur2 } from '@tranche/runtime';
import { JOURNAL_PARTITIONS } from '../journal/journal-partition.js';
import { fold } from '../state/fold.js';
import { emptyOrder, isEmptyOrder, type OrderState } from '../state/order-state.js';
import { type JournalRecord, recordHash } from '../state/records.js';
import { decodeRecord } from '../state/versions.js';
import type { JournalEntry } from '../journal/ports.js';

/** Approximate number of orders in a sample. Their states stay in memory until the audit ends. */
const SAMPLED_ORDERS = 200;
const MOST_ORDERS = 5 * SAMPLED_ORDERS;
/** Approximate number of an order's records in the journal: INTENT and OUTCOME of two operations. */
const RECORDS_PER_ORDER = 4;

interface Sampled {
  order: OrderState;
  /** Token of the order's first kept record, if that is an INTENT which does not depend on earlier records; otherwise undefined. */
  firstToken: string | undefined;
  wasForgotten: boolean;
}

/** Some orders of a partition, chosen by their key, as folded from the journal. */
export class OrderSample {
  last: JournalEntry | undefined;
  readonly #orders = new Map<string, Sampled>();
  readonly #oneIn: number;
  readonly #which: number;

  /**
   * @param records number of records that the journal keeps of the partition
   * @param random number in [0, 1): chooses the orders
   */
  constructor(records: number, random: number) {
    this.#oneIn = Math.max(1, Math.ceil(records / (RECORDS_PER_ORDER * SAMPLED_ORDERS)));
    this.#which = Math.floor(random * this.#oneIn);
  }

  get keys(): string[] {
    return [...this.#orders.keys()];
  }

  take(entry: JournalEntry): void {
    this.last = entry;
    const { key, offset, value } = entry;
    const known = this.#orders.get(key ?? '');
    if (!known && !this.#isChosen(key ?? '')) return;
    const record = decodeRecord(value);
    const { order = emptyOrder(record.merchant, record.orderId), firstToken, wasForgotten = false } = known ?? {};
    this.#orders.set(key ?? '', {
      order: fold(order, record, offset, () => recordHash(value)).order,
      firstToken: known ? firstToken : tokenOfBeginning(record),
      wasForgotten: wasForgotten || record.record === 'TOMBSTONE',
    });
  }

  /** Returns the folded state; undefined where the sample has none, or an empty one. */
  state(key: string): OrderState | undefined {
    const order = this.#orders.get(key)?.order;
    return order && !isEmptyOrder(order) ? order : undefined;
  }

  /** Returns the folded states, empty ones included. */
  states(keys: readonly string[]): OrderState[] {
    return keys.flatMap((key) => this.#orders.get(key)?.order ?? []);
  }

  /**
   * True where the kept journal begins with the order's first record. An estimate: otherwise the index may correctly know more, so nothing is
   * compared.
   */
  isWhole(key: string, indexed: OrderState | undefined, firstKept: bigint): boolean {
    if (firstKept === 0n) return true;
    const sampled = this.#orders.get(key);
    if (!sampled || sampled.wasForgotten || sampled.firstToken === undefined) return false;
    if (!indexed) return true;
    const isKept = ({ offset }: { offset: string }) => BigInt(offset) >= firstKept;
    return (
      !indexed.isPartial &&
      indexed.verdicts[0]?.[0] === sampled.firstToken &&
      indexed.operations.every(({ events = [] }) => events.every(isKept)) &&
      indexed.external.every(isKept)
    );
  }

  #isChosen(key: string): boolean {
    const named = parseOrderKey(key);
    if (this.#orders.size >= MOST_ORDERS || !named) return false;
    const hash = murmur2(Buffer.from(orderKey(named.merchant, named.orderId))) >>> 0;
    return Math.floor(hash / JOURNAL_PARTITIONS) % this.#oneIn === this.#which;
  }
}

function tokenOfBeginning(record: JournalRecord): string | undefined {
  if (record.record !== 'INTENT' || record.attempt > 1) return undefined;
  return record.seen === undefined || record.seen === '-1' ? record.token : undefined;
}
