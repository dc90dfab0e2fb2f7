import { createClient } from 'redis';
import { findSecret, infrastructure } from '@tranche/testing';
import {
  aCard,
  anOrder,
  CUSTOMER,
  GOOD_CARD,
  joinShopStage,
  orderOf,
  placed,
  post,
  untilStatus,
  viewOfOrder,
  type ShopStack,
} from './shop-stack.js';

/** Longer than a real one: three digits are in times and ports of the log by chance. */
const CVV = '32190478';

describe('card data', () => {
  let stack: ShopStack;
  const redis = createClient({ url: infrastructure().redisUrl });
  beforeAll(async () => {
    stack = await joinShopStage();
    await redis.connect();
  }, 200_000);
  afterAll(async () => {
    await redis.close();
    await stack.stop();
  });

  const logs = () => stack.shop.logs.join('\n');
  const kept = async (orderId: string) => {
    const names = await redis.keys(`${stack.prefix}checkout-demo:*${orderId}*`);
    const values = await Promise.all(
      names.map(async (name) => ((await redis.type(name)) === 'hash' ? redis.hGetAll(name) : redis.get(name))),
    );
    return JSON.stringify([names, values]);
  };

  it.each<[string, object]>([
    ['in a field of its own', { cardCode: GOOD_CARD }],
    ['with the token', { card: { hfToken: 'x', ageMs: 1, cardCvv: CVV, cardNumber: GOOD_CARD } }],
    ['in groups, as a name', { customer: { ...CUSTOMER, firstName: '4970 1012 0004 0016' } }],
    ['deep in something unknown', { more: [{ deep: { x: GOOD_CARD } }] }],
  ])('%s is refused, nothing is begun, nothing of it is logged', async (_where, more) => {
    const order = anOrder({ method: 'card', card: await aCard(stack.simulator), ...more });
    const answer = await post(stack.shop, '/api/orders', order);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([400, { faults: [{ code: 'card_data_forbidden' }] }]);
    expect(await kept(orderOf(order.key).orderId)).toBe('[[],[]]');
    for (const place of [text, logs()])
      expect([GOOD_CARD, GOOD_CARD.slice(0, 8), CVV].flatMap((digits) => findSecret(place, digits))).toEqual([]);
    expect((await post(stack.shop, '/api/orders', { ...anOrder(), key: order.key })).status).toBe(201);
  });

  it('is refused in a post for a key that has its order already', async () => {
    const order = anOrder();
    await placed(stack.shop, order);
    expect((await post(stack.shop, '/api/orders', { ...order, cardCode: GOOD_CARD })).status).toBe(400);
  });

  it('and the token that stands for it is neither logged nor kept once it is sent on', async () => {
    const card = await aCard(stack.simulator);
    const { orderId, pageId } = await placed(stack.shop, anOrder({ method: 'card', card }));
    await untilStatus(stack.shop, pageId, 'succeeded');
    expect(typeof card.hfToken).toBe('string');
    expect(await kept(orderId)).toContain(orderId);
    for (const place of [logs(), await kept(orderId)]) {
      expect(place).not.toContain(card.hfToken);
      expect(place).not.toMatch(/rue des Lilas|\+33/);
    }
    // The desk shows whose order it is; nobody else is told.
    expect(await kept(orderId)).toContain('Jeanne Martin');
    expect(logs() + JSON.stringify(await viewOfOrder(stack.shop, pageId))).not.toMatch(/Jeanne|jeanne@/);
  });
});
