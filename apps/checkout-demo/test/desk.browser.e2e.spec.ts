import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { authorized, CREDENTIALS } from './desk.js';
import { executed } from './shop-stack.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

it('an order is captured in part and refunded in part at the desk, and its deadline is shown until then', async () => {
  const { orderId } = await authorized(stack);
  const page = await stack.browser.newPage({ locale: 'en-GB', httpCredentials: CREDENTIALS });
  await page.goto(`${stack.shopUrl}/desk`);
  const sale = page.getByTestId(`sale-${orderId}`);
  const until = (state: string) => page.locator(`[data-testid=sale-${orderId}][data-state=${state}]`).waitFor();
  await until('due');
  await sale.getByText(/^Capture by \d+ \w+ \d{4}, /).waitFor();
  await sale.getByLabel('Amount in euros').fill('421.01');
  await sale.getByRole('button', { name: 'Capture €421.01' }).click();
  await sale.getByText('From €0.01 to €421.00.').waitFor();
  await sale.getByLabel('Amount in euros').fill('300');
  await sale.getByRole('button', { name: 'Capture €300.00' }).click();
  await until('paid');
  expect(await sale.getByText(/^Capture by/).count()).toBe(0);
  await sale.getByLabel('Amount in euros').fill('100,5');
  await sale.getByRole('button', { name: 'Refund €100.50' }).click();
  await until('partly');
  const operations = (await executed(stack.simulator, orderId)).map(({ operationType, amount }) => [
    operationType,
    amount,
  ]);
  expect(operations).toEqual([
    ['authorization', 42_100],
    ['capture', 30_000],
    ['refund', 10_050],
  ]);
  await page.context().close();
});
