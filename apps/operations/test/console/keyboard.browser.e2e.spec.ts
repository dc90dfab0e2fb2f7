import { joinConsole, MERCHANT, type Console } from './console.js';

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it('a doubt is found, looked at and proposed with the keyboard alone', async () => {
  const orderId = 'keys-only-1';
  await console_.doubt(orderId);
  const { page } = await console_.visit('alice');
  const { keyboard } = page;
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.locator('.verdict').waitFor();
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await keyboard.press('/');
  await page.getByRole('searchbox').waitFor();
  await keyboard.type('keys-only');
  // The queue, which is shown until then, lists other orders too.
  await page.locator('[data-row]').filter({ hasNotText: orderId }).first().waitFor({ state: 'detached' });
  await page.getByRole('link', { name: new RegExp(orderId) }).waitFor();
  await keyboard.press('Escape');
  await keyboard.press('j');
  expect(await focused()).toContain(orderId);
  await keyboard.press('Enter');
  await page.locator('.picture').waitFor();

  await page.locator('.mark[role=button]').last().focus();
  await keyboard.press('ArrowLeft');
  expect(await page.locator('.mark:focus').getAttribute('aria-pressed')).toBe('true');

  await keyboard.press('r');
  await keyboard.press('Space');
  await page.getByLabel('What would happen').getByText('another approver than alice').waitFor();
  const reason = page.getByLabel(/^How you know it/);
  while (!(await reason.evaluate((field) => field === document.activeElement))) await keyboard.press('Tab');
  await keyboard.type('The back office shows it, ticket 816');
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await page.getByText('It is proposed.').waitFor();
  const { body } = await console_.ask<{ proposals: { orderId: string; merchant: string }[] }>('alice', 'proposals');
  expect(body.proposals).toContainEqual(expect.objectContaining({ orderId, merchant: MERCHANT }));
  await page.context().close();
});
