import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import {
  operatorKey,
  repositoryRoot,
  sharedBrowser,
  startDrillWorld,
  waitFor,
  type DrillWorld,
  type TestBrowser,
} from '@tranche/testing';
import type { Person } from '../operations-stack.js';
import { addressOf, DESKTOP, PHONE, visit, type Visit } from './console.js';

const QUARTER_MS = 16 * 60_000;
const MERCHANT = 'shop-fr';
const REASON = 'The back office shows it, ticket 901';
/** The built program, as the image has it. */
const TRANCHE = join(repositoryRoot(), 'apps/cli/dist/service.js');

let world: DrillWorld;
let browser: TestBrowser;
const visits: Visit[] = [];
beforeAll(async () => void ([world, browser] = await Promise.all([startDrillWorld(), sharedBrowser()])));
afterAll(() => Promise.all([world?.stop(), browser?.close()]));
afterEach(() => Promise.all(visits.splice(0).map(({ page }) => page.context().close())));

/** Situations are made, and judged, by the command; between the two only the page is used. */
async function drill<T>(...args: string[]): Promise<T> {
  const env = { ...world.env, PATH: process.env.PATH, TRANCHE_TOKEN: operatorKey('alice') };
  const told = await promisify(execFile)(process.execPath, [TRANCHE, 'drill', ...args, '-o', 'json'], { env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  if (told.stdout === '') throw new Error(told.stderr);
  return JSON.parse(told.stdout) as T;
}

async function start(name: string): Promise<string> {
  const { order } = await drill<{ order: string }>('start', name);
  return order.slice(MERCHANT.length + 1);
}

/** The end of a situation, which must be that it was solved. */
async function expectSolved(name: string): Promise<void> {
  const end = await waitFor(
    async () => {
      const judgement = await drill<{ verdict: string }>('check', name);
      return judgement.verdict === 'open' ? undefined : judgement;
    },
    { timeoutMs: 60_000, what: `the end of ${name}` },
  );
  expect(end).toMatchObject({ verdict: 'solved', cost: { maybeTwice: 0, leftUndone: 0 } });
}

interface Executed {
  operationType: string;
  transactionId: string;
  amount: number;
  origin: string;
}

async function backOffice(orderId: string, operation: string): Promise<Executed> {
  const operations = await drill<Executed[]>('back-office', `${MERCHANT}/${orderId}`);
  return operations.find(({ operationType, origin }) => operationType === operation && origin === 'request')!;
}

async function at(person: Person, path = '/', screen: object = DESKTOP): Promise<Page> {
  const made = await visit(browser, world.operations.url, { person, path, screen });
  visits.push(made);
  return made.page;
}

/** Alice proposes and Bob agrees, each on a screen of their own. */
async function decided(orderId: string, outcome: RegExp, transactionId?: string, screen: object = DESKTOP): Promise<void> {
  const alice = await at('alice', addressOf(orderId, MERCHANT), screen);
  await alice.getByRole('radio', { name: outcome }).check();
  if (transactionId !== undefined) await alice.getByRole('textbox', { name: /^TRANSACTIONID/ }).fill(transactionId);
  await alice.getByRole('textbox', { name: /^How you know it/ }).fill(REASON);
  await alice.getByRole('button', { name: 'Propose it' }).click();
  await alice.getByText('It is proposed.').waitFor();
  const bob = await at('bob', addressOf(orderId, MERCHANT), screen);
  await bob.getByRole('heading', { name: /alice says/ }).waitFor();
  await bob.getByRole('button', { name: 'Approve' }).click();
  await bob.getByText('It counts.').waitFor();
} // prettier-ignore

/** Presses Tab until the focus is there. */
async function focusOn(page: Page, name: RegExp, role: 'textbox' | 'combobox' | 'button'): Promise<void> {
  const wanted = page.getByRole(role, { name });
  await wanted.waitFor();
  while (!(await wanted.evaluate((one) => one === document.activeElement))) await page.keyboard.press('Tab');
}

it('a late and a forged notification are looked at, and end by themselves', async () => {
  const [late, forged] = await Promise.all([start('late'), start('forged')]);
  const [ofLate, quarantine, ofForged] = await Promise.all([
    at('alice', addressOf(late, MERCHANT)),
    at('alice', '/quarantine'),
    at('alice', addressOf(forged, MERCHANT)),
  ]);
  await quarantine.getByRole('table', { name: 'Quarantine' }).getByRole('cell', { name: MERCHANT }).first().waitFor();
  await ofLate.getByRole('heading', { level: 1, name: /captured/ }).waitFor();
  await ofForged.getByRole('heading', { level: 1, name: /refused/ }).waitFor();
  for (const name of ['late', 'forged']) await expectSolved(name);
}, 180_000);

it('doubts and a refund of the back office are decided by two people, on a desktop and on a phone', async () => {
  const [executed, refunded, nothing] = await Promise.all([start('executed'), start('back-office'), start('not-executed')]);
  await decided(executed, /^succeeded/, (await backOffice(executed, 'capture')).transactionId);
  await expectSolved('executed');
  await decided(refunded, /^succeeded/, (await backOffice(refunded, 'refund')).transactionId, PHONE);
  await expectSolved('back-office');
  expect(await backOffice(nothing, 'capture')).toBeUndefined();
  await world.travel(QUARTER_MS);
  await decided(nothing, /^not executed/);
  await expectSolved('not-executed');
}, 240_000); // prettier-ignore

it('a conflict is settled by two people with the keyboard alone', async () => {
  const conflict = await start('conflict');
  const { amount } = await backOffice(conflict, 'capture');
  const alice = await at('alice', addressOf(conflict, MERCHANT));
  await alice.getByRole('radio', { name: /^kept/ }).waitFor();
  await alice.keyboard.press('r');
  await alice.keyboard.press('Space');
  await focusOn(alice, /^The result that stands/, 'combobox');
  await alice.keyboard.type('succeeded');
  await focusOn(alice, /^Amount/, 'textbox');
  await alice.keyboard.type((amount / 100).toFixed(2));
  await focusOn(alice, /^How you know it/, 'textbox');
  await alice.keyboard.type(REASON);
  await focusOn(alice, /^Propose it/, 'button');
  await alice.keyboard.press('Enter');
  await alice.getByText('It is proposed.').waitFor();
  const bob = await at('bob');
  await bob.getByRole('table', { name: 'What needs a person' }).waitFor();
  await bob.keyboard.press('g');
  await bob.keyboard.press('a');
  await bob.getByRole('button', { name: 'Approve' }).waitFor();
  await bob.keyboard.press('r');
  await bob.keyboard.press('Enter');
  await bob.getByText('It counts.').waitFor();
  await expectSolved('conflict');
}, 240_000);

it('dead letters, a stopped rail and a lost index are looked at, and nothing is done', async () => {
  const [key, poison, rail] = await Promise.all([start('wrong-key'), start('poison'), start('rail-down')]);
  const letters = await at('alice', '/dead-letters');
  const table = letters.getByRole('table', { name: 'Dead letters' });
  for (const orderId of [key, poison]) await table.getByRole('link', { name: new RegExp(orderId) }).waitFor();
  const rails = await at('alice', '/rails');
  await rails.getByRole('heading', { name: /^partner-b/ }).waitFor();
  await start('redis-lost');
  for (const name of ['wrong-key', 'poison', 'rail-down', 'redis-lost']) await expectSolved(name);
  const search = await at('alice', `/search?q=${rail}`);
  await search.getByRole('link', { name: new RegExp(`${rail}-5`) }).waitFor();
  expect(visits.flatMap(({ complaints }) => complaints)).toEqual([]);
}, 180_000);

it('a drill is started and judged by the buttons of the demo’s page, and by those alone', async () => {
  const { openDrillPage } = (await import(join(repositoryRoot(), 'tools/demo/drill-page.mjs'))) as {
    openDrillPage: (settings: object) => Promise<{ url: string; close: () => Promise<void> }>;
  };
  const { url, close } = await openDrillPage({ ...world.env, TRANCHE_TOKEN: operatorKey('alice') });
  const page = await browser.newPage(DESKTOP);
  await page.goto(url);
  await page.getByRole('button', { name: 'start forged' }).click({ noWaitAfter: true });
  await page.getByRole('heading', { name: 'start forged: exit code 0' }).waitFor({ timeout: 120_000 });
  await page.getByRole('button', { name: /^back office of shop-fr\/drill-/ }).click();
  await page.getByRole('status').getByText('authorization').waitFor();
  const check = async () => {
    await page.getByRole('button', { name: 'check forged' }).click();
    await page.getByRole('heading', { name: /^check forged/ }).waitFor();
    return (await page.getByRole('status').textContent())?.includes('solved') ?? false;
  };
  await waitFor(check, { timeoutMs: 120_000, what: 'the verdict' });
  const start = (headers: Record<string, string>) => fetch(`${url}start/forged`, { method: 'POST', headers });
  expect((await start({ origin: 'http://elsewhere.example' })).status).toBe(403);
  expect((await start({})).status).toBe(403);
  const asOther = url.replace('127.0.0.1', 'localhost');
  expect((await fetch(asOther)).status).toBe(421);
  await page.context().close();
  await close();
}, 240_000);
