import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { encodeRecord, RULES_VERSION, type JournalRecord, type OrderState } from '@tranche/order-journal';
import { Health, type ServiceLogger } from '@tranche/service-kit';
import type { EventsProducer } from '../events.producer.js';
import type { JournalTopic } from './journal-topic.producer.js';
import { MarkerMovedError, type OrderIndexStore, type Projection } from './order-index.store.js';
import { ProjectionService } from './projection.service.js';

const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: 'h' } as const;
const intent: JournalRecord = { record: 'INTENT', ...inOrder, commandId: 'a', attempt: 1, token: 't', tag: 'x', ...terms };
const redirect: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'redirect' },
  answer: { redirectHtml: 'PGE+' },
};
const repeated: JournalRecord = { record: 'REPEATED', ...inOrder, commandId: 'a' };

function recordsOf(first: bigint, ...records: JournalRecord[]): ConsumedRecord[] {
  const shared = { topic: 'payments.journal.v1', partition: 3, key: 'shop-fr/o', rawKey: null, timestampMs: 0 };
  return records.map((record, index) => ({
    ...shared,
    offset: first + BigInt(index),
    value: encodeRecord(record),
    headers: { traceparent: '00-a-b-01' },
  }));
}

/** Redis in memory, with the marker's compare-and-set. */
class IndexInMemory {
  marker: bigint | undefined;
  orders = new Map<string, OrderState>();
  html = new Map<string, string>();
  writesFail = false;

  markers = () => Promise.resolve(this.marker === undefined ? new Map<number, bigint>() : new Map([[3, this.marker]]));
  readAll(_partition: number, marker: bigint | undefined, keys: string[]): Promise<(OrderState | undefined)[]> {
    if (marker !== this.marker) return Promise.reject(new MarkerMovedError('moved'));
    return Promise.resolve(keys.map((key) => this.orders.get(key)));
  }
  write({ from, to, orders }: Projection): Promise<void> {
    if (this.writesFail) return Promise.reject(new Error('Redis is full'));
    if (from !== this.marker) return Promise.reject(new MarkerMovedError('moved'));
    for (const order of orders) this.orders.set(`${order.merchant}/${order.orderId}`, order);
    this.marker = to;
    return Promise.resolve();
  }
  redirectHtml = (_key: string, commandId: string) => Promise.resolve(this.html.get(commandId));
  lose(): void {
    this.marker = undefined;
    this.orders.clear();
  }
}

function projection() {
  const index = new IndexInMemory();
  const published: CloudEvent<PaymentEvent>[] = [];
  const health = new Health();
  const log = { warn: () => undefined, error: () => undefined } as unknown as ServiceLogger;
  const journal = { offsets: () => Promise.resolve(new Map([[3, { low: 0n, high: 9n }]])) } as unknown as JournalTopic;
  const events = {
    publish: (batch: CloudEvent<PaymentEvent>[]) => Promise.resolve(void published.push(...batch)),
  } as unknown as EventsProducer;
  return { index, published, health, service: new ProjectionService(journal, index as unknown as OrderIndexStore, events, log, health) };
}
const typesOf = (published: CloudEvent<PaymentEvent>[]) => published.map(({ type }) => type.replace('payment.', ''));

it('publishes what the records made known, then moves the index', async () => {
  const { index, published, service } = projection();
  expect(await service.startOffset(3, undefined)).toBe(0n);
  await service.project(3, recordsOf(0n, intent, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
  expect(published[0]).toMatchObject({ subject: 'shop-fr/o', sequence: '0000000000000000001', causationid: 'a', traceparent: '00-a-b-01' });
});

it('gives a repeat its REDIRECTHTML though the page came in the same batch', async () => {
  const { published, service } = projection();
  await service.startOffset(3, undefined);
  await service.project(3, recordsOf(0n, intent, redirect, repeated));
  expect(published[1]).toEqual(published[0]);
  expect(published[1]?.data.redirectHtml).toBe('PGE+');
});

it('publishes nothing on top of an index that lost what it held, and is not live any more', async () => {
  const { index, published, health, service } = projection();
  await service.startOffset(3, undefined);
  await service.project(3, recordsOf(0n, intent));
  index.lose();
  await expect(service.project(3, recordsOf(1n, redirect))).rejects.toThrow();
  await expect(service.project(3, recordsOf(1n, redirect))).rejects.toThrow('restart this service');
  expect(published).toEqual([]);
  expect(health.notLive().map(({ name }) => name)).toEqual(['projection']);
});

it('goes on behind another projector that was further', async () => {
  const { index, published, service } = projection();
  await service.startOffset(3, undefined);
  await service.project(3, recordsOf(0n, intent));
  index.marker = 1n;
  await expect(service.project(3, recordsOf(1n, redirect))).rejects.toThrow('moved');
  await service.project(3, recordsOf(1n, redirect));
  expect(published).toEqual([]);
});

it('publishes a batch once though the index did not take it at first', async () => {
  const { index, published, service } = projection();
  await service.startOffset(3, undefined);
  index.writesFail = true;
  await expect(service.project(3, recordsOf(0n, intent, redirect))).rejects.toThrow('Redis is full');
  index.writesFail = false;
  await service.project(3, recordsOf(0n, intent, redirect));
  expect([typesOf(published), index.marker]).toEqual([['authorize.redirect_required'], 1n]);
});

it('rebuilds an empty index from the journal and publishes again only what was not acknowledged', async () => {
  const { published, index, service } = projection();
  expect(await service.startOffset(3, 1n)).toBe(0n);
  await service.project(3, recordsOf(0n, intent, redirect));
  expect([typesOf(published), index.orders.size]).toEqual([['authorize.redirect_required'], 1]);
  const again = projection();
  await again.service.startOffset(3, 2n);
  await again.service.project(3, recordsOf(0n, intent, redirect));
  expect(again.published).toEqual([]);
});
