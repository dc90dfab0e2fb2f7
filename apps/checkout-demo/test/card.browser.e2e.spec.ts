import { SHOP_API_KEYS } from '@tranche/testing';
import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { CARDS, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('a card in the browser', () => {
  it('is paid with: encrypted, exchanged for a token, paid once', async () => {
    const shopper = await enterShop(stack);
    await shopper.payByCard();
    await shopper.until('succeeded');
    await shopper.untilPaidWith('Visa •••• 0016');
    const orderId = await shopper.orderId();
    expect(await stack.executed(orderId)).toEqual(['payment 0000']);
    await shopper.leave();
  });

  it('is paid with although the key was rotated between fetch and tokenizer', async () => {
    const shopper = await enterShop(stack, { apiKeyId: SHOP_API_KEYS.cardSpec });
    const answers: string[] = [];
    await shopper.page.route(stack.tokenizerUrl, async (route) => {
      if (answers.length === 0) await stack.rotateKeys(SHOP_API_KEYS.cardSpec);
      const answer = await route.fetch();
      answers.push(((await answer.json()) as { EXECCODE: string }).EXECCODE);
      await route.fulfill({ response: answer });
    });
    await shopper.payByCard();
    await shopper.until('succeeded');
    expect(answers).toEqual(['1002', '0000']);
    expect(await stack.executed(await shopper.orderId())).toEqual(['payment 0000']);
    await shopper.leave();
  });

  it('of two brands is asked for its brand before it is encrypted, and paid with by that brand', async () => {
    const shopper = await enterShop(stack);
    const { page } = shopper;
    const placed = page.waitForRequest((request) => request.url().endsWith('/api/orders'));
    await shopper.enterCard({ number: CARDS.ofTwoBrands });
    const brands = page.locator('#brands label');
    await brands.first().waitFor();
    expect(await brands.allTextContents()).toEqual(['Visa', 'CB']);
    expect(await page.getByTestId('brand-visa').isChecked()).toBe(true);
    await page.getByTestId('brand-cb').check();
    // The browser forgets a body when it leaves the page, so the answer is read on its way.
    let tokenized: unknown;
    await page.route(stack.tokenizerUrl, async (route) => {
      const response = await route.fetch();
      tokenized = await response.json();
      await route.fulfill({ response });
    });
    await shopper.pay();
    await shopper.until('succeeded');
    expect(tokenized).toMatchObject({ EXECCODE: '0000', SELECTEDBRAND: 'cb' });
    await shopper.untilPaidWith('CB •••• 0016');
    expect((await placed).postDataJSON()).toMatchObject({ card: { selectedBrand: 'cb' } });
    await shopper.leave();
  });
});
