import { waitFor, type RunningApp } from '@tranche/testing';
import type { DeskView } from '../page/views.js';
import { AUTHORIZATION, authorized } from './desk.js';
import { startShopStack, type ShopStack } from './shop-stack.js';

const DAY_MS = 86_400_000;

let stack: ShopStack;
let later: RunningApp | undefined;
beforeAll(async () => (stack = await startShopStack()), 200_000);
afterAll(async () => {
  await later?.stop();
  await stack?.stop();
});

it('the desk hears from the gateway that the time for a capture ends, and warns with its date', async () => {
  const { orderId } = await authorized(stack);
  const sale = async () => {
    const answer = await fetch(`${stack.shop.url}/desk/orders`, { headers: { authorization: AUTHORIZATION } });
    return ((await answer.json()) as DeskView[]).find((one) => one.orderId === orderId);
  };
  const before = await sale();
  expect(before).toMatchObject({ isWindowClosing: false });
  later = await stack.gatewayAhead(6 * DAY_MS + 60_000);
  const after = await waitFor(
    async () => {
      const found = await sale();
      return found?.isWindowClosing === true && found;
    },
    { what: 'the warning', timeoutMs: 60_000 },
  );
  expect(after.captureBy).toBe(before?.captureBy);
  expect(Date.parse(after.captureBy ?? '') - Date.parse(after.placedAt)).toBeGreaterThanOrEqual(7 * DAY_MS);
}, 120_000);
