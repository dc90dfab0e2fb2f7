import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { enterShop, shopperAt } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

it('a double click on Pay is one payment [Ours.one-attempt]', async () => {
  const shopper = await enterShop(stack);
  await shopper.enterCard();
  await shopper.page.getByTestId('pay').dblclick();
  await shopper.until('succeeded');
  expect(await shopper.executed()).toHaveLength(1);
  await shopper.leave();
});

it('two tabs with the same cart are one payment', async () => {
  const shopper = await enterShop(stack);
  const otherPage = await shopper.page.context().newPage();
  await otherPage.goto(stack.shopUrl);
  const other = shopperAt(otherPage);
  await Promise.all([shopper.enterCard(), other.enterCard()]);
  await Promise.all([shopper.pay(), other.pay()]);
  await Promise.all([shopper.until('succeeded'), other.until('succeeded')]);
  expect(await other.orderId()).toBe(await shopper.orderId());
  expect(await shopper.executed()).toHaveLength(1);
  await shopper.leave();
});

describe('a reload', () => {
  it('while the order is sent, which the shop has already taken: paying again finds the same order', async () => {
    const shopper = await enterShop(stack);
    const lost = shopper.loseAnswer('**/api/orders');
    await shopper.payByCard();
    const { orderId } = JSON.parse(await lost) as { orderId: string };
    await shopper.page.reload();
    await shopper.payByCard();
    await shopper.until('succeeded');
    expect(await shopper.orderId()).toBe(orderId);
    expect(await shopper.executed()).toHaveLength(1);
    await shopper.leave();
  });
});
