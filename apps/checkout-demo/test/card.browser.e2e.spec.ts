import { SHOP_API_KEYS } from '@tranche/testing';
import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('a card in the browser', () => {
  it('is paid with: encrypted, exchanged for a token, paid once', async () => {
    const shopper = await enterShop(stack);
    await shopper.payByCard();
    await shopper.until('succeeded');
    await shopper.untilPaidWith('Visa …0016');
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
});
