import { aCard, anOrder, CARD_WITHOUT_FUNDS, CUSTOMER, decide, executed, placed, post, joinShopStage, untilStatus, type ShopStack } from './shop-stack.js'; // prettier-ignore

describe('an order is paid', () => {
  let stack: ShopStack;
  beforeAll(async () => (stack = await joinShopStage()), 200_000);
  afterAll(() => stack.stop());

  it('by a card token, for what the catalogue says, whatever the page says', async () => {
    const { orderId, pageId } = await placed(
      stack.shop,
      anOrder({ method: 'card', card: await aCard(stack.simulator) }),
    );
    const { amount, status } = await untilStatus(stack.shop, pageId, 'succeeded');
    expect([amount, status]).toEqual([42_100, 'succeeded']);
    expect(await executed(stack.simulator, orderId)).toMatchObject([{ operationType: 'payment', amount: 42_100 }]);
    const another = await post(stack.shop, `/api/orders/${pageId}/attempts`, {
      attempt: 2,
      method: 'a3',
      customer: CUSTOMER,
    });
    expect([another.status, await another.json()]).toMatchObject([409, { code: 'attempt_not_possible' }]);
  });

  it('in instalments: the form, its validation, the way back, and the state that the events say', async () => {
    const { orderId, pageId } = await placed(stack.shop, anOrder({ method: 'b4' }));
    const { form } = await untilStatus(stack.shop, pageId, 'redirect');
    expect(form).toBe(`${orderId}.1`);
    expect(await decide(stack.shop, { pageId }, 'pending')).toBe(`/orders/${pageId}?hint=pending`);
    await untilStatus(stack.shop, pageId, 'pending');
  });

  it('by another method after a refusal, and after a form that was left: the new attempt names the one it replaces', async () => {
    const { pageId } = await placed(
      stack.shop,
      anOrder({ method: 'card', card: await aCard(stack.simulator, CARD_WITHOUT_FUNDS) }),
    );
    const refused = await untilStatus(stack.shop, pageId, 'refused');
    expect(refused).toMatchObject({ reason: 'funds', nextAttempt: 2 });
    await post(stack.shop, `/api/orders/${pageId}/attempts`, { attempt: 2, method: 'a3', customer: CUSTOMER });
    expect(await untilStatus(stack.shop, pageId, 'redirect')).toMatchObject({ method: 'a3', nextAttempt: 3 });
    await post(stack.shop, `/api/orders/${pageId}/attempts`, { attempt: 3, method: 'b3', customer: CUSTOMER });
    expect(await untilStatus(stack.shop, pageId, 'redirect')).toMatchObject({ method: 'b3' });
    expect(await decide(stack.shop, { pageId }, 'validate')).toBe(`/orders/${pageId}?hint=success`);
    expect(await untilStatus(stack.shop, pageId, 'succeeded')).toMatchObject({ method: 'b3' });
  });

  it('shows the form as it came, to an origin of its own', async () => {
    const { pageId } = await placed(stack.shop, anOrder());
    await untilStatus(stack.shop, pageId, 'redirect');
    const page = await fetch(`${stack.shop.url}/orders/${pageId}/provider`);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-forms allow-scripts allow-top-navigation;/,
    );
    expect(await page.text()).toContain('<script>document.getElementById("provider-form").submit();</script>');
    await decide(stack.shop, { pageId }, 'abandon');
    expect(await untilStatus(stack.shop, pageId, 'refused')).toMatchObject({ reason: 'abandoned' });
    const afterwards = await fetch(`${stack.shop.url}/orders/${pageId}/provider`, { redirect: 'manual' });
    expect([afterwards.status, afterwards.headers.get('location')]).toEqual([303, `/orders/${pageId}`]);
  });
});
