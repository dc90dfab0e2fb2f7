import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { enterShop, type Shopper } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

/** After the failure nothing was paid, and the same page can still pay in instalments. */
async function paysOtherwise(shopper: Shopper) {
  await shopper.payIn('b3');
  await shopper.decide('validate');
  await shopper.until('succeeded');
}

const formError = (shopper: Shopper) => shopper.page.getByTestId('form-error');

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
