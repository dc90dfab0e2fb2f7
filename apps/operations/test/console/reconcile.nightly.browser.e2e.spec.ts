import { aPartnerBAuthorization } from '@tranche/testing';
import { joinConsole, makePlan, statusOf, type Console } from './console.js';

const merchant = 'shop-page';
const reason = 'The export of the day, ticket 816';

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it('an export is compared at the page: each fault of the file is named, then each difference is what it is', async () => {
  const orderId = 'page-compared-1';
  await console_.fault({ match: { orderPrefix: orderId }, fault: { withoutForm: '0000' } });
  await console_.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  const { page, complaints } = await console_.visit('alice', `/search?q=${orderId}`);
  await page.getByRole('row').filter({ hasText: orderId }).getByText('authorized').waitFor();
  await page.goto(`${console_.url}/jobs`);
  await makePlan(page, { kind: 'reconcile', merchant, reason, csv: 'ORDERID;TRANSACTIONID\nx;y\n' });
  await page.locator('.said').getByText('OPERATIONTYPE').waitFor();
  expect(await page.getByLabel(/^Why/).inputValue()).toBe(reason);

  await makePlan(page, { kind: 'reconcile', merchant, reason, csv: await console_.exported(merchant, 'extra') });
  await statusOf(page, 'done').waitFor();
  await page.getByRole('button', { name: /^only-there/ }).click();
  const items = page.getByRole('table', { name: 'Items' });
  await items.getByRole('cell', { name: 'only-there' }).first().waitFor();
  expect(await items.getByRole('cell', { name: 'matched' }).count()).toBe(0);
  await page.getByRole('button', { name: /^matched/ }).click();
  await items.getByRole('row').filter({ hasText: orderId }).waitFor();
  expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});
