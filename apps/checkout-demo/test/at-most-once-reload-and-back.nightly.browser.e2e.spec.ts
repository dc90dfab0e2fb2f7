import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { CARDS, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

describe('a reload', () => {
  it('while the card is tokenized begins anew, and the second attempt is the one payment', async () => {
    const shopper = await enterShop(stack);
    const held = shopper.hold(stack.tokenizerUrl);
    await shopper.payByCard();
    await held.arrived;
    await shopper.until('tokenizing');
    await shopper.page.reload();
    held.release();
    await shopper.payByCard();
    await shopper.until('succeeded');
    expect(await shopper.executed()).toHaveLength(1);
    await shopper.leave();
  });

  it('while the result is awaited, and again when it is there', async () => {
    const shopper = await enterShop(stack);
    // Long enough for the page to show that it waits, and shorter than the gateway's timeout of 30 s.
    await shopper.beforePlacing((orderId) => stack.answerLate(orderId, 20_000));
    await shopper.payByCard();
    const orderId = await shopper.orderId();
    await shopper.until('waiting');
    await shopper.page.reload();
    await shopper.until('succeeded');
    await shopper.page.reload();
    await shopper.until('succeeded');
    expect(await stack.executed(orderId)).toEqual(['payment 0000']);
    expect(await shopper.executed()).toHaveLength(1);
    await shopper.leave();
  });

  it('of the provider’s form, after the way back, and while it is pending', async () => {
    const shopper = await enterShop(stack);
    await shopper.payIn('b3');
    await shopper.formOfProvider();
    await shopper.page.reload();
    await shopper.decide('pending');
    await shopper.page.reload();
    await shopper.until('pending');
    await shopper.page.reload();
    await shopper.until('pending');
    expect(await shopper.executed()).toHaveLength(1);
    await shopper.leave();
  });

  it('of a refused order says so again', async () => {
    const shopper = await enterShop(stack);
    await shopper.payIn('a3');
    await shopper.decide('abandon');
    await shopper.until('refused');
    await shopper.page.reload();
    await shopper.until('refused');
    expect(await shopper.executed()).toHaveLength(1);
    await shopper.leave();
  });
});

describe('Back', () => {
  it('from a paid order to the shop: the order is pointed at, and paying again finds it paid', async () => {
    const shopper = await enterShop(stack);
    await shopper.payByCard();
    await shopper.until('succeeded');
    const orderId = await shopper.orderId();
    await shopper.page.goBack();
    await shopper.page.getByTestId('pay').waitFor();
    expect(await shopper.page.getByTestId('card-number').inputValue()).toBe('');
    await shopper.payByCard();
    await shopper.until('succeeded');
    expect(await shopper.orderId()).toBe(orderId);
    expect(await shopper.executed()).toHaveLength(1);
    await shopper.leave();
  });

  it('from the way back of the provider to its form: it is finished, and pays nothing more', async () => {
    const shopper = await enterShop(stack);
    await shopper.payIn('a3');
    await shopper.decide('validate');
    await shopper.until('succeeded');
    const address = shopper.page.url();
    await shopper.page.goBack();
    await shopper.page.goto(address);
    await shopper.until('succeeded');
    expect(await shopper.executed()).toHaveLength(1);
    await shopper.leave();
  });
});

describe('what is charged is what the button says', () => {
  it('also with a cart that was changed after a payment that got no answer: the first order stands, and is shown', async () => {
    const shopper = await enterShop(stack);
    await shopper.page.route(
      '**/api/orders',
      async (route) => void (await route.fetch(), await route.fulfill({ status: 503 })),
      {
        times: 1,
      },
    );
    await shopper.payIn('a3');
    await shopper.page.getByTestId('form-error').waitFor();
    await shopper.page.getByTestId('quantity-lamp-hazel').fill('3');
    await shopper.pay();
    await shopper.formOfProvider();
    await shopper.backToShop();
    expect(await shopper.orderTotal()).toBe('€421.00');
    expect(await shopper.executed()).toHaveLength(1);
    await shopper.leave();
  });

  it('with a cart that was changed after it was paid: that is another order', async () => {
    const shopper = await enterShop(stack);
    await shopper.payByCard();
    await shopper.until('succeeded');
    const orderId = await shopper.orderId();
    await shopper.page.goto(stack.shopUrl);
    await shopper.page.getByTestId('quantity-lamp-hazel').fill('3');
    await shopper.payByCard();
    await shopper.until('succeeded');
    expect(await shopper.orderId()).not.toBe(orderId);
    expect(await shopper.orderTotal()).toBe('€599.00');
    expect(await shopper.executed()).toHaveLength(2);
    await shopper.leave();
  });

  it('with the cart of a refused payment: back in the shop it is as it was, for another order; a paid one is gone', async () => {
    const shopper = await enterShop(stack);
    const lamps = shopper.page.getByTestId('quantity-lamp-hazel');
    const backInTheShop = async () => {
      await shopper.page.getByTestId('new-order').click();
      await shopper.page.waitForURL(`${stack.shopUrl}/`);
    };
    await lamps.fill('3');
    await shopper.payByCard({ number: CARDS.withoutFunds });
    await shopper.until('refused');
    const orderId = await shopper.orderId();
    await backInTheShop();
    expect(await lamps.inputValue()).toBe('3');
    await shopper.payByCard();
    await shopper.until('succeeded');
    expect(await shopper.orderId()).not.toBe(orderId);
    expect(await shopper.orderTotal()).toBe('€599.00');
    await backInTheShop();
    expect(await lamps.inputValue()).toBe('1');
    await shopper.leave();
  });
});
