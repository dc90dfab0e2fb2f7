import { addressOf, DESKTOP, faultsOf, joinConsole, PAGES, PHONE, type Console } from './console.js';

let console_: Console;
jest.setTimeout(600_000);
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('axe finds nothing on any page, in light and in dark, on a %s', async (device, screen) => {
  const orderId = `axe-all-${device}-1`;
  await console_.doubt(orderId);
  const { page, complaints } = await console_.visit('alice', '/', screen);
  const found: string[] = [];
  for (const path of [...PAGES, '/jobs/none', addressOf(orderId)]) {
    await page.goto(console_.url + path);
    await page.locator('main h1, main .state').first().waitFor();
    await page.waitForFunction(() => document.querySelector('.loading') === null);
    found.push(...(await faultsOf(page, path)));
  }
  await page.getByRole('radio', { name: /^succeeded/ }).check();
  await page.getByText('who must agree').waitFor();
  found.push(...(await faultsOf(page, 'a decision')));
  await page.getByRole('button', { name: 'As a list' }).click();
  found.push(...(await faultsOf(page, 'the records as a list')));
  await page.getByRole('button', { name: 'See the order as it was then' }).click();
  await page.getByText('As it was then, and why').waitFor();
  found.push(...(await faultsOf(page, 'an order as it was')));
  await page.goto(console_.url + addressOf('not-there'));
  await page.getByRole('alert').waitFor();
  found.push(...(await faultsOf(page, 'an unknown order')));
  await page.keyboard.press('?');
  found.push(...(await faultsOf(page, 'the keys')));
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  found.push(...(await faultsOf(page, 'the sign-in')));
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});
