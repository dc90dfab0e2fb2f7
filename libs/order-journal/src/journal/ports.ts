import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import { partitionForKey, type TraceHeaders } from '@tranche/runtime';
import type { OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';

/** Number of journal partitions. It can never change, because an order's log must stay in its partition (R1). */
export const JOURNAL_PARTITIONS = 12;

/** Journal partition of an order: murmur2(`merchant/orderId`) mod 12 (R1). */
export function journalPartition(orderKey: string): number {
  return partitionForKey(orderKey, JOURNAL_PARTITIONS);
}

export interface JournalLog {
  /** Resolves with the record's offset once all in-sync replicas have it. After a rejection the record may still be in the log. */
  append(record: JournalRecord, trace?: TraceHeaders): Promise<bigint>;
  /** Offset of the partition's next record, requested after the call. */
  end(partition: number): Promise<bigint>;
}

export interface JournalEntry {
  /** `merchant/orderId`. */
  key: string | null;
  offset: bigint;
  value: Buffer | null;
  headers?: Record<string, string>;
}

/** Reads the journal independently of its owner's follower. */
export interface JournalReader {
  firstKept(partition: number): Promise<bigint>;
  /**
   * Reads the records from `from` up to `until` (exclusive) in offset order, and ends after the last one.
   * @throws where the journal ends before `until` (it was truncated or replaced, R1), or where retention deleted some of them, also during the read
   */
  read(partition: number, from: bigint, until: bigint): AsyncIterable<readonly JournalEntry[]>;
}

/** REDIRECTHTML, kept for republished events. */
export interface RedirectPage {
  orderKey: string;
  commandId: string;
  html: string;
  lifetimeMs: number;
}

/** A change of the index that is written atomically. */
export interface Projection {
  partition: number;
  /** Offset of the last record in the index before and after the change. */
  from: bigint;
  to: bigint;
  /** `recordHash` of the record at `to`. A journal with another record there was replaced (R1). */
  hash: string;
  /** New states; the order of an empty state is removed from the index. */
  orders: OrderState[];
  redirectHtml: RedirectPage[];
}

/** A partition's index during a rebuild. Every call throws MarkerMovedError once another rebuild started or the index was lost again. */
export interface Rebuild {
  /** States that this rebuild wrote before. */
  readAll(orderKeys: string[]): Promise<(OrderState | undefined)[]>;
  /** Also renews the rebuild's lease: without a write for 15 s it may be taken over. */
  write(orders: OrderState[], redirectHtml: RedirectPage[]): Promise<void>;
  /** Writes the marker, which makes the index valid. `hash`: hash of the record there, if the rebuild read it. */
  finish(marker: bigint, hash?: string): Promise<void>;
}

/** Another process moved the marker. Nothing was written, and this owner places anew. */
export class MarkerMovedError extends Error {
  override name = 'MarkerMovedError';
  constructor(
    message: string,
    /** The marker at which the log holds no record. */
    readonly absentAt?: bigint,
  ) {
    super(message);
  }
}

/** The last record that a partition's index holds. */
export interface Mark {
  marker: bigint;
  /** Its `recordHash`, where it is known: the journal must hold the same record there (R10). */
  hash?: string;
}

/** A consistent read of some orders from the index. Without a marker the index is lost or being rebuilt. */
export interface IndexSnapshot extends Partial<Mark> {
  /** In the order of the requested keys; undefined where the index has no such order. */
  orders: (OrderState | undefined)[];
}

/** The projection of the journal that outlives a process. It may be old or lost, but is never ahead of the journal (R7). */
export interface OrderIndex {
  /** State and marker in one read, so that they are consistent. No state without a marker. */
  read(orderKey: string): Promise<{ order?: OrderState; marker?: bigint }>;
  /** Keys of a partition's orders with an open attempt, in one read with the marker. None without a marker. */
  openOrders(partition: number): Promise<{ orderKeys: string[]; marker?: bigint }>;
  /** States of one partition, its marker and the hash of the record there in one read, so that they are consistent. Empty without a marker. */
  readTogether(partition: number, orderKeys: string[]): Promise<IndexSnapshot>;
  /** @throws MarkerMovedError when the index is not at `marker`. */
  readAll(partition: number, marker: bigint, orderKeys: string[]): Promise<(OrderState | undefined)[]>;
  /** @throws MarkerMovedError, and writes nothing, where the index has changed since `readAll` or is not at `from` */
  write(projection: Projection): Promise<void>;
  redirectHtml(orderKey: string, commandId: string): Promise<string | undefined>;
  /** Deletes a marker that this process can't verify. Only for the partition's owner: a process with wrong keys could delete every index. */
  dropUnverified(partition: number): Promise<void>;
  /**
   * Wipes a partition's index to rebuild it; only a finished rebuild writes a marker.
   * @param marker the marker that was read, if any: where another one is stored, nothing is wiped
   * @returns undefined where the marker is another one, or another process rebuilds the index
   */
  beginRebuild(partition: number, marker: bigint | undefined): Promise<Rebuild | undefined>;
}

export interface EventOutlet {
  /** Resolves once all in-sync replicas have every event. After a rejection it is called again with the same events. */
  publish(events: CloudEvent<PaymentEvent>[]): Promise<void>;
}
