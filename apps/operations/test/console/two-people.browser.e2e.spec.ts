import { addressOf, joinConsole, MERCHANT, type Console } from './console.js';

/** One person may say that a payment of this merchant succeeded; a refusal needs two. */
const ONE_IS_ENOUGH = 'shop-counted';

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it('a doubt is decided by two people in two browsers, each of whom sees it at once, and nothing is inline', async () => {
  const orderId = 'page-of-two-1';
  await console_.doubt(orderId);
  const alice = await console_.visit('alice', addressOf(orderId));
  const bob = await console_.visit('bob', addressOf(orderId));
  await bob.page.locator('.decide').waitFor();

  await alice.page.getByRole('radio', { name: /^succeeded/ }).check();
  const whatIf = alice.page.getByLabel('What would happen');
  await whatIf.getByText('authorized', { exact: true }).waitFor();
  await whatIf.getByText('another approver than alice').waitFor();
  await alice.page.getByLabel(/^How you know it/).fill('The back office shows it, ticket 814');
  await alice.page.getByRole('button', { name: 'Propose it' }).click();
  await alice.page.getByText('It is proposed.').waitFor();
  // The form gives way to the proposal, in both browsers.
  for (const { page } of [alice, bob]) await page.locator('.decide').waitFor({ state: 'detached' });
  expect(await alice.page.getByText('It is proposed.').isVisible()).toBe(true);

  await bob.page.getByRole('heading', { name: /alice says: succeeded/ }).waitFor();
  await bob.page.getByText('The back office shows it, ticket 814').waitFor();
  await bob.page.getByRole('button', { name: 'Approve' }).click();
  const head = (page: typeof bob.page) => page.locator('.order-head h1').getByText('authorized');
  await Promise.all([head(bob.page).waitFor(), head(alice.page).waitFor()]);
  await alice.page.locator('.decide').waitFor({ state: 'detached' });
  await bob.page.getByText('It counts.').waitFor();
  await alice.page.locator('.proposal').getByText('approved').waitFor();
  expect([...alice.complaints, ...bob.complaints]).toEqual([]);
  await Promise.all([alice.page.context().close(), bob.page.context().close()]);
});

it('a proposal whose order has moved on does not count, and both are told', async () => {
  const orderId = 'page-of-two-2';
  const id = await console_.doubt(orderId, ONE_IS_ENOUGH);
  const alice = await console_.visit('alice', addressOf(orderId, ONE_IS_ENOUGH));
  await alice.page.getByRole('radio', { name: /^refused/ }).check();
  await alice.page.getByLabel(/^How you know it/).fill('The platform refused it, ticket 815');
  await alice.page.getByRole('button', { name: 'Propose it' }).click();
  await alice.page.getByText('It is proposed.').waitFor();

  const bob = await console_.visit('bob', '/approvals');
  const card = bob.page.locator('.proposal').filter({ hasText: orderId });
  await card.getByRole('button', { name: 'Approve' }).waitFor();
  const said = { outcome: 'succeeded', reason: 'The back office shows it' };
  expect((await console_.ask('second', `operations/${id}/resolve`, said)).status).toBe(200);

  await card.getByText('It would not count').waitFor();
  await card.getByRole('button', { name: 'Approve' }).click();
  await bob.page.getByText('The order has moved on').first().waitFor();
  await alice.page.locator('.order-head h1').getByText('authorized').waitFor();
  await Promise.all([alice.page.context().close(), bob.page.context().close()]);
});

it('a viewer of one merchant sees no order of another, and no way to decide', async () => {
  const orderId = 'page-of-two-3';
  await console_.doubt(orderId, 'shop-fr');
  const { page } = await console_.visit('viewer', addressOf('page-of-two-1', MERCHANT));
  await page.getByText('You may not see the order.').waitFor();
  await page.goto(console_.url + addressOf(orderId, 'shop-fr'));
  await page.getByText('Your role is viewer').waitFor();
  expect(await page.locator('.decide').count()).toBe(0);
  await page.context().close();
});
