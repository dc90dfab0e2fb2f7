import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { CARDS, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

const PHONE = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true };

it('what is typed is no longer called wrong, and no bar covers what is said of the field', async () => {
  const shopper = await enterShop(stack, PHONE);
  const { page } = shopper;
  await page.getByTestId('city').fill('');
  await shopper.pay();
  const wrong = page.locator('[aria-invalid=true]');
  await page.getByTestId('form-error').waitFor();
  const ids = ['city', 'card-number', 'card-expiry', 'card-cvv', 'card-name'];
  expect(await wrong.evaluateAll((fields) => fields.map(({ id }) => id))).toEqual(ids);
  for (const [index, id] of ids.entries()) {
    await page.getByTestId('form-error').getByRole('link').first().tap();
    await page.locator(`[data-testid=${id}]:focus`).waitFor();
    const isCovered = await page.getByTestId(`error-${id}`).evaluate((error) => {
      const { left, bottom } = error.getBoundingClientRect();
      return document.elementFromPoint(left + 5, bottom - 2) !== error;
    });
    expect([id, isCovered]).toEqual([id, false]);
    await page.keyboard.type('1');
    await page.getByTestId(`error-${id}`).waitFor({ state: 'hidden' });
    expect(await wrong.count()).toBe(ids.length - index - 1);
  }
  expect(await page.getByTestId('form-error').isHidden()).toBe(true);
  await shopper.leave();
});

it('after a refusal another payment is two presses away, with the address kept and nothing chosen', async () => {
  const shopper = await enterShop(stack, PHONE);
  const { page } = shopper;
  await page.getByTestId('city').fill('Nantes');
  await shopper.payByCard({ number: CARDS.refusedByTheBank });
  await shopper.until('refused');
  await page.getByTestId('person-summary').filter({ hasText: 'Nantes' }).waitFor();
  expect(await page.locator('input[name=way]:checked').count()).toBe(0);
  await page.getByTestId('way-3').tap();
  await page.getByTestId('pay').tap();
  await shopper.decide('validate');
  await shopper.until('succeeded');
  expect(await shopper.executed()).toEqual(['payment 4001', 'authorization 0000']);
  await shopper.leave();
});

it('every way to pay says what is paid when, and what it costs in all, before it is chosen', async () => {
  const shopper = await enterShop(stack);
  const { page } = shopper;
  const ways = await page.locator('.way-head').allTextContents();
  expect(ways).toEqual([
    expect.stringMatching(/^Card€421\.00/),
    expect.stringMatching(/^3 instalments€140\.34 todayThen €140\.33 on .+ and .+No fees: €421\.00 in all\.$/),
    expect.stringMatching(/^4 instalments€105\.25 todayThen €105\.25 on .+No fees: €421\.00 in all\.$/),
    expect.stringMatching(/^One-euro consumer credit€421\.00The provider shows rate and total cost first\.$/),
  ]);
  await page.getByTestId('way-3').check();
  await page.getByTestId('method-b3fee').check();
  await page.locator('.way-head', { hasText: '€421.00, plus a fee' }).waitFor();
  await shopper.leave();
});
