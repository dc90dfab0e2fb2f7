import { joinConsole, makePlan, statusOf, type Console } from './console.js';

const merchant = 'shop-page';

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it('a plan that is cancelled at the page is over: nobody can start it, and a person without the role sees no way to', async () => {
  const { page } = await console_.visit('alice', '/jobs');
  const csv = await console_.exported(merchant);
  await makePlan(page, { kind: 'resolve-by-file', merchant, reason: 'The wrong file, ticket 817', csv });
  await statusOf(page, 'planned').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await statusOf(page, 'cancelled').waitFor();
  for (const name of ['Start', 'Cancel']) await page.getByRole('button', { name }).waitFor({ state: 'detached' });
  await page.goto(`${console_.url}/jobs`);
  const jobs = page.getByRole('table', { name: 'Jobs' });
  await jobs.getByRole('row').filter({ hasText: 'The wrong file, ticket 817' }).getByText('cancelled').waitFor();
  const viewer = await console_.visit('viewer', '/jobs');
  await viewer.page.getByRole('heading', { name: 'Jobs' }).waitFor();
  expect(await viewer.page.getByText('New job').count()).toBe(0);
  await Promise.all([page, viewer.page].map((one) => one.context().close()));
});
