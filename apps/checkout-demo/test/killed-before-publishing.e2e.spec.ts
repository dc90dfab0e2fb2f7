import { createClient } from 'redis';
import { brokerGate, infrastructure, waitFor, type BrokerGate } from '@tranche/testing';
import { pageIdOf } from '../src/order/order-ids.js';
import {
  aCard,
  anOrder,
  executed,
  post,
  startShopStack,
  untilStatus,
  viewOfOrder,
  type PlacedView,
  type ShopStack,
} from './shop-stack.js';

describe('a shop that is killed between storing an attempt and publishing it', () => {
  let gate: BrokerGate;
  let stack: ShopStack;
  const redis = createClient({ url: infrastructure().redisUrl });
  beforeAll(async () => {
    const { brokers } = infrastructure();
    gate = await brokerGate(brokers.split(',')[0] ?? '');
    stack = await startShopStack({ KAFKA_BROKERS: gate.address });
    await redis.connect();
  }, 200_000);
  afterAll(async () => {
    await redis.close();
    await stack.stop();
    await gate.close();
  });

  const stored = () => redis.keys(`${stack.prefix}checkout:command:*`);

  it('publishes it at the next look under the same id: one payment, and the token is gone', async () => {
    await gate.shut();
    const wanted = anOrder({ method: 'card', card: await aCard(stack.simulator) });
    const pageId = pageIdOf(wanted.key);
    const lost = post(stack.shop, '/api/orders', wanted).catch(() => undefined);
    const [name = ''] = await waitFor(async () => ((await stored()).length > 0 ? stored() : undefined), {
      what: 'the stored command',
    });
    expect(await redis.pTTL(name)).toBeLessThanOrEqual(15 * 60_000);
    await stack.shop.stop('SIGKILL');
    await lost;
    const [, orderId = ''] = /command:\{(\w+)\}\.1$/.exec(name) ?? [];
    expect(await executed(stack.simulator, orderId)).toEqual([]);

    await gate.open();
    stack.shop = await stack.startShop();
    const looks = await Promise.all(Array.from({ length: 5 }, () => viewOfOrder(stack.shop, pageId)));
    expect(looks[0]).toMatchObject({ orderId, amount: 42_100 });
    await untilStatus(stack.shop, pageId, 'succeeded');
    expect(await executed(stack.simulator, orderId)).toHaveLength(1);
    await waitFor(async () => (await stored()).length === 0, { what: 'the token to be gone' });
  });

  it('knows its orders after a restart', async () => {
    const answer = await post(stack.shop, '/api/orders', anOrder());
    const { pageId } = (await answer.json()) as PlacedView;
    const before = await untilStatus(stack.shop, pageId, 'redirect');
    await stack.shop.stop();
    stack.shop = await stack.startShop();
    expect(await viewOfOrder(stack.shop, pageId)).toEqual(before);
    expect((await fetch(`${stack.shop.url}/orders/${pageId}/provider`)).status).toBe(200);
  });
});
