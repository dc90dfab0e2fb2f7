import { addressOf, joinConsole, type Console } from './console.js';

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

/** Markup, a mark that turns the direction, and a zero-width space. */
const HOSTILE = 'evil-<img src=x>-\u202Etxt\u200B-1';

it('what a shop publishes is a text everywhere, and what nobody would see has a name', async () => {
  // The gateway refuses hidden characters in new orders, so this answer is made to have them, as one of an older journal may.
  const orderId = 'text-of-shop-1';
  await console_.doubt(orderId);
  const { page, complaints } = await console_.visit('alice');
  const asTold = async () => {
    await page.route('**/v1/**', async (route) => {
      if (route.request().url().includes('/stream')) return route.fallback();
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(orderId, JSON.stringify(HOSTILE).slice(1, -1));
      await route.fulfill({ response, body });
    });
  };
  await asTold();
  await page.goto(`${console_.url}/search?q=${orderId}`);
  const row = page.locator('.rows a').first();
  await row.waitFor();
  expect(await row.textContent()).toContain('evil-<img src=x>-U+202EtxtU+200B-1');
  await page.goto(console_.url + addressOf(orderId));
  await page.locator('.picture').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.evaluate(() => document.body.innerHTML.includes('\u202E'))).toBe(false);
  expect(complaints).toEqual([]);
  // The stream has the page ask again at any time.
  await page.unrouteAll({ behavior: 'wait' });
  await page.context().close();
});

it('a long text is clipped, and a press shows all of it', async () => {
  const orderId = 'text-of-shop-2';
  const id = await console_.doubt(orderId);
  const reason = `${'The back office shows it. '.repeat(18)}The end.`;
  await console_.ask('second', `operations/${id}/resolve`, { outcome: 'succeeded', reason });
  const { page } = await console_.visit('alice', addressOf(orderId));
  const quote = page.locator('.proposal blockquote');
  await quote.waitFor();
  expect(await quote.textContent()).not.toContain('The end.');
  await quote.getByRole('button', { name: /^all \d+ characters$/ }).click();
  expect(await quote.textContent()).toContain('The end.');
  await page.context().close();
});
