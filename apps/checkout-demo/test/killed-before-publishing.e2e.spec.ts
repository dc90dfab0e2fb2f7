import { createClient } from 'redis';
import { brokerGate, infrastructure, waitFor, type BrokerGate } from '@tranche/testing';
import type { OrderView } from '../src/order/order-view.js';
import {
  aCard,
  anOrder,
  executed,
  ofTheShop,
  orderOf,
  placed,
  post,
  startShopStack,
  untilStatus,
  viewOfOrder,
  type ShopStack,
} from './shop-stack.js';

describe('a shop that is killed between storing an attempt and publishing it', () => {
  let gate: BrokerGate;
  let stack: ShopStack;
  const redis = createClient({ url: infrastructure().redisUrl });
  beforeAll(async () => {
    const { brokers } = infrastructure();
    gate = await brokerGate(brokers.split(',')[0] ?? '');
    stack = await startShopStack({
      settings: ofTheShop({ KAFKA_BROKERS: gate.address }),
    });
    await redis.connect();
  }, 200_000);
  afterAll(async () => {
    await redis.close();
    await stack?.shop.stop();
    await stack?.stop();
    await gate?.close();
  });

  let known: { pageId: string; view: OrderView };
  const stored = (orderId: string) => redis.keys(`${stack.prefix}checkout-demo:command:{${orderId}}.1`);

  it('publishes it at the next look under the same id: one payment, and the token is gone', async () => {
    const earlier = await placed(stack.shop, anOrder());
    known = { pageId: earlier.pageId, view: await untilStatus(stack.shop, earlier.pageId, 'redirect') };
    await gate.shut();
    const wanted = anOrder({ method: 'card', card: await aCard(stack.simulator) });
    const { orderId, pageId } = orderOf(wanted.key);
    const lost = post(stack.shop, '/api/orders', wanted).catch(() => undefined);
    const [name = ''] = await waitFor(
      async () => {
        const names = await stored(orderId);
        return names.length > 0 && names;
      },
      { what: 'the stored command' },
    );
    expect(await redis.pTTL(name)).toBeLessThanOrEqual(15 * 60_000);
    await stack.shop.stop('SIGKILL');
    await lost;
    expect(await executed(stack.simulator, orderId)).toEqual([]);

    await gate.open();
    stack.shop = await stack.startShop();
    const looks = await Promise.all(Array.from({ length: 5 }, () => viewOfOrder(stack.shop, pageId)));
    expect(looks[0]).toMatchObject({ orderId, amount: 42_100 });
    await untilStatus(stack.shop, pageId, 'succeeded');
    expect(await executed(stack.simulator, orderId)).toHaveLength(1);
    await waitFor(async () => (await stored(orderId)).length === 0, { what: 'the token to be gone' });
  });

  it('knows its orders after a restart', async () => {
    const { pageId, view } = known;
    expect(await viewOfOrder(stack.shop, pageId)).toEqual(view);
    expect((await fetch(`${stack.shop.url}/orders/${pageId}/provider`)).status).toBe(200);
  });
});
