import { createHash } from 'node:crypto';
import { brokerGate, infrastructure, waitFor, type BrokerGate } from '@tranche/testing';
import { aCard, anOrder, executed, post, startShopStack, untilStatus, viewOfOrder, type ShopStack } from './shop-stack.js';

describe('while Kafka is away', () => {
  let gate: BrokerGate;
  let stack: ShopStack;
  beforeAll(async () => {
    gate = await brokerGate(infrastructure().brokers.split(',')[0] ?? '');
    stack = await startShopStack({ KAFKA_BROKERS: gate.address, PUBLISH_TIMEOUT_MS: '500' });
  }, 200_000);
  afterAll(async () => {
    await stack.stop();
    await gate.close();
  }, 60_000);

  it('a post is answered 503, and the same post afterwards pays once', async () => {
    const order = anOrder({ method: 'card', card: await aCard(stack.simulator) });
    await gate.shut();
    const answer = await post(stack.shop, '/api/orders', order);
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([503, '5', { code: 'unavailable' }]);
    const orderId = createHash('sha256').update(order.key).digest('hex').slice(0, 32);
    expect(await viewOfOrder(stack.shop, orderId)).toMatchObject({ status: 'sending', amount: 42_100 });
    await gate.open();
    const again = await waitFor(
      async () => {
        const tried = await post(stack.shop, '/api/orders', { ...order, card: await aCard(stack.simulator) });
        return tried.status !== 503 && tried;
      },
      { timeoutMs: 20_000, what: 'Kafka to be back' },
    );
    expect([again.status, await again.json()]).toMatchObject([200, { orderId }]);
    await untilStatus(stack.shop, orderId, 'succeeded');
    expect(await executed(stack.simulator, orderId)).toHaveLength(1);
  }, 60_000);
});
