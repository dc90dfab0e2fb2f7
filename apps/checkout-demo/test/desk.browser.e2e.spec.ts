import type { Page } from 'playwright-core';
import { waitFor } from '@tranche/testing';
import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { authorized, CREDENTIALS } from './desk.js';
import { aCard, anOrder, CUSTOMER, executed, placed, untilStatus } from './shop-stack.js';

let stack: BrowserStack;
let page: Page;
beforeAll(async () => {
  stack = await joinBrowserStack();
  page = await stack.browser.newPage({ locale: 'en-GB', httpCredentials: CREDENTIALS });
  await page.goto(`${stack.shopUrl}/desk`);
}, 180_000);
afterAll(async () => {
  await page?.context().close();
  await stack?.stop();
});

const saleOf = (orderId: string) => page.getByTestId(`sale-${orderId}`);
const until = (orderId: string, state: string) =>
  page.locator(`[data-testid=sale-${orderId}][data-state=${state}]`).waitFor();
const go = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const amounts = async (orderId: string) =>
  (await executed(stack.simulator, orderId)).map(({ operationType, amount }) => `${operationType} ${amount}`);

it('captures a part after a last look, and its deadline is shown until then', async () => {
  const { orderId } = await authorized(stack);
  await until(orderId, 'due');
  await saleOf(orderId)
    .getByText(/^Capture by \d+ \w+ \d{4}, /)
    .waitFor();
  await page.getByTestId(`capture-${orderId}`).click();
  await page.getByLabel('Amount in euros').fill('421.01');
  await page.getByText('From €0.01 to €421.00.').waitFor();
  expect(await go('Capture…').isDisabled()).toBe(true);
  await page.getByLabel('Amount in euros').fill('300');
  expect(await page.getByText('From €0.01').count()).toBe(0);
  await go('Capture €300.00…').click();
  await go('Capture €300.00').click();
  await until(orderId, 'paid');
  expect(
    await saleOf(orderId)
      .getByText(/^Capture by/)
      .count(),
  ).toBe(0);
  await page.getByTestId(`refund-${orderId}`).click();
  await page.getByLabel('An amount').check();
  await page.getByLabel('Amount in euros').fill('100,5');
  expect(await go('Refund…').isDisabled()).toBe(true);
  await page.getByLabel('Reason').selectOption('Goodwill');
  await go('Refund €100.50…').click();
  await go('Refund €100.50').click();
  await until(orderId, 'partly');
  expect(await amounts(orderId)).toEqual(['authorization 42100', 'capture 30000', 'refund 10050']);
});

it('refunds by articles with a reason, offers only what is left, and finds orders by person and state', async () => {
  const email = `eloise.${Date.now()}@example.com`;
  const customer = { ...CUSTOMER, firstName: 'Éloïse', email };
  const order = anOrder({ method: 'card', card: await aCard(stack.simulator), customer });
  const { orderId, pageId } = await placed(stack.shop, order);
  await untilStatus(stack.shop, pageId, 'succeeded');
  await page.getByTestId('search').fill(email.toUpperCase());
  await waitFor(async () => (await page.locator('.sale').count()) === 1, { what: 'one order' });
  await saleOf(orderId).getByText('Éloïse Martin').waitFor();
  await page.getByTestId('state').selectOption('due');
  await page.getByText('No order is like this.').waitFor();
  await page.getByTestId('state').selectOption('paid');
  await page.getByTestId(`refund-${orderId}`).click();
  await page.getByLabel('Wren oak chair').selectOption('1');
  await page.getByLabel('Reason').selectOption('Damaged');
  await go('Refund €145.00…').click();
  await page.getByRole('dialog').getByText('1 × Wren oak chair: €145.00').waitFor();
  expect(await amounts(orderId)).toEqual(['payment 42100']);
  await page.getByTestId('state').evaluate((select: HTMLSelectElement) => (select.value = ''));
  await go('Refund €145.00').click();
  await until(orderId, 'partly');
  await saleOf(orderId).getByText('Refund €145.00 · 1 × Wren oak chair · Damaged').waitFor();
  expect(await amounts(orderId)).toEqual(['payment 42100', 'refund 14500']);
  await page.getByTestId(`refund-${orderId}`).click();
  expect(await page.getByLabel('Wren oak chair').locator('option').allTextContents()).toEqual(['0', '1']);
  await page.keyboard.press('Escape');
});
