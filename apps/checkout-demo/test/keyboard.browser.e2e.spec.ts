import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { CREDENTIALS } from './desk.js';
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

  it('a refused card is followed by another one, and the order is found and refunded at the desk', async () => {
    const shopper = await enterShop(stack, { httpCredentials: CREDENTIALS });
    const { page } = shopper;
    await shopper.enterCard({ number: CARDS.refusedByTheBank });
    await page.getByTestId('card-name').press('Enter');
    await shopper.until('refused');
    await page.getByTestId('pay').waitFor();
    await tabTo(page, 'person-summary');
    await tabTo(page, 'method-card');
    await page.keyboard.press('Space');
    for (const text of [CARDS.accepted, '1249', CVV, 'Jeanne Martin']) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
      if (text !== CARDS.accepted) continue;
      // The page asks its library for the brands, which takes a moment; Tab would pass their place.
      await page.getByTestId('brand-visa').waitFor();
      await tabTo(page, 'brand-visa');
    }
    await page.keyboard.press('Enter');
    await shopper.until('succeeded');
    const orderId = await shopper.orderId();
    const number = (await page.getByTestId('order-id').textContent()) ?? '';
    await page.goto(`${stack.shopUrl}/desk`);
    await page.getByTestId(`sale-${orderId}`).waitFor();
    await tabTo(page, 'search');
    await page.keyboard.type(number.toLowerCase());
    await page.waitForFunction(() => document.querySelectorAll('.sale').length === 1);
    await tabTo(page, `refund-${orderId}`);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.locator(`[data-testid=refund-${orderId}]:focus`).waitFor();
    await page.keyboard.press('Enter');
    await tabTo(page, 'refund-teapot-mist');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'refund-reason');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'operation-go');
    await page.keyboard.press('Enter');
    await tabTo(page, 'operation-go');
    expect(await page.getByTestId('operation-go').textContent()).toBe('Refund €42.00');
    await page.keyboard.press('Enter');
    await page.locator(`[data-testid=sale-${orderId}][data-state=partly]`).waitFor();
    expect(await stack.executed(orderId)).toEqual(['payment 4001', 'payment 0000', 'refund 0000']);
    await shopper.leave();
  });
});
