import { orderKey, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { fold } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { recordHash } from '../state/records.js';
import type { Effect } from '../state/history.js';
import { decodeRecord } from '../state/versions.js';
import { REDIRECT_HTML_LIFETIME_MS } from './index-rebuild.js';
import type { EventOutlet, JournalEntry, OrderIndex, RedirectPage } from '../journal/ports.js';
import { toCloudEvent } from './published-event.js';

/** How far one assignment of a partition, or one restoration of its index, has come. */
export interface Progress {
  /** First record that is not in the index yet: its marker is `next - 1`. */
  next: bigint;
  /** Events of records below were acknowledged before. */
  publishFrom: bigint;
  /** @throws where nothing may be published or written on behalf of this progress, now or any more */
  assertCurrent(): void;
  /** Waits until something may be written. @throws once nothing may any more */
  settled(): Promise<void>;
}

/** An event that was acknowledged for the first time, as far as its projector knows. */
export interface PublishedEvent {
  event: CloudEvent<PaymentEvent>;
  /** When Kafka had the command that brought it about, milliseconds since the epoch; absent for what a timer, a person or a notification did. */
  commandTimeMs?: number;
}

/** Header of a journal record: when Kafka had the command behind it. Milliseconds since the epoch. No part of what is folded. */
export const COMMAND_TIME_HEADER = 'commandtime';

export interface BatchParts {
  index: Pick<OrderIndex, 'readAll' | 'write' | 'redirectHtml'>;
  events: EventOutlet;
  /** Of the journal: `sequence` of an event begins with it (R10). Absent: 0. */
  epoch?: number;
  /** Told of events that were published, without repeats. */
  onPublished?: (published: readonly PublishedEvent[]) => void;
}

/** Folds a batch onto the index, publishes what it made known, and moves the index. @throws MarkerMovedError where the index is not at `next - 1`. */
export async function projectBatch(
  { index, events: outlet, epoch, onPublished }: BatchParts,
  partition: number,
  entries: readonly JournalEntry[],
  progress: Progress,
): Promise<void> {
  progress.assertCurrent();
  const { next, publishFrom } = progress;
  const fresh = entries.filter(({ offset }) => offset >= next);
  const last = fresh.at(-1);
  if (last === undefined) return;
  const orders = await ordersOf(index, partition, next - 1n, fresh);
  const events: CloudEvent<PaymentEvent>[] = [];
  const published: PublishedEvent[] = [];
  const redirectHtml: RedirectPage[] = [];
  for (const { offset, value, headers } of fresh) {
    const record = decodeRecord(value);
    const key = orderKey(record.merchant, record.orderId);
    const before = orders.get(key) ?? emptyOrder(record.merchant, record.orderId);
    const folded = fold(before, record, offset, () => recordHash(value));
    orders.set(key, folded.order);
    for (const effect of folded.effects) {
      const { redirectHtml: html, commandId = '' } = effect.event.body;
      if (html !== undefined)
        redirectHtml.push({ orderKey: key, commandId, html, lifetimeMs: REDIRECT_HTML_LIFETIME_MS });
      if (offset < publishFrom) continue;
      const event = withTraceOf(
        headers,
        toCloudEvent(folded.order, await withPage(index, key, effect, redirectHtml), epoch),
      );
      events.push(event);
      if (!effect.isRepeat) published.push({ event, ...commandTimeOf(headers) });
    }
  }
  progress.assertCurrent();
  await outlet.publish(events);
  if (published.length > 0) onPublished?.(published);
  // A batch that came again would publish its events twice.
  await progress.settled();
  // Should the index not take it, the batch comes again, and its events need not.
  progress.publishFrom = later(publishFrom, last.offset + 1n);
  const moved = { partition, from: next - 1n, to: last.offset, hash: recordHash(last.value) };
  await index.write({ ...moved, orders: [...orders.values()], redirectHtml });
  progress.next = last.offset + 1n;
}

export const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);

async function ordersOf(
  index: BatchParts['index'],
  partition: number,
  marker: bigint,
  entries: readonly JournalEntry[],
): Promise<Map<string, OrderState>> {
  const keys = [...new Set(entries.map(({ key }) => key ?? ''))];
  const stored = await index.readAll(partition, marker, keys);
  return new Map(keys.flatMap((key, at) => (stored[at] ? [[key, stored[at]] as const] : [])));
}

/** A repeated redirect gets its REDIRECTHTML back while that is kept. */
async function withPage(
  index: BatchParts['index'],
  key: string,
  { event, isRepeat }: Effect,
  ofThisBatch: RedirectPage[],
): Promise<Effect['event']> {
  const wantsHtml = event.type.endsWith('.redirect_required') || event.body.outcome === 'redirect_required';
  if (!isRepeat || !wantsHtml) return event;
  const { commandId = '' } = event.body;
  const isOurs = (page: RedirectPage) => page.orderKey === key && page.commandId === commandId;
  const html = ofThisBatch.find(isOurs)?.html ?? (await index.redirectHtml(key, commandId));
  return {
    ...event,
    body: { ...event.body, ...(html === undefined ? { redirectHtmlDropped: true } : { redirectHtml: html }) },
  };
}

function commandTimeOf(headers: Record<string, string> = {}): { commandTimeMs?: number } {
  const commandTimeMs = Number(headers[COMMAND_TIME_HEADER]);
  return Number.isSafeInteger(commandTimeMs) ? { commandTimeMs } : {};
}

function withTraceOf(headers: Record<string, string> = {}, event: CloudEvent<PaymentEvent>): CloudEvent<PaymentEvent> {
  const { traceparent, tracestate } = headers;
  return {
    ...event,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}
