import { aPartnerBAuthorization } from '@tranche/testing';
import { joinConsole, makePlan, statusOf, type Console } from './console.js';

const merchant = 'shop-page';
const ids = ['page-file-1', 'page-file-2'];

let console_: Console;
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

it('doubts are decided by the platform’s export at the page: one person starts it, and another one approves', async () => {
  for (const orderId of ids) {
    await console_.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true, withoutForm: '0000' } });
    await console_.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  }
  await Promise.all(ids.map((orderId) => console_.listed(merchant, orderId, 'doubt')));
  const { page: alice, complaints } = await console_.visit('alice', '/jobs');
  const csv = await console_.exported(merchant);
  await makePlan(alice, { kind: 'resolve-by-file', merchant, reason: 'The export has them, ticket 815', csv });
  await alice.getByRole('button', { name: /^propose 2/ }).waitFor();
  await alice.getByRole('button', { name: 'Start' }).click();
  await statusOf(alice, 'done').waitFor();
  await alice.getByText('2 of 2', { exact: true }).waitFor();
  expect(await alice.getByRole('button', { name: 'Approve its proposals' }).count()).toBe(0);

  const bob = await console_.visit('bob', new URL(alice.url()).pathname);
  await bob.page.getByRole('button', { name: 'Approve its proposals' }).click();
  const approved = (page: typeof alice, orderId: string) =>
    page.getByRole('row').filter({ hasText: orderId }).getByRole('cell', { name: 'approved', exact: true }).waitFor();
  await Promise.all([alice, bob.page].flatMap((page) => ids.map((orderId) => approved(page, orderId))));
  await bob.page.getByRole('button', { name: 'Approve its proposals' }).waitFor({ state: 'detached' });
  await alice.goto(`${console_.url}/search?q=${ids[0]}`);
  await alice.getByRole('row').filter({ hasText: ids[0]! }).getByText('authorized').waitFor();
  expect([...complaints, ...bob.complaints]).toEqual([]);
  await Promise.all([alice, bob.page].map((page) => page.context().close()));
});
