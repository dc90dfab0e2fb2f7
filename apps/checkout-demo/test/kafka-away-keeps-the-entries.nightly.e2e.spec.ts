import { brokerGate, infrastructure, waitFor, type BrokerGate } from '@tranche/testing';
import { orderIdOf, pageIdOf } from '../src/order/order.js';
import {
  aCard,
  anOrder,
  executed,
  ofTheShop,
  post,
  startShopStack,
  untilStatus,
  viewOfOrder,
  type ShopStack,
} from './shop-stack.js';

describe('while Kafka is away', () => {
  let gate: BrokerGate;
  let stack: ShopStack;
  beforeAll(async () => {
    gate = await brokerGate(infrastructure().brokers.split(',')[0] ?? '');
    stack = await startShopStack({
      settings: ofTheShop({ KAFKA_BROKERS: gate.address, PUBLISH_TIMEOUT_MS: '500' }),
    });
  }, 200_000);
  afterAll(async () => {
    await stack.stop();
    await gate.close();
  });

  it('a post is answered 503, and the same post afterwards pays once', async () => {
    const order = anOrder({ method: 'card', card: await aCard(stack.simulator) });
    await gate.shut();
    const answer = await post(stack.shop, '/api/orders', order);
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
      503,
      '5',
      { code: 'unavailable' },
    ]);
    const pageId = pageIdOf(order.key);
    const orderId = orderIdOf(pageId);
    expect(await viewOfOrder(stack.shop, pageId)).toMatchObject({ status: 'sending', amount: 42_100 });
    await gate.open();
    const again = await waitFor(
      async () => {
        const tried = await post(stack.shop, '/api/orders', { ...order, card: await aCard(stack.simulator) });
        return tried.status !== 503 && tried;
      },
      { timeoutMs: 60_000, what: 'Kafka to be back' },
    );
    expect([again.status, await again.json()]).toMatchObject([200, { orderId }]);
    await untilStatus(stack.shop, pageId, 'succeeded');
    expect(await executed(stack.simulator, orderId)).toHaveLength(1);
  });

  it('a page that follows its order is enough: what waits goes out by itself', async () => {
    const order = anOrder();
    const pageId = pageIdOf(order.key);
    await gate.shut();
    expect((await post(stack.shop, '/api/orders', order)).status).toBe(503);
    const abort = new AbortController();
    const stream = await fetch(`${stack.shop.url}/orders/${pageId}/events`, { signal: abort.signal });
    let received = '';
    const read = async () => {
      for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) received += part;
    };
    void read().catch(() => undefined);
    await waitFor(() => received.includes('"status":"sending"'), { what: 'the order as it waits' });
    await gate.open();
    await waitFor(() => received.includes('"status":"redirect"'), { timeoutMs: 30_000, what: 'the command to go out' });
    abort.abort();
    expect(await executed(stack.simulator, orderIdOf(pageId))).toHaveLength(1);
  });
});
