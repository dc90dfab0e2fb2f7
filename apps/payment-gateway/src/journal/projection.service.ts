import { Injectable } from '@nestjs/common';
import { orderKey, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { decodeRecord, emptyOrder, fold, toCloudEvent, type Effect, type OrderState } from '@tranche/order-journal';
import { Health, ServiceLogger } from '@tranche/service-kit';
import { EventsProducer } from '../events.producer.js';
import { JournalTopic } from './journal-topic.producer.js';
import { MarkerMovedError, OrderIndexStore, type Projection } from './order-index.store.js';

interface Progress {
  /** Offset of the last record that the index holds. */
  marker: bigint | undefined;
  /** Events of records below were acknowledged before: a rebuild of the index does not publish them again. */
  publishFrom: bigint;
}

/**
 * The journal's outbox: folds each partition in order, publishes what its records made known, then moves the index. A crash in
 * between publishes the same events under the same ids once more.
 */
@Injectable()
export class ProjectionService {
  readonly #progress = new Map<number, Progress>();
  #lost?: string;

  constructor(
    private readonly journal: JournalTopic,
    private readonly index: OrderIndexStore,
    private readonly events: EventsProducer,
    private readonly log: ServiceLogger,
    health: Health,
  ) {
    health.addLiveness('projection', () => this.#lost);
  }

  /** Where to begin when a partition is assigned: behind the index's marker, or at the journal's beginning to build it anew. */
  async startOffset(partition: number, committed: bigint | undefined): Promise<bigint> {
    const marker = (await this.index.markers()).get(partition);
    this.#progress.set(partition, { marker, publishFrom: committed ?? 0n });
    if (marker !== undefined) return marker + 1n;
    const low = (await this.journal.offsets()).get(partition)?.low ?? 0n;
    if (committed !== undefined && committed > low)
      this.log.warn({ partition, from: low, to: committed }, 'The index is empty and is being rebuilt from the journal');
    return low;
  }

  async project(partition: number, records: ConsumedRecord[]): Promise<void> {
    if (this.#lost !== undefined) throw new Error(this.#lost);
    try {
      await this.#projectFresh(partition, records);
    } catch (error) {
      if (error instanceof MarkerMovedError) await this.#lookAgain(partition, error);
      throw error;
    }
  }

  async #projectFresh(partition: number, records: ConsumedRecord[]): Promise<void> {
    const progress = this.#progress.get(partition) ?? { marker: undefined, publishFrom: 0n };
    const fresh = records.filter(({ offset }) => progress.marker === undefined || offset > progress.marker);
    const last = fresh.at(-1);
    if (last === undefined) return;
    const orders = await this.#ordersOf(partition, progress.marker, fresh);
    const events: CloudEvent<PaymentEvent>[] = [];
    const redirectHtml: Projection['redirectHtml'] = [];
    for (const { offset, value, headers } of fresh) {
      const record = decodeRecord(value);
      const key = orderKey(record.merchant, record.orderId);
      const folded = fold(orders.get(key) ?? emptyOrder(record.merchant, record.orderId), record, offset);
      orders.set(key, folded.order);
      for (const effect of folded.effects) {
        const { redirectHtml: html, commandId = '' } = effect.event.body;
        if (html !== undefined) redirectHtml.push({ orderKey: key, commandId, html });
        if (offset >= progress.publishFrom)
          events.push(withTraceOf(headers, toCloudEvent(folded.order, partition, await this.#whole(key, effect, redirectHtml))));
      }
    }
    await this.events.publish(events);
    // Should the index not take it, the batch comes again, and its events need not.
    const published = { ...progress, publishFrom: last.offset + 1n };
    this.#progress.set(partition, published);
    await this.index.write({ partition, from: progress.marker, to: last.offset, orders: [...orders.values()], redirectHtml });
    this.#progress.set(partition, { ...published, marker: last.offset });
  }

  async #ordersOf(partition: number, marker: bigint | undefined, records: ConsumedRecord[]): Promise<Map<string, OrderState>> {
    const keys = [...new Set(records.map(({ key }) => key ?? ''))];
    const stored = await this.index.readAll(partition, marker, keys);
    return new Map(keys.flatMap((key, at) => (stored[at] ? [[key, stored[at]] as const] : [])));
  }

  /** A repeated redirect gets its REDIRECTHTML back while that is kept. */
  async #whole(key: string, { event, isRepeat }: Effect, ofThisBatch: Projection['redirectHtml']): Promise<Effect['event']> {
    const wantsHtml = event.type.endsWith('.redirect_required') || event.body.outcome === 'redirect_required';
    if (!isRepeat || !wantsHtml) return event;
    const { commandId = '' } = event.body;
    const isOurs = (page: Projection['redirectHtml'][number]) => page.orderKey === key && page.commandId === commandId;
    const html = ofThisBatch.find(isOurs)?.html ?? (await this.index.redirectHtml(key, commandId));
    return { ...event, body: { ...event.body, ...(html === undefined ? { redirectHtmlDropped: true } : { redirectHtml: html }) } };
  }

  /** Another projector was further: go on behind it. The index was lost: fail closed, a restart rebuilds it from the journal (R7). */
  async #lookAgain(partition: number, moved: MarkerMovedError): Promise<void> {
    const progress = this.#progress.get(partition);
    const marker = (await this.index.markers()).get(partition);
    if (progress && marker !== undefined && (progress.marker === undefined || marker > progress.marker)) {
      this.#progress.set(partition, { ...progress, marker });
      return;
    }
    this.#lost = `${moved.message}: the index lost what it held and must be rebuilt; restart this service`;
    this.log.error({ partition, marker }, this.#lost);
  }
}

function withTraceOf(headers: Record<string, string>, event: CloudEvent<PaymentEvent>): CloudEvent<PaymentEvent> {
  const { traceparent, tracestate } = headers;
  return { ...event, ...(traceparent === undefined ? {} : { traceparent }), ...(tracestate === undefined ? {} : { tracestate }) };
}
