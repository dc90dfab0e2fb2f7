import type { Page } from 'playwright-core';
import { aPartnerBAuthorization } from '@tranche/testing';
import { joinConsole, MERCHANT, type Console } from './console.js';

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

const row = (page: Page, text: string) => page.locator('[data-row]').filter({ hasText: text });

it('an order is found by its amount as a person writes it, and by its currency', async () => {
  const orderId = 'written-amount-1';
  await console_.doubt(orderId);
  const { amount, currency } = aPartnerBAuthorization();
  const written = (amount / 100).toFixed(2).replace('.', ',');
  const { page } = await console_.visit('alice', `/search?q=${orderId}`);
  const field = page.getByRole('textbox', { name: 'Amount' });
  await row(page, orderId).waitFor();
  await field.fill('0,01 EUR');
  await row(page, orderId).waitFor({ state: 'detached' });
  await field.fill(`${written} ${currency}`);
  await row(page, orderId).waitFor();
  await field.fill(`${written} CHF`);
  await row(page, orderId).waitFor({ state: 'detached' });
  await field.fill(String(amount));
  await row(page, orderId).waitFor();
  await field.fill('a lot');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await page.context().close();
});

it('the audit shows what one person did, of one kind, until a day', async () => {
  const orderId = 'filtered-audit-1';
  const id = await console_.doubt(orderId);
  const reason = 'The back office shows it, ticket 817';
  await console_.ask('second', `operations/${id}/resolve`, { outcome: 'succeeded', reason });
  const { page } = await console_.visit('alice', `/audit?merchant=${MERCHANT}&kind=resolution.submit`);
  await row(page, orderId).waitFor();
  const who = page.getByRole('textbox', { name: 'Who' });
  await who.fill('nobody');
  await row(page, orderId).waitFor({ state: 'detached' });
  await who.fill('second');
  await row(page, orderId).waitFor();
  await page.getByLabel('Until').fill('2020-01-01');
  await row(page, orderId).waitFor({ state: 'detached' });
  await page.context().close();
});

it('the queue says that the gateway builds its index, and what amounts a conflict is about', async () => {
  const conflict = { kind: 'conflict', id: 'c', merchant: MERCHANT, orderId: 'two-amounts-1', amount: 25_000 };
  const about = { operation: 'capture', reasons: ['other_amount'], amounts: [25_000, 20_000] };
  const answer = { counts: [], items: [{ ...conflict, currency: 'EUR', about }], behind: 0, beingBuilt: [3, 7] };
  const { page, complaints } = await console_.visit('alice');
  await page.route('**/v1/attention*', (route) => route.fulfill({ json: answer }));
  await page.reload();
  await page.getByRole('status').getByText('The gateway builds its index of 2 partitions anew').waitFor();
  const entry = page.locator('.entry').filter({ hasText: 'two-amounts-1' });
  expect(await entry.locator('.amount').textContent()).toBe('250.00 EUR 200.00 EUR ');
  expect(complaints).toEqual([]);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});
