import { orderKey, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { fold } from './fold.js';
import { rebuildIndex, REDIRECT_HTML_LIFETIME_MS, type RebuildProgress } from './index-rebuild.js';
import { emptyOrder, type OrderState } from './order-state.js';
import {
  JournalLostError,
  MarkerMovedError,
  type EventOutlet,
  type JournalEntry,
  type JournalReader,
  type Log,
  type OrderIndex,
  type RedirectPage,
  type Timing,
} from './ports.js';
import { toCloudEvent } from './projection.js';
import { decodeRecord, recordHash } from './records.js';
import type { Effect } from './transitions.js';

/** Another process rebuilds the partition's index: how often to look whether it has finished. */
const LOOK_AGAIN_MS = 200;

interface Progress {
  /** First record that is not in the index yet: its marker is `next - 1`. */
  next: bigint;
  /** Events of records below were acknowledged before. */
  publishFrom: bigint;
  /** The partition was assigned anew, or to somebody else: what goes on for this assignment must not mix with the next one's. */
  isEnded?: boolean;
}

export interface ProjectorParts {
  index: OrderIndex;
  events: EventOutlet;
  journal: JournalReader;
  timing: Timing;
  logger: Log;
  /** Told of every step of a rebuild. */
  onRebuild?: (progress: RebuildProgress) => void;
}

/**
 * The journal's outbox: folds each partition in order, publishes what its records made known, then moves the index. A crash in
 * between publishes the same events under the same ids once more.
 *
 * An index that is lost, or older than what was written to it, is mended from the journal before anything else is projected (R7).
 */
export class Projector {
  readonly #progress = new Map<number, Progress>();
  readonly #mending = new Map<number, Promise<void>>();
  readonly #projecting = new Set<number>();
  readonly #closing = new AbortController();

  constructor(private readonly parts: ProjectorParts) {}

  /** Partitions whose index is being mended. */
  get mending(): number[] {
    return [...this.#mending.keys()];
  }

  /**
   * Where to begin when a partition is assigned. What the index lacks of the records before is mended from the journal meanwhile.
   * @param committed offset behind the last record whose events were published, if any
   * @param low first offset that the journal keeps
   * @throws JournalLostError where the index is beyond the journal's end (R1)
   */
  async startOffset(partition: number, committed: bigint | undefined, low: bigint): Promise<bigint> {
    const seen = (await this.parts.index.markers()).get(partition);
    // Asked afterwards: others append and project meanwhile.
    const end = await this.parts.journal.end(partition);
    if (seen !== undefined && seen >= end) throw new JournalLostError(partition, seen, end);
    // Once more: between this read and the new progress nothing may happen, or what the assignment before did meanwhile is overlooked.
    const marker = (await this.parts.index.markers()).get(partition);
    const published = committed === undefined || committed < low ? low : committed;
    const next = marker !== undefined && marker >= published ? marker + 1n : published;
    const before = this.#progress.get(partition);
    if (before) before.isEnded = true;
    this.#progress.set(partition, { next, publishFrom: next });
    if (marker === undefined || marker < next - 1n) this.#mendInBackground(partition);
    return next;
  }

  /** Waits while the index is mended. Rejects where the batch must come again. */
  async project(partition: number, entries: readonly JournalEntry[]): Promise<void> {
    const progress = this.#progressOf(partition);
    for (let mending = this.#mending.get(partition); mending; mending = this.#mending.get(partition)) await mending;
    this.#projecting.add(partition);
    try {
      await this.#advance(partition, entries, progress);
    } catch (error) {
      if (!(error instanceof MarkerMovedError)) throw error;
      await this.#mend(partition);
      await this.#advance(partition, entries, progress);
    } finally {
      this.#projecting.delete(partition);
    }
  }

  /** Finds indexes that were lost while no record came; to be called about once a second. */
  async look(): Promise<void> {
    const markers = await this.parts.index.markers();
    for (const [partition, { next }] of this.#progress) {
      const marker = markers.get(partition);
      const isBusy = this.#projecting.has(partition) || this.#mending.has(partition);
      if (!isBusy && (marker === undefined || marker < next - 1n)) this.#mendInBackground(partition);
    }
  }

  /** Rebuilds under way end at their next step; what they built counts for nothing. */
  close(): void {
    this.#closing.abort(new Error('the projector is closing'));
  }

  #progressOf(partition: number): Progress {
    const known = this.#progress.get(partition);
    if (known) return known;
    throw new Error(`Journal partition ${partition} was not assigned`);
  }

  async #advance(partition: number, entries: readonly JournalEntry[], progress: Progress): Promise<void> {
    assertAssigned(partition, progress);
    const { next, publishFrom } = progress;
    const fresh = entries.filter(({ offset }) => offset >= next);
    const last = fresh.at(-1);
    if (last === undefined) return;
    const orders = await this.#ordersOf(partition, next - 1n, fresh);
    const events: CloudEvent<PaymentEvent>[] = [];
    const redirectHtml: RedirectPage[] = [];
    for (const { offset, value, headers } of fresh) {
      const record = decodeRecord(value);
      const key = orderKey(record.merchant, record.orderId);
      const folded = fold(orders.get(key) ?? emptyOrder(record.merchant, record.orderId), record, offset);
      orders.set(key, folded.order);
      for (const effect of folded.effects) {
        const { redirectHtml: html, commandId = '' } = effect.event.body;
        if (html !== undefined) redirectHtml.push({ orderKey: key, commandId, html, lifetimeMs: REDIRECT_HTML_LIFETIME_MS });
        if (offset >= publishFrom)
          events.push(withTraceOf(headers, toCloudEvent(folded.order, partition, await this.#whole(key, effect, redirectHtml))));
      }
    }
    assertAssigned(partition, progress);
    await this.parts.events.publish(events);
    assertAssigned(partition, progress);
    // Should the index not take it, the batch comes again, and its events need not.
    progress.publishFrom = later(publishFrom, last.offset + 1n);
    const moved = { partition, from: next - 1n, to: last.offset, hash: recordHash(last.value) };
    await this.parts.index.write({ ...moved, orders: [...orders.values()], redirectHtml });
    progress.next = last.offset + 1n;
  }

  async #ordersOf(partition: number, marker: bigint, entries: readonly JournalEntry[]): Promise<Map<string, OrderState>> {
    const keys = [...new Set(entries.map(({ key }) => key ?? ''))];
    const stored = await this.parts.index.readAll(partition, marker, keys);
    return new Map(keys.flatMap((key, at) => (stored[at] ? [[key, stored[at]] as const] : [])));
  }

  /** A repeated redirect gets its REDIRECTHTML back while that is kept. */
  async #whole(key: string, { event, isRepeat }: Effect, ofThisBatch: RedirectPage[]): Promise<Effect['event']> {
    const wantsHtml = event.type.endsWith('.redirect_required') || event.body.outcome === 'redirect_required';
    if (!isRepeat || !wantsHtml) return event;
    const { commandId = '' } = event.body;
    const isOurs = (page: RedirectPage) => page.orderKey === key && page.commandId === commandId;
    const html = ofThisBatch.find(isOurs)?.html ?? (await this.parts.index.redirectHtml(key, commandId));
    return { ...event, body: { ...event.body, ...(html === undefined ? { redirectHtmlDropped: true } : { redirectHtml: html }) } };
  }

  #mendInBackground(partition: number): void {
    this.#mend(partition).catch((error: unknown) => {
      if (!this.#closing.signal.aborted)
        this.parts.logger.warn({ err: error, partition }, 'The index could not be mended; it will be tried again');
    });
  }

  /** One at a time for a partition. Resolves when the index is where this projector goes on. */
  #mend(partition: number): Promise<void> {
    const running = this.#mending.get(partition);
    if (running) return running;
    const mending = this.#mendOnce(partition).finally(() => this.#mending.delete(partition));
    this.#mending.set(partition, mending);
    return mending;
  }

  async #mendOnce(partition: number): Promise<void> {
    const { index, journal, timing, logger } = this.parts;
    const progress = this.#progressOf(partition);
    for (;;) {
      this.#closing.signal.throwIfAborted();
      const marker = (await index.markers()).get(partition);
      if (marker !== undefined && marker >= progress.next - 1n) {
        // At least where it was; where it is further, another projector was.
        progress.next = later(progress.next, marker + 1n);
        progress.publishFrom = later(progress.publishFrom, marker + 1n);
        return;
      }
      const firstKept = await journal.firstKept(partition);
      if (marker !== undefined && marker + 1n >= firstKept) {
        await this.#catchUp(partition, marker + 1n, progress.next);
        continue;
      }
      if (firstKept < progress.next)
        logger.warn({ partition, records: Number(progress.next - firstKept) }, 'The index is lost and is built anew from the journal');
      if (!(await this.#rebuild(partition, marker, progress.next))) await timing.sleep(LOOK_AGAIN_MS, this.#closing.signal);
    }
  }

  /** Redis came back with an older index, which is a consistent one: only what it lacks is projected again, and not published. */
  async #catchUp(partition: number, from: bigint, until: bigint): Promise<void> {
    this.parts.logger.warn({ partition, records: Number(until - from) }, 'The index is older than it was and catches up');
    const progress = { next: from, publishFrom: until };
    try {
      for await (const entries of this.parts.journal.read(partition, from, until)) await this.#advance(partition, entries, progress);
    } catch (error) {
      if (!(error instanceof MarkerMovedError)) throw error;
    }
  }

  async #rebuild(partition: number, marker: bigint | undefined, until: bigint): Promise<boolean> {
    try {
      return await rebuildIndex({ ...this.parts, onRebuild: (progress) => this.#afterStep(progress) }, { partition, marker, until });
    } catch (error) {
      // Another one took over, or the index was lost once more.
      if (error instanceof MarkerMovedError) return false;
      throw error;
    }
  }

  #afterStep(progress: RebuildProgress): void {
    this.parts.onRebuild?.(progress);
    this.#closing.signal.throwIfAborted();
  }
}

function assertAssigned(partition: number, { isEnded }: Progress): void {
  if (isEnded) throw new Error(`Journal partition ${partition} was assigned anew: this batch is the next assignment's`);
}

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);

function withTraceOf(headers: Record<string, string> = {}, event: CloudEvent<PaymentEvent>): CloudEvent<PaymentEvent> {
  const { traceparent, tracestate } = headers;
  return { ...event, ...(traceparent === undefined ? {} : { traceparent }), ...(tracestate === undefined ? {} : { tracestate }) };
}
