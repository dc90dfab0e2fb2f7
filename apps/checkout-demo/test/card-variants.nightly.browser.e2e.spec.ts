import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { CARDS, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('a card in the browser', () => {
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

  it('is told of a brand that it does not have, and paid with by another one', async () => {
    const shopper = await enterShop(stack);
    const { page } = shopper;
    await shopper.enterCard();
    await page.getByTestId('brand-cb').check();
    await shopper.pay();
    await page.getByTestId('error-card-brand').waitFor();
    await page.getByTestId('brand-visa').check();
    await shopper.pay();
    await shopper.until('succeeded');
    expect(await stack.executed(await shopper.orderId())).toEqual(['payment 0000']);
    await shopper.leave();
  });

  it.each(['12/49', '1249', '12/2049', '12 / 49'])('is taken with the expiry typed as %s', async (expiry) => {
    const shopper = await enterShop(stack);
    await shopper.payByCard({ expiry, number: '4176 3320 0009 0016' });
    await shopper.until('succeeded');
    expect(await stack.executed(await shopper.orderId())).toEqual(['payment 0000']);
    await shopper.leave();
  });

  it('is shown in groups while it is typed, with the caret where the person types', async () => {
    const shopper = await enterShop(stack);
    const { page } = shopper;
    const number = page.getByTestId('card-number');
    await number.pressSequentially('41763320');
    expect(await number.inputValue()).toBe('4176 3320');
    expect(await page.getByTestId('card-scheme').textContent()).toBe('Visa');
    for (let left = 0; left < 6; left += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('99');
    expect(await number.inputValue()).toBe('4179 9633 20');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    expect(await number.inputValue()).toBe('4176 3320');
    await shopper.leave();
  });
});

it('what is wrong with a card is not shown with instalments, and shown again with the card', async () => {
  const shopper = await enterShop(stack);
  const { page } = shopper;
  await shopper.payByCard({ number: CARDS.failsItsCheckDigit });
  const summary = page.getByTestId('form-error');
  await summary.waitFor();
  expect(await summary.textContent()).toContain('A digit of this number is wrong');
  await shopper.choose('b3');
  await summary.waitFor({ state: 'hidden' });
  await page.getByTestId('method-card').check();
  await summary.waitFor();
  await shopper.leave();
});
