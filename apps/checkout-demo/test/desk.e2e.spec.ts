import { waitFor } from '@tranche/testing';
import type { DeskView } from '../page/views.js';
import { AUTHORIZATION, authorized } from './desk.js';
import { executed, joinShopStage, post, untilStatus, type ShopStack } from './shop-stack.js';

describe('the shop’s desk', () => {
  let stack: ShopStack;
  beforeAll(async () => (stack = await joinShopStage()), 200_000);
  afterAll(() => stack.stop());

  const operate = (orderId: string, body: object, headers: Record<string, string> = {}) =>
    post(stack.shop, `/desk/orders/${orderId}/operations`, body, { authorization: AUTHORIZATION, ...headers });
  const saleOf = async (orderId: string) => {
    const answer = await fetch(`${stack.shop.url}/desk/orders`, { headers: { authorization: AUTHORIZATION } });
    return ((await answer.json()) as DeskView[]).find((sale) => sale.orderId === orderId);
  };
  const operations = async (orderId: string) =>
    (await executed(stack.simulator, orderId)).map(({ operationType, amount }) => `${operationType} ${amount}`);

  it('opens with its password only, and takes nothing from pages of others', async () => {
    for (const path of ['/desk', '/desk/orders']) {
      const answer = await fetch(stack.shop.url + path);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)]);
      expect(await answer.text()).not.toContain('data-text');
    }
    const { orderId } = await authorized(stack);
    const capture = { operation: 'capture', amount: 42_100, number: 1 };
    expect((await operate(orderId, capture, { authorization: 'Basic eDp4' })).status).toBe(401);
    expect((await operate(orderId, capture, { origin: 'https://evil.example' })).status).toBe(403);
    expect(await saleOf(orderId)).toMatchObject({ captured: 0, followUps: [] });
    expect(await operations(orderId)).toEqual(['authorization 42100']);
  });

  it('captures once, however often it is asked, and refunds no more than was captured', async () => {
    const { orderId } = await authorized(stack);
    const capture = { operation: 'capture', amount: 30_000, number: 1 };
    expect((await operate(orderId, { ...capture, amount: 42_101 })).status).toBe(400);
    const answers = await Promise.all([operate(orderId, capture), operate(orderId, capture)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect((await operate(orderId, { ...capture, amount: 29_999 })).status).toBe(409);
    await waitFor(async () => (await saleOf(orderId))?.captured === 30_000, { what: 'the capture' });
    const refund = { operation: 'refund', amount: 10_000, number: 2, reason: 'goodwill' };
    for (const wrong of [{ amount: 30_001 }, { reason: undefined }, { items: [{ sku: 'chair-wren', quantity: 3 }] }])
      expect((await operate(orderId, { ...refund, ...wrong })).status).toBe(400);
    expect((await operate(orderId, refund)).status).toBe(201);
    expect((await operate(orderId, { ...refund, reason: 'damaged' })).status).toBe(409);
    const refunded = await waitFor(
      async () => {
        const sale = await saleOf(orderId);
        return sale?.refunded === 10_000 && sale;
      },
      { what: 'the refund' },
    );
    expect(refunded.possible).toEqual([{ operation: 'refund', most: 20_000 }]);
    expect(await operations(orderId)).toEqual(['authorization 42100', 'capture 30000', 'refund 10000']);
  });

  it('voids an authorization, and the buyer’s page says that the order was cancelled', async () => {
    const { orderId, pageId } = await authorized(stack);
    expect((await operate(orderId, { operation: 'void', amount: 42_100, number: 1 })).status).toBe(201);
    expect((await untilStatus(stack.shop, pageId, 'cancelled')).nextAttempt).toBeUndefined();
    expect((await saleOf(orderId))?.possible).toEqual([]);
  });
});
