import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { heldThenApproved, paidThroughForm } from './instalments.js';
import { enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

it.each(['a4', 'a4wallet', 'a1euro', 'b4', 'b3fee', 'b4fee'])(
  '%s is paid through the form of the provider and back, and the events say that it was',
  async (method) => expect(await paidThroughForm(stack, method)).toEqual(['authorization 0000']),
);

it.each(['b4'])(
  '%s that the provider puts on hold is pending, and succeeds when the provider approves it',
  async (method) => expect(await heldThenApproved(stack, method)).toEqual(['authorization 0000']),
);

it.each(['refuse', 'abandon'] as const)('a form that ends by %s leaves every other way open', async (decision) => {
  const shopper = await enterShop(stack);
  await shopper.payIn('a3');
  await shopper.decide(decision);
  await shopper.until('refused');
  await shopper.payOtherwise();
  await shopper.payByCard();
  await shopper.until('succeeded');
  const refusal = decision === 'refuse' ? 'authorization 4001' : 'authorization 4004';
  expect(await stack.executed(await shopper.orderId())).toEqual([refusal, 'payment 0000']);
  await shopper.leave();
});

it('a form that was left by Back is replaced by another method, and the replaced form can not be paid beside it', async () => {
  const shopper = await enterShop(stack);
  await shopper.payIn('a4');
  await shopper.formOfProvider();
  await shopper.backToShop();
  await shopper.until('redirect');
  await shopper.payOtherwise();
  await shopper.payIn('b4');
  await shopper.decide('validate');
  await shopper.until('succeeded');
  const executed = await stack.executed(await shopper.orderId());
  expect(executed.filter((one) => one === 'authorization 0000')).toHaveLength(1);
  await shopper.leave();
});

it('another address, a company, a title and a date of birth go with the order, and stay after a reload', async () => {
  const shopper = await enterShop(stack);
  const { page } = shopper;
  await page.getByTestId('contact-more').click();
  await page.getByTestId('title').selectOption('mrs');
  await page.getByTestId('birthDate').fill('1984-02-29');
  await page.getByTestId('ship-elsewhere').check();
  const to = {
    companyName: 'Roitelet SARL',
    firstName: 'Paul',
    lastName: 'Martin',
    address: '3 quai Rambaud',
    postalCode: '69002',
  };
  for (const [field, text] of Object.entries(to)) await page.getByTestId(`ship-${field}`).fill(text);
  await page.getByTestId('ship-mobilePhone').fill('+33 7 00 00 00 00');
  await shopper.payIn('a3');
  await page.getByTestId('error-ship-city').waitFor();
  await page.reload();
  await page.getByTestId('ship-city').fill('Lyon');
  const placed = page.waitForRequest((request) => request.url().endsWith('/api/orders'));
  await shopper.payIn('a3');
  expect((await placed).postDataJSON()).toMatchObject({
    customer: { title: 'mrs', birthDate: '1984-02-29' },
    shipping: { ...to, city: 'Lyon', country: 'FR' },
  });
  await shopper.formOfProvider();
  expect(await page.locator('input[name=birthDate]').inputValue()).toBe('1984-02-29');
  await shopper.decide('validate');
  await shopper.until('succeeded');
  await shopper.leave();
});
