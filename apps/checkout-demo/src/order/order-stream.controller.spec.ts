import type { ServerResponse } from 'node:http';
import type { ServiceLogger } from '@tranche/service-kit';
import type { CheckoutConfig } from '../checkout.config.js';
import { OrderStreamController, type StreamSurroundings } from './order-stream.controller.js';
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
  const around = {
    metrics: { gauge: () => undefined },
    lifetime: { stopping: stopping.signal },
  } as unknown as StreamSurroundings;
  return {
    controller: new OrderStreamController(orders, store, config, {} as ServiceLogger, around),
    stop: () => stopping.abort(),
  };
}

/** Double of a browser's connection. With `gone` it was closed, and emitted its close event, before the controller listened. */
function aReply({ gone }: { gone: boolean }) {
  const raw = {
    destroyed: gone,
    writableLength: 0,
    writeHead: () => raw,
    write: () => true,
    end: () => raw,
    once: () => raw,
  };
  return { getHeaders: () => ({}), hijack: () => undefined, raw: raw as unknown as ServerResponse };
}

it('a client that left before its answer is not counted', async () => {
  const { controller, stop } = aController(1);
  for (let n = 0; n < 30; n++) await controller.follow(`page-${n}`, { ip: `192.0.2.${n}` }, aReply({ gone: true }));
  await controller.follow('page', { ip: '192.0.2.99' }, aReply({ gone: false }));
  await expect(controller.follow('page', { ip: '192.0.2.98' }, aReply({ gone: false }))).rejects.toMatchObject({
    status: 503,
  });
  stop();
});

it('limits the streams of each address separately', async () => {
  const { controller, stop } = aController(10);
  for (let n = 0; n < 2; n++) await controller.follow(`page-${n}`, { ip: '192.0.2.1' }, aReply({ gone: false }));
  await expect(controller.follow('page', { ip: '192.0.2.1' }, aReply({ gone: false }))).rejects.toMatchObject({
    status: 503,
  });
  await expect(controller.follow('page', { ip: '192.0.2.2' }, aReply({ gone: false }))).resolves.toBeUndefined();
  stop();
});
