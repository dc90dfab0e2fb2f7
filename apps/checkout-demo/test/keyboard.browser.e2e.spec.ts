import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { tabTo } from './keyboard.js';
import { CARDS, CVV, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('with the keyboard alone', () => {
  it('a card is paid with, and the focus is seen at every step', async () => {
    const shopper = await enterShop(stack);
    const { page } = shopper;
    const keyboard = {
      tabTo: (testId: string) => tabTo(page, testId),
      type: (text: string) => page.keyboard.type(text),
    };
    await keyboard.tabTo('card-number');
    await keyboard.type(CARDS.accepted);
    await keyboard.tabTo('card-expiry');
    await keyboard.type('12-49');
    await keyboard.tabTo('card-cvv');
    await keyboard.type(CVV);
    await keyboard.tabTo('card-name');
    await keyboard.type('Jeanne Martin');
    await keyboard.tabTo('pay');
    await page.keyboard.press('Enter');
    await shopper.until('succeeded');
    expect(await stack.executed(await shopper.orderId())).toEqual(['payment 0000']);
    await shopper.leave();
  });
});
