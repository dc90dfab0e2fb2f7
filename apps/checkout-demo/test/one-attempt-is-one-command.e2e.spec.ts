import { eventsOf, freePorts, infrastructure, waitFor } from '@tranche/testing';
import { TOPICS, type CardPayment } from '@tranche/contracts';
import { aCard, anOrder, CARD_WITHOUT_FUNDS, CUSTOMER, executed, post, startShopStack, untilStatus, type ShopStack } from './shop-stack.js'; // prettier-ignore

describe('an attempt to pay is one command', () => {
  let stack: ShopStack;
  beforeAll(async () => (stack = await startShopStack()), 200_000);
  afterAll(() => stack.stop(), 60_000);

  const twentyAtOnce = async (path: string, bodies: () => Promise<object>, replica = stack.shop) => {
    const prepared = await Promise.all(Array.from({ length: 20 }, bodies));
    return Promise.all(prepared.map((body, n) => post(n % 2 === 0 ? stack.shop : replica, path, body, { origin: stack.shop.url })));
  };
  /** The card commands of the order: the last one has been answered, so all of them are there. */
  const commandsOf = async (orderId: string, lastId: string) => {
    const reader = await eventsOf<CardPayment>(infrastructure().brokers, stack.prefix, TOPICS.commandsCard);
    const all = () => reader.of('shop-fr', orderId);
    await waitFor(() => all().some(({ id }) => id === lastId), { what: `command ${lastId}` });
    await reader.stop();
    return { ids: new Set(all().map(({ id }) => id)), tokens: new Set(all().map(({ data }) => data.hfToken)) };
  };

  it('with 20 posts of one key at once, each with a token of its own, from two replicas', async () => {
    const { key } = anOrder();
    const [port, managementPort] = await freePorts();
    const replica = await stack.startShop({ PORT: String(port), MANAGEMENT_PORT: String(managementPort) });
    const bodies = async () => anOrder({ key, method: 'card', card: await aCard(stack.simulator) });
    const answers = await twentyAtOnce('/api/orders', bodies, replica);
    await replica.stop();
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    const orderIds = new Set(await Promise.all(answers.map(async (answer) => ((await answer.json()) as { orderId: string }).orderId)));
    expect(orderIds.size).toBe(1);
    const [orderId = ''] = orderIds;
    await untilStatus(stack.shop, orderId, 'succeeded');
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
    const { orderId } = (await first.json()) as { orderId: string };
    await untilStatus(stack.shop, orderId, 'refused');
    const answers = await twentyAtOnce(`/api/orders/${orderId}/attempts`, async () => ({
      attempt: 2,
      method: 'card',
      customer: CUSTOMER,
      card: await aCard(stack.simulator),
    }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    await untilStatus(stack.shop, orderId, 'succeeded');
    const { ids, tokens } = await commandsOf(orderId, `${orderId}.2`);
    expect([[...ids], tokens.size]).toEqual([[`${orderId}.1`, `${orderId}.2`], 2]);
    const amounts = (await executed(stack.simulator, orderId)).map(({ amount }) => amount);
    expect(amounts).toEqual([42_100, 42_100]);
  });

  it('also with another cart and another method: the key has its order', async () => {
    const { key } = anOrder();
    const first = (await (await post(stack.shop, '/api/orders', anOrder({ key }))).json()) as { orderId: string };
    const again = await post(stack.shop, '/api/orders', anOrder({ key, method: 'b3', cart: [{ sku: 'lamp-hazel', quantity: 2 }] }));
    expect([again.status, await again.json()]).toMatchObject([200, { orderId: first.orderId, amount: 42_100, method: 'a3' }]);
  });

  it('and none while the one before may still take money', async () => {
    const placed = (await (await post(stack.shop, '/api/orders', anOrder({ method: 'card', card: await aCard(stack.simulator, '4970101200075004') }))).json()) as { orderId: string }; // prettier-ignore
    const next = () => post(stack.shop, `/api/orders/${placed.orderId}/attempts`, { attempt: 2, method: 'a3', customer: CUSTOMER });
    expect((await next()).status).toBe(409);
    expect(
      (await post(stack.shop, `/api/orders/${placed.orderId}/attempts`, { attempt: 7, method: 'a3', customer: CUSTOMER })).status,
    ).toBe(409);
    expect((await next()).status).toBe(409);
  });
});
