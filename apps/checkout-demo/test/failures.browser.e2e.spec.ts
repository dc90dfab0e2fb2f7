import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { formError, paysOtherwise } from './failures.js';
import { enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('nothing is sent to the platform', () => {
  it('in a browser without a crypto API; instalments need none', async () => {
    const shopper = await enterShop(stack, { without: 'crypto.subtle' });
    await shopper.payByCard();
    await formError(shopper).waitFor();
    expect(await formError(shopper).textContent()).toContain('cannot encrypt cards in your browser');
    expect(await shopper.executed()).toEqual([]);
    await paysOtherwise(shopper);
    await shopper.leave();
  });
});
