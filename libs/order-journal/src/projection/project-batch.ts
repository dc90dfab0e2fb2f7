import { orderKey, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { fold } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { recordHash } from '../state/records.js';
import type { Effect } from '../state/history.js';
import { decodeRecord } from '../state/versions.js';
import { REDIRECT_HTML_LIFETIME_MS } from './index-rebuild.js';
import type { EventOutlet, JournalEntry, OrderIndex, RedirectPage } from '../journal/ports.js';
import { toCloudEvent } from './published-event.js';

/** Progress of one assignment of a partition, or of one restoration of its index. */
export interface Progress {
  /** First record that the index lacks: its marker is `next - 1`. */
  next: bigint;
  /** Events of records below this offset were acknowledged before. */
  publishFrom: bigint;
  /** @throws where this progress may not publish or write, now or any more */
  assertCurrent(): void;
  /** Waits until a write is allowed. @throws once no write is allowed any more */
  settled(): Promise<void>;
}

/** An event that was acknowledged for the first time, as far as its projector knows. */
export interface PublishedEvent {
  event: CloudEvent<PaymentEvent>;
  /** Broker time of the command that caused it, milliseconds since the epoch; absent where a timer, a person or a notification caused it. */
  commandTimeMs?: number;
}

/** Header of a journal record: broker time of its command, milliseconds since the epoch. The fold does not use it. */
export const COMMAND_TIME_HEADER = 'commandtime';

export interface BatchParts {
  index: Pick<OrderIndex, 'readAll' | 'write' | 'redirectHtml'>;
  events: EventOutlet;
  /** The journal's epoch: `sequence` of an event starts with it (R10). Default: 0. */
  epoch?: number;
  /** Called with published events, without repeats. */
  onPublished?: (published: readonly PublishedEvent[]) => void;
}

/** Folds a batch onto the index, publishes its events, and moves the index. @throws MarkerMovedError where the index is not at `next - 1` */
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
  // Checked after the publish and before the write, because a retried batch would publish its events twice.
  await progress.settled();
  // If the write fails, the batch is retried without publishing its events again.
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
  return new Map(keys.flatMap((key, index) => (stored[index] ? [[key, stored[index]] as const] : [])));
}

/** Adds REDIRECTHTML to a republished redirect, within its retention. */
export async function withPage(
  index: Pick<OrderIndex, 'redirectHtml'>,
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

export function commandTimeOf(headers: Record<string, string> = {}): { commandTimeMs?: number } {
  const commandTimeMs = Number(headers[COMMAND_TIME_HEADER]);
  return Number.isSafeInteger(commandTimeMs) ? { commandTimeMs } : {};
}

export function withTraceOf(
  headers: Record<string, string> = {},
  event: CloudEvent<PaymentEvent>,
): CloudEvent<PaymentEvent> {
  const { traceparent, tracestate } = headers;
  return {
    ...event,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}
