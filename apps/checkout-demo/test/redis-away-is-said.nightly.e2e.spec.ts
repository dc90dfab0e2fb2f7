import { waitFor } from '@tranche/testing';
import { anOrder, joinShopStage, post, type Shop, type ShopStack } from './shop-stack.js';

describe('while Redis is away', () => {
  let stack: ShopStack;
  let shop: Shop;
  beforeAll(async () => {
    stack = await joinShopStage();
    shop = await stack.startShop({ REDIS_URL: 'redis://127.0.0.1:1/0' }, { readyPath: '/health/live' });
  }, 200_000);
  afterAll(async () => {
    await shop.stop();
    await stack.stop();
  });

  it('orders are answered 503, the page is there, and the shop says that it is not ready', async () => {
    // The shop is live before its public port is open.
    const ask = () => post(shop, '/api/orders', anOrder());
    const answer = await waitFor(ask, { timeoutMs: 30_000, what: 'the public port' });
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'unavailable' }]);
    expect((await fetch(`${shop.url}/orders/${'0'.repeat(32)}/events`)).status).toBe(503);
    expect((await fetch(`${shop.url}/`)).status).toBe(200);
    const ready = await fetch(`${shop.managementUrl}/health/ready`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('redis-orders')]);
  });
});
