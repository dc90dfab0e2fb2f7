import { createClient } from 'redis';
import { eventsOf, infrastructure, waitFor } from '@tranche/testing';
import { COMMAND_TOPICS, type CardPayment } from '@tranche/contracts';
import { aCard, anOrder, CARD_WITHOUT_FUNDS, CUSTOMER, executed, placed, post, joinShopStage, untilStatus, viewOfOrder, type PlacedView, type Shop, type ShopStack } from './shop-stack.js'; // prettier-ignore

describe('an attempt to pay is one command', () => {
  let stack: ShopStack;
  let replica: Shop;
  beforeAll(async () => {
    stack = await joinShopStage();
    replica = await stack.startShop();
  }, 200_000);
  afterAll(async () => {
    await replica?.stop();
    await stack?.stop();
  });

  const twentyAtOnce = async (path: string, bodies: () => Promise<object>, other = stack.shop) => {
    const prepared = await Promise.all(Array.from({ length: 20 }, bodies));
    return Promise.all(prepared.map((body, n) => post(n % 2 === 0 ? stack.shop : other, path, body)));
  };
  /** Card commands of the order. The last one already has its result, so all of them are in the topic. */
  const commandsOf = async (orderId: string, lastId: string) => {
    const reader = await eventsOf<CardPayment>(infrastructure().brokers, stack.prefix, COMMAND_TOPICS.card);
    const all = () => reader.of('shop-fr', orderId);
    await waitFor(() => all().some(({ id }) => id === lastId), { what: `command ${lastId}` });
    await reader.stop();
    return { ids: new Set(all().map(({ id }) => id)), tokens: new Set(all().map(({ data }) => data.hfToken)) };
  };

  /** The event with the card is the last one of a paid order; a success event without the card may come before it. */
  const untilLastEvent = (pageId: string) =>
    waitFor(async () => (await viewOfOrder(stack.shop, pageId)).card, { what: `the card of order ${pageId}` });

  it('with 20 posts of one key at once, each with a token of its own, from two replicas', async () => {
    const { key } = anOrder();
    const bodies = async () => anOrder({ key, method: 'card', card: await aCard(stack.simulator) });
    const answers = await twentyAtOnce('/api/orders', bodies, replica);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    const orders = (await Promise.all(answers.map((answer) => answer.json()))) as PlacedView[];
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(1);
    const { orderId = '', pageId = '' } = orders[0] ?? {};
    await untilStatus(stack.shop, pageId, 'succeeded');
    const { ids, tokens } = await commandsOf(orderId, `${orderId}.1`);
    expect([[...ids], tokens.size]).toEqual([[`${orderId}.1`], 1]);
    expect(await executed(stack.simulator, orderId)).toHaveLength(1);
  });

  it('with 20 posts of one number at once, after a refusal', async () => {
    const first = await post(
      stack.shop,
      '/api/orders',
      anOrder({ method: 'card', card: await aCard(stack.simulator, CARD_WITHOUT_FUNDS) }),
    );
    const { orderId, pageId } = (await first.json()) as PlacedView;
    await untilStatus(stack.shop, pageId, 'refused');
    const answers = await twentyAtOnce(`/api/orders/${pageId}/attempts`, async () => ({
      attempt: 2,
      method: 'card',
      customer: CUSTOMER,
      card: await aCard(stack.simulator),
    }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    await untilStatus(stack.shop, pageId, 'succeeded');
    const { ids, tokens } = await commandsOf(orderId, `${orderId}.2`);
    expect([[...ids], tokens.size]).toEqual([[`${orderId}.1`, `${orderId}.2`], 2]);
    const amounts = (await executed(stack.simulator, orderId)).map(({ amount }) => amount);
    expect(amounts).toEqual([42_100, 42_100]);
  });

  it.each<[string, object]>([
    ['another cart', { cart: [{ sku: 'lamp-hazel', quantity: 2 }] }],
    ['another method', { method: 'b3' }],
  ])(
    'and is not paid by %s under its key: the answer leads to the order, and nothing is published',
    async (_what, more) => {
      const wanted = anOrder();
      const { pageId } = await placed(stack.shop, wanted);
      const before = await untilStatus(stack.shop, pageId, 'redirect');
      const again = await post(stack.shop, '/api/orders', { ...wanted, ...more });
      expect([again.status, again.headers.get('location'), await again.json()]).toMatchObject([
        409,
        `/orders/${pageId}`,
        { code: 'order_exists' },
      ]);
      expect((await post(stack.shop, '/api/orders', wanted)).status).toBe(200);
      expect(await viewOfOrder(stack.shop, pageId)).toEqual(before);
    },
  );

  it('after Redis lost its order: what became of it is not known, and nothing else is offered, here and at a replica', async () => {
    const wanted = async () => anOrder({ method: 'card', card: await aCard(stack.simulator) });
    const redis = createClient({ url: infrastructure().redisUrl });
    await redis.connect();
    for (const shop of [stack.shop, replica]) {
      const order = await wanted();
      const { orderId, pageId } = await placed(stack.shop, order);
      await untilLastEvent(pageId);
      await redis.del(`${stack.prefix}checkout-demo:order:{${orderId}}`);
      expect((await post(shop, '/api/orders', order)).status).toBe(201);
      const view = await untilStatus(stack.shop, pageId, 'in_doubt');
      expect(view).not.toHaveProperty('nextAttempt');
      expect(await executed(stack.simulator, orderId)).toHaveLength(1);
    }
    await redis.close();
  });

  it('with one method: another one under the same number is refused', async () => {
    const { pageId } = await placed(stack.shop, anOrder());
    await untilStatus(stack.shop, pageId, 'redirect');
    const next = (method: string) =>
      post(stack.shop, `/api/orders/${pageId}/attempts`, { attempt: 2, method, customer: CUSTOMER });
    expect((await next('b3')).status).toBe(201);
    expect((await next('a3')).status).toBe(409);
    expect((await next('b3')).status).toBe(201);
  });

  it('and none while the one before may still take money', async () => {
    const { pageId } = await placed(
      stack.shop,
      anOrder({ method: 'card', card: await aCard(stack.simulator, '4970101200075004') }),
    );
    const next = () =>
      post(stack.shop, `/api/orders/${pageId}/attempts`, { attempt: 2, method: 'a3', customer: CUSTOMER });
    expect((await next()).status).toBe(409);
    expect(
      (await post(stack.shop, `/api/orders/${pageId}/attempts`, { attempt: 7, method: 'a3', customer: CUSTOMER }))
        .status,
    ).toBe(409);
    expect((await next()).status).toBe(409);
  });
});
