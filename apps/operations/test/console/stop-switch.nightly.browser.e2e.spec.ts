import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinConsole, type Console } from './console.js';

/** Nobody else stops this merchant. */
const merchant = 'shop-held';
const orderId = 'held-1';

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it('a merchant is stopped and let go on at the page: its commands wait meanwhile, and others see who stopped it and why', async () => {
  const isKnown = async () => (await console_.ask('alice', `orders/${merchant}/${orderId}`)).status === 200;
  const alice = await console_.visit('alice', '/rails');
  await alice.page.getByLabel('Another merchant').fill(merchant);
  const card = alice.page.locator('section.card').filter({ has: alice.page.getByLabel('Another merchant') });
  await card.getByText('Stop it').click();
  await card.getByLabel('Why').fill('The shop sends each order twice, call 17');
  await card.getByLabel('How long').selectOption('for an hour');
  await card.getByRole('button', { name: `Stop merchant ${merchant}` }).click();
  const stopped = alice.page
    .locator('section.card')
    .filter({ has: alice.page.getByRole('heading', { name: merchant }) });
  await stopped.getByText('1 of 1 instance').waitFor();
  await console_.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));

  const bob = await console_.visit('bob', '/?kind=control');
  const entry = bob.page.getByRole('row').filter({ hasText: `merchant ${merchant}` });
  await entry.getByText('stopped by alice: The shop sends each order twice, call 17').waitFor();
  await entry.getByText('it goes on').waitFor();
  await entry.getByRole('link').click();
  const theirs = bob.page.locator('section.card').filter({ has: bob.page.getByRole('heading', { name: merchant }) });
  await theirs.getByText('Let it go on').click();
  await theirs.getByLabel('Why').fill('The shop is mended, call 18');
  expect(await isKnown()).toBe(false);
  await theirs.getByRole('button', { name: `Let merchant ${merchant} go on` }).click();
  await theirs.waitFor({ state: 'detached' });
  await waitFor(isKnown, { what: 'the order that waited' });
  expect([...alice.complaints, ...bob.complaints]).toEqual([]);

  const viewer = await console_.visit('viewer', '/rails');
  await viewer.page.getByRole('heading', { name: /^partner-b/ }).waitFor();
  expect(await viewer.page.locator('.switch').count()).toBe(0);
  await Promise.all([alice, bob, viewer].map(({ page }) => page.context().close()));
});
