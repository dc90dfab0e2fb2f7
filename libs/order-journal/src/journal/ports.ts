import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import type { TraceHeaders } from '@tranche/runtime';
import type { OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';

export interface JournalLog {
  /** Resolves with the record's offset once all replicas have it. After a rejection it may still have landed. */
  append(record: JournalRecord, trace?: TraceHeaders): Promise<bigint>;
  /** Offset of the partition's next record, asked for after this was called. */
  end(partition: number): Promise<bigint>;
}

/** A journal record as it was read from its partition. */
export interface JournalEntry {
  /** `merchant/orderId`. */
  key: string | null;
  offset: bigint;
  value: Buffer | null;
  headers?: Record<string, string>;
}

/** Reads the journal anew, apart from the consumer group and from the tail. */
export interface JournalReader {
  /** First offset of the partition that is still kept. */
  firstKept(partition: number): Promise<bigint>;
  /** Offset of the partition's next record. */
  end(partition: number): Promise<bigint>;
  /**
   * The records from `from` up to `until`, which is left out, in offset order; ends after the last one.
   * @throws where the journal ends before `until`: it was lost or replaced (R1); where some of them were deleted, also while they are read.
   */
  read(partition: number, from: bigint, until: bigint): AsyncIterable<readonly JournalEntry[]>;
}

/** REDIRECTHTML, kept for repeats of its event. */
export interface RedirectPage {
  orderKey: string;
  commandId: string;
  html: string;
  lifetimeMs: number;
}

/** What the projector moves in the index at once: all of it, or nothing. */
export interface Projection {
  partition: number;
  /** Offset of the last record in the index before, and after. */
  from: bigint;
  to: bigint;
  /** `recordHash` of the record at `to`: a journal that holds another one there was replaced (R1). */
  hash: string;
  /** New states; the order of an empty one leaves the index. */
  orders: OrderState[];
  redirectHtml: RedirectPage[];
}

/**
 * A partition's index while it is built anew. It has no marker, so no process reads it.
 * Every call but `finish` throws MarkerMovedError once another rebuild began, or the index was lost once more; `finish` too.
 */
export interface Rebuild {
  /** States that this rebuild wrote before. */
  readAll(orderKeys: string[]): Promise<(OrderState | undefined)[]>;
  /** Also says that the rebuild goes on: one that was silent for 15 s may be taken over. */
  write(orders: OrderState[], redirectHtml: RedirectPage[]): Promise<void>;
  /** Creates the marker: from here on the index counts. `hash`: of the record there, if the rebuild read it. */
  finish(marker: bigint, hash?: string): Promise<void>;
}

/** Another process moved the marker: nothing was written, this one is not the projector of the partition any more. */
export class MarkerMovedError extends Error {
  override name = 'MarkerMovedError';
}

/** The last record that the index of a partition holds. */
export interface Mark {
  marker: bigint;
  /** Its `recordHash`, where it is known: the journal must hold the same record there (R10). */
  hash?: string;
}

/** What the index holds of some orders at one moment. */
export interface IndexSnapshot {
  /** Offset of the last record that the index holds; absent while it is lost or being built. */
  marker?: bigint;
  /** `recordHash` of the record at the marker, where it is known. */
  hash?: string;
  /** In the order of the keys that were asked for; undefined where the index has no such order. */
  orders: (OrderState | undefined)[];
}

/** The projection of the journal that outlives a process; it may be old, or lost, but is never ahead of the journal (R7). */
export interface OrderIndex {
  /** Offset of the last journal record that the index holds, per partition; none where it was never built or is lost. */
  markers(): Promise<Map<number, bigint>>;
  /** The same with the hash of the record there. */
  marks(): Promise<Map<number, Mark>>;
  /** State and marker in one read, so that they belong together. No state without a marker. */
  read(orderKey: string): Promise<{ order?: OrderState; marker?: bigint }>;
  /** Keys of a partition's orders that had an attempt open when the marker was written, in one read with it. None without a marker. */
  openOrders(partition: number): Promise<{ orderKeys: string[]; marker?: bigint }>;
  /** States of one partition, its marker and the hash of the record there in one read, so that they belong together. Nothing without a marker. */
  readTogether(partition: number, orderKeys: string[]): Promise<IndexSnapshot>;
  /** @throws MarkerMovedError when the index is not at `marker`. */
  readAll(partition: number, marker: bigint, orderKeys: string[]): Promise<(OrderState | undefined)[]>;
  /** On top of what `readAll` read. @throws MarkerMovedError and writes nothing when the index is another one by now, or not at `from`. */
  write(projection: Projection): Promise<void>;
  /**
   * Replaces states at an unchanged marker; the order of an empty one leaves the index. Whatever was read before counts for nothing any more:
   * a write that rests on it is refused.
   * @throws MarkerMovedError and writes nothing when the index is not at `marker`
   */
  replace(partition: number, marker: bigint, orders: OrderState[]): Promise<void>;
  redirectHtml(orderKey: string, commandId: string): Promise<string | undefined>;
  /** Whether the partition has a marker that this process can't verify. Then `markers` has none, and the index may be whole all the same. */
  isUnverified(partition: number): Promise<boolean>;
  /**
   * Takes away a marker that this process can't verify, so that the index is built anew. For the process that projects the partition and for no
   * other: one whose keys are wrong would else delete the index of all.
   */
  dropUnverified(partition: number): Promise<void>;
  /**
   * Wipes a partition's index to build it anew; only a finished rebuild creates a marker.
   * @param marker the marker that was seen, if any: where another one is stored nothing is wiped
   * @returns undefined where the marker is another one, or another process is at it
   */
  beginRebuild(partition: number, marker: bigint | undefined): Promise<Rebuild | undefined>;
}

export interface EventOutlet {
  /** Resolves once all replicas have every event; repeated with the same events after a rejection. */
  publish(events: CloudEvent<PaymentEvent>[]): Promise<void>;
}
