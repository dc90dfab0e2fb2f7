import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { formError, paysOtherwise } from './failures.js';
import { CARDS, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('nothing is sent to the platform', () => {
  it.each([
    ['number', '4176 3320 0009 001x'],
    ['expiry', '13/49'],
    ['cvv', '12'],
    ['name', ''],
  ])('with a card whose %s is not in its format; what was typed stays as it was typed', async (field, typed) => {
    const shopper = await enterShop(stack);
    await shopper.payByCard({ [field]: typed });
    await shopper.page.getByTestId(`error-card-${field}`).waitFor();
    expect(await shopper.page.getByTestId(`card-${field}`).inputValue()).toBe(typed);
    expect(await shopper.executed()).toEqual([]);
    await shopper.leave();
  });

  it.each([
    ['fails its check digit', 'number', { number: CARDS.failsItsCheckDigit }],
    ['has expired', 'expiry', { expiry: '01-20' }],
  ])('with a card that %s: the page says so at its field, and a right one is paid with', async (_, field, changes) => {
    const shopper = await enterShop(stack);
    await shopper.payByCard(changes);
    await shopper.page.getByTestId(`error-card-${field}`).waitFor();
    expect(await shopper.executed()).toEqual([]);
    await shopper.payByCard();
    await shopper.until('succeeded');
    expect(await shopper.executed()).toEqual(['payment 0000']);
    await shopper.leave();
  });

  it.each(['keysUrl', 'tokenizerUrl'] as const)(
    'while %s can not be reached; trying again afterwards is safe',
    async (address) => {
      const shopper = await enterShop(stack);
      await shopper.page.route(stack[address], (route) => route.abort('connectionrefused'));
      await shopper.payByCard();
      await formError(shopper).waitFor();
      expect(await shopper.executed()).toEqual([]);
      await shopper.page.unroute(stack[address]);
      await shopper.pay();
      await shopper.until('succeeded');
      expect(await stack.executed(await shopper.orderId())).toEqual(['payment 0000']);
      await shopper.leave();
    },
  );
});

describe('a token that the platform does not take', () => {
  it('because it was used: the second payment is refused, and another method is open', async () => {
    const first = await enterShop(stack);
    const used = first.tokenOfNextPayment();
    await first.payByCard();
    await first.until('succeeded');
    const second = await enterShop(stack);
    await second.replaceToken(await used);
    await second.payByCard();
    await second.until('refused');
    expect(await stack.executed(await second.orderId())).not.toContain('payment 0000');
    await second.payOtherwise();
    await paysOtherwise(second);
    await Promise.all([first.leave(), second.leave()]);
  });
});

describe('a browser that lacks what others have', () => {
  it('keeps nothing and knows no randomUUID, as on plain HTTP: instalments are paid all the same', async () => {
    const shopper = await enterShop(stack);
    await shopper.page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('not allowed', 'SecurityError');
          },
        });
      Object.defineProperty(Crypto.prototype, 'randomUUID', { value: undefined });
    });
    await shopper.page.reload();
    await paysOtherwise(shopper);
    await shopper.leave();
  });
});

it('a shop that does not answer says so, and opens when it is asked again', async () => {
  const shopper = await enterShop(stack);
  await shopper.page.route('**/api/shop', (route) => route.abort('connectionrefused'));
  await shopper.page.reload();
  await shopper.until('closed');
  await shopper.page.unroute('**/api/shop');
  await shopper.page.getByTestId('open-again').click();
  await shopper.page.getByTestId('pay').waitFor();
  await paysOtherwise(shopper);
  await shopper.leave();
});
