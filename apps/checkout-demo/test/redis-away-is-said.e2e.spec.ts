import { freePorts, waitFor, type RunningApp } from '@tranche/testing';
import { anOrder, post, startShopStack, type ShopStack } from './shop-stack.js';

describe('while Redis is away', () => {
  let stack: ShopStack;
  let shop: RunningApp;
  beforeAll(async () => {
    stack = await startShopStack();
    const [port, managementPort] = await freePorts();
    const settings = {
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      REDIS_URL: 'redis://127.0.0.1:1/0',
    };
    shop = await stack.startShop(settings, { readyPath: '/health/live' });
  }, 200_000);
  afterAll(async () => {
    await shop.stop();
    await stack.stop();
  });

  it('orders are answered 503, the page is there, and the shop says that it is not ready', async () => {
    // It is live before its public port is open.
    const ask = () => post(shop, '/api/orders', anOrder(), { origin: stack.shop.url });
    const answer = await waitFor(ask, { timeoutMs: 30_000, what: 'the public port' });
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'unavailable' }]);
    expect((await fetch(`${shop.url}/orders/${'0'.repeat(32)}/events`)).status).toBe(503);
    expect((await fetch(`${shop.url}/`)).status).toBe(200);
    const ready = await fetch(`${shop.managementUrl}/health/ready`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('redis-orders')]);
  });
});
