import type { Metrics, ServiceLifetime } from '@tranche/service-kit';
import { firstValueFrom, type Subscription } from 'rxjs';
import type { CheckoutConfig } from '../checkout.config.js';
import { OrderStreamController } from './order-stream.controller.js';
import type { OrderService } from './order.service.js';
import type { OrderStore } from './order.store.js';

const stored = {
  version: 1,
  order: { orderId: 'o', amount: 100, items: [], placedAt: '2028-01-31T10:00:00Z', attempts: [] },
};

/** A stream that stays open would keep Jest from ending. */
let stopping = new AbortController();
beforeEach(() => void (stopping = new AbortController()));
afterEach(() => stopping.abort());

function aController(maxStreams: number) {
  const orders = { look: () => Promise.resolve(stored) } as unknown as OrderService;
  const store = { versionOf: () => Promise.resolve(1), find: () => Promise.resolve(stored) } as unknown as OrderStore;
  const config = { maxStreams, maxStreamsPerAddress: 2 } as CheckoutConfig;
  const lifetime = { stopping: stopping.signal } as ServiceLifetime;
  const metrics = { gauge: () => undefined } as unknown as Metrics;
  const controller = new OrderStreamController(orders, store, config, lifetime, metrics);
  const open = async (page: string, ip: string): Promise<Subscription> =>
    (await controller.follow(page, ip)).subscribe();
  const isRefused = async (page: string, ip: string) =>
    expect(firstValueFrom(await controller.follow(page, ip))).rejects.toMatchObject({ status: 503 });
  return { controller, open, isRefused };
}

it('a client that left before its answer is not counted, and one that leaves frees its place', async () => {
  const { controller, open, isRefused } = aController(1);
  for (let n = 0; n < 30; n++) await controller.follow(`page-${n}`, `192.0.2.${n}`);
  const stream = await open('page', '192.0.2.99');
  await isRefused('page', '192.0.2.98');
  stream.unsubscribe();
  await open('page', '192.0.2.98');
});

it('limits the streams of each address separately', async () => {
  const { controller, open, isRefused } = aController(10);
  for (let n = 0; n < 2; n++) await open(`page-${n}`, '192.0.2.1');
  await isRefused('page', '192.0.2.1');
  expect(await firstValueFrom(await controller.follow('page', '192.0.2.2'))).toMatchObject({ id: '1', type: 'order' });
});

it('counts the streams of an IPv6 network together, since a visitor has all its addresses', async () => {
  const { open, isRefused } = aController(10);
  for (let n = 0; n < 2; n++) await open(`page-${n}`, `2001:db8::${n}`);
  await isRefused('page', '2001:db8::2');
  await open('page', '2001:db8:0:1::2');
});
