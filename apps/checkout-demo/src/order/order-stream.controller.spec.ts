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

function aController(maxStreams: number) {
  const stopping = new AbortController();
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
  return { controller, open, isRefused, stop: () => stopping.abort() };
}

it('a client that left before its answer is not counted, and one that leaves frees its place', async () => {
  const { controller, open, isRefused, stop } = aController(1);
  for (let n = 0; n < 30; n++) await controller.follow(`page-${n}`, `192.0.2.${n}`);
  const stream = await open('page', '192.0.2.99');
  await isRefused('page', '192.0.2.98');
  stream.unsubscribe();
  await open('page', '192.0.2.98');
  stop();
});

it('limits the streams of each address separately', async () => {
  const { controller, open, isRefused, stop } = aController(10);
  for (let n = 0; n < 2; n++) await open(`page-${n}`, '192.0.2.1');
  await isRefused('page', '192.0.2.1');
  expect(await firstValueFrom(await controller.follow('page', '192.0.2.2'))).toMatchObject({ id: '1', type: 'order' });
  stop();
});
