import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import {
  aPartnerBAuthorization,
  databaseUrl,
  operationsSettings,
  sharedBrowser,
  startApp,
  waitFor,
  type RunningApp,
} from '@tranche/testing';
import { askAt, joinOperationsStage, type Item } from '../operations-stack.js';
import { addressOf, DESKTOP, MERCHANT, visit } from './console.js';

const SAID_WITHIN_MS = 5_000;
const schema = `console_${randomBytes(4).toString('hex')}`;
let stack: Awaited<ReturnType<typeof joinOperationsStage>>;
let operations: RunningApp;
beforeAll(async () => {
  stack = await joinOperationsStage();
  operations = await startApp('operations', operationsSettings(stack.gateway, schema));
});
afterAll(async () => {
  await operations.stop('SIGKILL');
  const sql = postgres(databaseUrl(), { max: 1, onnotice: () => undefined });
  await sql`drop schema if exists ${sql(schema)} cascade`;
  await Promise.all([sql.end(), stack.stop()]);
});

it('says within 5 s that it is cut off, keeps what was typed, and goes on by itself', async () => {
  const orderId = 'cut-off-1';
  await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true } });
  await stack.send('payment.authorize', aPartnerBAuthorization({ merchant: MERCHANT, orderId }));
  const listed = async () => {
    const { body } = await askAt<{ items: Item[] }>(operations, 'alice', `attention?merchant=${MERCHANT}&limit=500`);
    return body.items.some((item) => item.orderId === orderId);
  };
  await waitFor(listed, { what: 'the doubt in the queue' });
  const { url } = operations;
  const browser = await sharedBrowser();
  const { page } = await visit(browser, url, { person: 'alice', path: addressOf(orderId), screen: DESKTOP });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('radio', { name: /^succeeded/ }).check();
  const reason = page.getByLabel(/^How you know it/);
  await reason.fill('The back office shows it, ticket 817');
  await page.getByText('another approver than alice').waitFor();

  await operations.stop('SIGKILL');
  const killedAt = Date.now();
  await page.getByText('Cut off: operations does not answer').waitFor();
  expect(Date.now() - killedAt).toBeLessThan(SAID_WITHIN_MS);
  await page.getByRole('button', { name: 'Propose it' }).click();
  await page.getByText('Whether it was taken is not known').waitFor();
  expect(await reason.inputValue()).toBe('The back office shows it, ticket 817');

  const settings = { ...operationsSettings(stack.gateway, schema), PORT: new URL(url).port };
  operations = await startApp('operations', settings);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Propose it' }).click();
  await page.getByText('It is proposed.').waitFor();
  await page.context().close();
  await browser.close();
});
