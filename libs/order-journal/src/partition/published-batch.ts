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
import { foldStored, keyOf, type StoredRecord } from '../journal/record-fold.js';
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

export interface PublishedFrom {
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
  untilDone: <T>(ask: () => Promise<T>) => Promise<T>,
): Promise<PublishedBatch> {
  const orders = await unfoldedOrders(index, records, partition, next, untilDone);
  const last = records.at(-1)!;
  const batch = { events: [], published: [], redirectHtml: [], mismatches: [] } as Pick<
    PublishedBatch,
    'events' | 'published' | 'redirectHtml' | 'mismatches'
  >;
  for (const stored of records) {
    const { offset, headers, folded } = stored;
    const key = keyOf(stored.record);
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
      const event = withTraceOf(headers, toCloudEvent(order, body, epoch));
      batch.events.push(event);
      if (!effect.isRepeat) batch.published.push({ event, ...commandTimeOf(headers) });
    }
  }
  return { ...batch, to: last.offset, hash: last.hash, orders: [...orders.values()] };
}

async function unfoldedOrders(
  index: Pick<OrderIndex, 'readAll'>,
  records: readonly ReadRecord[],
  partition: number,
  next: bigint,
  untilDone: <T>(ask: () => Promise<T>) => Promise<T>,
): Promise<Map<string, OrderState>> {
  const isKnown = new Set<string>();
  const keys = new Set<string>();
  for (const { record, folded } of records) {
    const key = keyOf(record);
    if (folded) isKnown.add(key);
    else if (!isKnown.has(key)) keys.add(key);
  }
  if (keys.size === 0) return new Map();
  const stored = await untilDone(() => index.readAll(partition, next - 1n, [...keys]));
  return new Map([...keys].flatMap((key, at) => (stored[at] ? [[key, stored[at]] as const] : [])));
}
