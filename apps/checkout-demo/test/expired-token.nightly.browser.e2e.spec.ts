import { startBrowserStack, type BrowserStack } from './browser-stack.js';
import { enterShop } from './shopper.js';

// This spec moves the platform's clock, so it needs its own shop.
let stack: BrowserStack;
beforeAll(async () => (stack = await startBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('a token that the platform does not take', () => {
  it('because it has expired: refused, and the same card is paid with under a new token', async () => {
    const shopper = await enterShop(stack);
    await shopper.beforePlacing(() => stack.travel(16));
    await shopper.payByCard();
    await shopper.until('refused');
    const orderId = await shopper.orderId();
    expect(await stack.executed(orderId)).not.toContain('payment 0000');
    await shopper.payOtherwise();
    await shopper.payByCard();
    await shopper.until('succeeded');
    expect((await stack.executed(orderId)).filter((one) => one === 'payment 0000')).toHaveLength(1);
    await shopper.leave();
  });
});
