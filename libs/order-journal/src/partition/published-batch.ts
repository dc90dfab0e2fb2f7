import { orderKey, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import type { JournalEntry, OrderIndex, RedirectPage } from '../journal/ports.js';
import { REDIRECT_HTML_LIFETIME_MS } from '../projection/index-rebuild.js';
import {
  commandTimeOf,
  toCloudEvent,
  withPage,
  withTraceOf,
  type PublishedEvent,
} from '../projection/published-event.js';
import { fold, type Folded } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import type { JournalRecord } from '../state/records.js';
import type { SnapshotMismatch } from '../state/snapshot.js';

/** A record as its owner read it. `folded` is absent where its order was not in memory: it is folded on the index's state. */
export interface ReadRecord {
  readonly offset: bigint;
  readonly headers?: JournalEntry['headers'];
  readonly bytes: number;
  readonly record: JournalRecord;
  readonly hash: string;
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
 * @throws MarkerMovedError where the index is not there
 */
export async function batchOf(
  index: Pick<OrderIndex, 'readAll' | 'redirectHtml'>,
  records: readonly ReadRecord[],
  { partition, next, publishFrom, epoch }: PublishedFrom,
): Promise<PublishedBatch> {
  const orders = await unfoldedOrders(index, records, partition, next);
  const last = records.at(-1)!;
  const batch = { events: [], published: [], redirectHtml: [], mismatches: [] } as Pick<
    PublishedBatch,
    'events' | 'published' | 'redirectHtml' | 'mismatches'
  >;
  for (const { offset, headers, record, hash, folded: known } of records) {
    const key = orderKey(record.merchant, record.orderId);
    const before = orders.get(key) ?? emptyOrder(record.merchant, record.orderId);
    const { order, effects, mismatch } = known ?? fold(before, record, offset, () => hash);
    orders.set(key, order);
    if (mismatch) batch.mismatches.push(mismatch);
    for (const effect of effects) {
      const { redirectHtml: html, commandId = '' } = effect.event.body;
      if (html !== undefined)
        batch.redirectHtml.push({ orderKey: key, commandId, html, lifetimeMs: REDIRECT_HTML_LIFETIME_MS });
      if (offset < publishFrom) continue;
      const body = effect.isRepeat ? await withPage(index, key, effect, batch.redirectHtml) : effect.event;
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
): Promise<Map<string, OrderState>> {
  const isKnown = new Set<string>();
  const keys = new Set<string>();
  for (const { record, folded } of records) {
    const key = orderKey(record.merchant, record.orderId);
    if (folded) isKnown.add(key);
    else if (!isKnown.has(key)) keys.add(key);
  }
  if (keys.size === 0) return new Map();
  const stored = await index.readAll(partition, next - 1n, [...keys]);
  return new Map([...keys].flatMap((key, at) => (stored[at] ? [[key, stored[at]] as const] : [])));
}
