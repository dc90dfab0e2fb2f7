import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import type { JournalEntry, OrderIndex, RedirectPage } from '../journal/ports.js';
import { REDIRECT_HTML_LIFETIME_MS } from '../projection/index-rebuild.js';
import {
  commandTimeOf,
  toCloudEvent,
  withPage,
  withTraceOf,
  type PublishedEvent,
} from '../projection/published-event.js';
import { foldStored, named, type StoredRecord } from '../journal/record-fold.js';
import type { Folded } from '../state/fold.js';
import type { OrderState } from '../state/order-state.js';
import type { SnapshotMismatch } from '../state/snapshot.js';

/** A record as its owner read it. `folded` is absent where its order was not in memory: it is folded on the index's state. */
export interface ReadRecord extends StoredRecord {
  readonly headers?: JournalEntry['headers'];
  readonly bytes: number;
  readonly folded?: Folded | undefined;
}

/** Records of one partition as they are published: events first, then the index. */
export interface PublishedBatch {
  readonly to: bigint;
  readonly hash: string;
  readonly orders: OrderState[];
  readonly events: CloudEvent<PaymentEvent>[];
  readonly published: PublishedEvent[];
  readonly redirectHtml: RedirectPage[];
  readonly mismatches: SnapshotMismatch[];
}

type Filled = Omit<PublishedBatch, 'to' | 'hash' | 'orders'>;
type UntilDone = <T>(ask: () => Promise<T>) => Promise<T>;

interface PublishedFrom {
  partition: number;
  /** First record that the index lacks. */
  next: bigint;
  /** Events of records below this offset were acknowledged before. */
  publishFrom: bigint;
  /** The journal's epoch: `sequence` of an event starts with it (R10). */
  epoch?: number | undefined;
}

/**
 * Makes a batch of read records, the first one at `next`. Orders that were not in memory are read from the index at exactly that offset.
 * @param untilDone repeats what is asked of the index while Redis is away; the fold is never repeated
 * @throws MarkerMovedError where the index is not there, EntryUnreadableError where a record can not be folded
 */
export async function batchOf(
  index: Pick<OrderIndex, 'readAll' | 'redirectHtml'>,
  records: readonly ReadRecord[],
  { partition, next, publishFrom, epoch }: PublishedFrom,
  untilDone: UntilDone,
): Promise<PublishedBatch> {
  const unfolded = keysOfUnfolded(records);
  const read = () => index.readAll(partition, next - 1n, unfolded);
  const stored = unfolded.length === 0 ? [] : await untilDone(read);
  const orders = new Map(unfolded.flatMap((key, at) => (stored[at] ? [[key, stored[at]] as const] : [])));
  const last = records.at(-1)!;
  const batch: Filled = { events: [], published: [], redirectHtml: [], mismatches: [] };
  for (const stored of records) {
    const { key, offset, headers, folded } = stored;
    const { order, effects, mismatch } = folded ?? foldStored(orders.get(key), stored);
    orders.set(key, order);
    if (mismatch) batch.mismatches.push(mismatch);
    for (const effect of effects) {
      const { redirectHtml: html, commandId = '' } = effect.event.body;
      if (html !== undefined)
        batch.redirectHtml.push({ orderKey: key, commandId, html, lifetimeMs: REDIRECT_HTML_LIFETIME_MS });
      if (offset < publishFrom) continue;
      const page = () => withPage(index, key, effect, batch.redirectHtml, stored.record.at);
      const body = effect.isRepeat ? await untilDone(page) : effect.event;
      if (body === undefined) continue;
      const event = named(stored, () => withTraceOf(headers, toCloudEvent(order, body, epoch)));
      batch.events.push(event);
      if (!effect.isRepeat) batch.published.push({ event, ...commandTimeOf(headers) });
    }
  }
  return { ...batch, to: last.offset, hash: last.hash, orders: [...orders.values()] };
}

/** The orders whose first record here was not folded when it was read. */
function keysOfUnfolded(records: readonly ReadRecord[]): string[] {
  const isFolded = new Map<string, boolean>();
  for (const { key, folded } of records) if (!isFolded.has(key)) isFolded.set(key, folded !== undefined);
  return [...isFolded].flatMap(([key, isKnown]) => (isKnown ? [] : [key]));
}
