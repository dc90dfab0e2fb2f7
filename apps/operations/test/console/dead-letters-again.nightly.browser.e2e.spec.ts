import { aCommand, aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinConsole, makePlan, statusOf, type Console } from './console.js';

/** No other spec has dead letters of this merchant. */
const merchant = 'shop-page';
const [fresh, doubtful] = ['page-letter-1', 'page-letter-2'] as const;
const again = (orderId: string) => aCommand('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it('dead letters are listed, judged and sent again at the page, but never one that is in doubt', async () => {
  await console_.doubt(doubtful, merchant);
  const { page, complaints } = await console_.visit('alice', `/dead-letters?merchant=${merchant}`);
  for (const orderId of [fresh, doubtful]) await console_.deadLetter(again(orderId));
  const letters = page.getByRole('table', { name: 'Dead letters' });
  const areListed = async () => {
    const { body } = await console_.ask<{ entries: object[] }>('alice', `dead-letters?merchant=${merchant}`);
    return body.entries.length === 2;
  };
  await waitFor(areListed, { what: 'two dead letters in PostgreSQL' });
  await page.reload();
  await letters.getByRole('link').nth(1).waitFor();
  expect(await letters.getByRole('link').count()).toBe(2);
  await page.goto(`${console_.url}/jobs`);
  await makePlan(page, { kind: 'replay', merchant, reason: 'The fault is mended, ticket 831' });
  await statusOf(page, 'planned').waitFor();
  const items = page.getByRole('table', { name: 'Items' });
  await items.getByRole('cell', { name: 'in-doubt' }).waitFor();
  await page.getByRole('button', { name: /^attempt/ }).click();
  await items.getByRole('cell', { name: 'in-doubt' }).waitFor({ state: 'detached' });
  expect(await items.locator('tbody tr').count()).toBe(1);

  await page.getByRole('button', { name: 'Start' }).click();
  await statusOf(page, 'done').waitFor();
  await items.getByText(/^done: Published to/).waitFor();
  await page.getByText('1 of 1', { exact: true }).waitFor();
  const isKnown = async () => (await console_.ask('alice', `orders/${merchant}/${fresh}`)).status === 200;
  await waitFor(isKnown, { what: 'the order of the replayed command' });
  await page.goto(`${console_.url}/?kind=dead_letters&merchant=${merchant}`);
  await page.getByRole('row').filter({ hasText: '1 record' }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});
