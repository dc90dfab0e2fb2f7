import { addressOf, faultsOf, joinConsole, PHONE, type Console } from './console.js';

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it('axe finds nothing in the queue, in an order and in a decision, in light and in dark, and nothing is too wide', async () => {
  const orderId = 'axe-1';
  await console_.doubt(orderId);
  const { page, complaints } = await console_.visit('alice', '/', PHONE);
  await page.locator('.entry').first().waitFor();
  const found = await faultsOf(page, 'the queue');
  await page.goto(console_.url + addressOf(orderId));
  await page.getByRole('radio', { name: /^succeeded/ }).check();
  await page.getByText('who must agree').waitFor();
  await page.locator('.mark').first().waitFor();
  found.push(...(await faultsOf(page, 'a decision')));
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});
