import { startBrowserStack, type BrowserStack } from './browser-stack.js';
import { CARDS, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await startBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('a card in the browser', () => {
  it('is paid with: encrypted, exchanged for a token, paid once', async () => {
    const shopper = await enterShop(stack);
    await shopper.payByCard();
    await shopper.until('succeeded');
    const orderId = await shopper.orderId();
    expect(await stack.executed(orderId)).toEqual(['payment 0000']);
    await shopper.leave();
  });

  it('is paid with although the key was rotated between fetch and tokenizer', async () => {
    const shopper = await enterShop(stack);
    const answers: string[] = [];
    await shopper.page.route(stack.tokenizerUrl, async (route) => {
      if (answers.length === 0) await stack.rotateKeys();
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

  it('that the bank refuses leaves every other way open, for the same order', async () => {
    const shopper = await enterShop(stack);
    await shopper.payByCard({ number: CARDS.withoutFunds });
    await shopper.until('refused');
    const orderId = await shopper.orderId();
    await shopper.payOtherwise();
    await shopper.payByCard({ number: CARDS.refusedByTheBank });
    await stack.untilExecuted(orderId, 2);
    await shopper.until('refused');
    await shopper.payOtherwise();
    await shopper.payIn('b3');
    await shopper.decide('validate');
    await shopper.until('succeeded');
    expect(await shopper.orderId()).toBe(orderId);
    expect(await stack.executed(orderId)).toEqual(['payment 4002', 'payment 4001', 'authorization 0000']);
    await shopper.leave();
  });
});
