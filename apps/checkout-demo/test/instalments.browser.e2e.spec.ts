import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

it.each(['a3', 'b3'])(
  '%s is paid through the form of the provider and back, and the events say that it was',
  async (method) => {
    const shopper = await enterShop(stack);
    await shopper.payIn(method);
    await shopper.decide('validate');
    await shopper.until('succeeded');
    expect(await stack.executed(await shopper.orderId())).toEqual(['authorization 0000']);
    await shopper.leave();
  },
);

it.each(['b3'])(
  '%s that the provider puts on hold is pending, and succeeds when the provider approves it',
  async (method) => {
    const shopper = await enterShop(stack);
    await shopper.payIn(method);
    await shopper.decide('pending');
    await shopper.until('pending');
    const orderId = await shopper.orderId();
    await stack.approve(orderId);
    await shopper.until('succeeded'); // by itself, without a reload
    expect(await stack.executed(orderId)).toEqual(['authorization 0000']);
    await shopper.leave();
  },
);
