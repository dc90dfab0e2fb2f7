import { orderKey, parseOrderKey } from '@tranche/contracts';
import { murmur2 } from '@tranche/runtime';
import { JOURNAL_PARTITIONS } from '../journal/journal-partition.js';
import { fold } from '../state/fold.js';
import { emptyOrder, isEmptyOrder, type OrderState } from '../state/order-state.js';
import { type JournalRecord, recordHash } from '../state/records.js';
import { decodeRecord } from '../state/versions.js';
import type { JournalEntry } from '../journal/ports.js';

/** Orders of one sample, about. Their states are in memory until its audit has ended. */
const SAMPLED_ORDERS = 200;
const MOST_ORDERS = 5 * SAMPLED_ORDERS;
/** What an order leaves in the journal, about: INTENT and OUTCOME of two operations. */
const RECORDS_PER_ORDER = 4;

interface Sampled {
  order: OrderState;
  /** Token of the INTENT that its kept records begin with; undefined where they begin with another record, or with one that rests on earlier ones. */
  firstToken: string | undefined;
  wasForgotten: boolean;
}

/** Some orders of a partition, chosen by their key, as the journal has them. */
export class OrderSample {
  last: JournalEntry | undefined;
  readonly #orders = new Map<string, Sampled>();
  readonly #oneIn: number;
  readonly #which: number;

  /**
   * @param records that the journal keeps of the partition
   * @param random from 0 up to 1: chooses the orders
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

  /** The folded state; undefined where nothing is to be known of the order. */
  state(key: string): OrderState | undefined {
    const order = this.#orders.get(key)?.order;
    return order && !isEmptyOrder(order) ? order : undefined;
  }

  /** The folded states, empty ones too. */
  states(keys: readonly string[]): OrderState[] {
    return keys.flatMap((key) => this.#orders.get(key)?.order ?? []);
  }

  /**
   * Whether the journal still has the order from its beginning on. An estimate: where older records were deleted by their age the
   * index rightly knows more, or judged rightly otherwise, and nothing can be said.
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
