import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import {
  aPartnerBAuthorization,
  coldLoads,
  databaseUrl,
  operationsSettings,
  operatorKey,
  sharedBrowser,
  startApp,
  waitFor,
  type RunningApp,
} from '@tranche/testing';
import { askAt, joinOperationsStage, type Item } from '../operations-stack.js';
import { DESKTOP, faultsOf, visit } from './console.js';

const merchant = 'shop-page';
const orderId = 'thousands-1';
const MANY = 5_000;
const schema = `thousands_${randomBytes(4).toString('hex')}`;
const sql = postgres(databaseUrl(), { max: 1, onnotice: () => undefined });
let stack: Awaited<ReturnType<typeof joinOperationsStage>>;
let operations: RunningApp;
beforeAll(async () => {
  stack = await joinOperationsStage();
  operations = await startApp('operations', operationsSettings(stack.gateway, schema));
}, 120_000);
afterAll(async () => {
  await operations.stop();
  await sql`drop schema if exists ${sql(schema)} cascade`;
  await Promise.all([sql.end(), stack.stop()]);
});

/** Rows as the fold made them of one doubt, with other numbers. */
async function copies(): Promise<void> {
  await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true } });
  await stack.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  const listed = async () => {
    const { body } = await askAt<{ items: Item[] }>(operations, 'alice', `attention?merchant=${merchant}&limit=500`);
    return body.items.some((item) => item.orderId === orderId);
  };
  await waitFor(listed, { what: 'the doubt in the queue' });
  const key = `${merchant}/${orderId}`;
  await sql`
    insert into ${sql(schema)}.orders (key, merchant, order_id, partition, status, currency, amount, began_at, moved_at, last_offset, names, state)
    select key || '-' || n, merchant, order_id || '-' || n, partition, status, currency, amount, began_at, moved_at, last_offset, names,
      jsonb_set(state, '{orderId}', to_jsonb(order_id || '-' || n))
    from ${sql(schema)}.orders, generate_series(2, ${MANY}::int) as n where key = ${key}`;
  await sql`
    insert into ${sql(schema)}.attention (key, id, kind, merchant, order_id, since, open_from, act_by, urgent_at, amount, currency, body)
    select key || '-' || n, id || n, kind, merchant, order_id || '-' || n, since - n * interval '1 minute', open_from, act_by,
      urgent_at - n * interval '1 minute', amount + n, currency, body
    from ${sql(schema)}.attention, generate_series(2, ${MANY}::int) as n where key = ${key}`;
}

it('a queue of thousands is there at once, and each further page as soon; only one page is drawn', async () => {
  await copies();
  const browser = await sharedBrowser();
  const { page, complaints } = await visit(browser, operations.url, { person: 'alice', path: '/', screen: DESKTOP });
  const entries = page.locator('.entry');
  const timed = async (doing: () => Promise<unknown>) => {
    const fromMs = performance.now();
    await doing();
    return Math.round(performance.now() - fromMs);
  };
  const first = await timed(async () => {
    await page.goto(operations.url);
    await entries.first().waitFor();
  });
  const session = { 'tranche.session': JSON.stringify({ token: operatorKey('alice') }) };
  const loads = await coldLoads(browser, { url: operations.url, session, selector: '.entry', loads: 10 });
  const cold = loads.map(Math.round);
  const next = page.getByRole('button', { name: 'Next page' });
  const found = await faultsOf(page, 'thousands');
  const seen = new Set<string>();
  const times: number[] = [];
  for (let part = 2; ; part++) {
    for (const name of await entries.getByRole('link').allTextContents()) seen.add(name);
    expect(await entries.count()).toBeLessThan(200);
    if (!(await next.isVisible())) break;
    times.push(await timed(() => next.click().then(() => page.getByText(`on page ${part}`).waitFor())));
    await page.waitForFunction(() => document.querySelector('.entry') !== null);
  }
  times.sort((one, other) => one - other);
  console.info(`${MANY} entries: first content after ${first} ms, of 10 cold loads half after ${cold[5]} ms, all within ${cold[9]} ms; of ${times.length} further pages half after ${times[times.length >> 1]} ms, all within ${times.at(-1)} ms`); // prettier-ignore
  expect(seen.size).toBeGreaterThanOrEqual(MANY);
  await page.getByRole('button', { name: 'Page before' }).click();
  await page.keyboard.press('j');
  expect(await page.evaluate(() => document.activeElement?.hasAttribute('data-row'))).toBe(true);
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
  await browser.close();
}, 300_000);
