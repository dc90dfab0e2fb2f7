import type { Page } from 'playwright-core';
import {
  openFront,
  sharedBrowser,
  startDrillWorld,
  startIssuer,
  type DrillWorld,
  type Front,
  type TestBrowser,
} from '@tranche/testing';
import { DESKTOP, faultsOf, openPage, type Visit } from './console.js';

const AUDIENCE = 'https://payments.example/operators';
const FLOW = 'tranche.sign-in';
const SESSION = 'tranche.session';

let front: Front;
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let world: DrillWorld;
let browser: TestBrowser;
let visit: Visit;
beforeAll(async () => {
  [front, browser] = await Promise.all([openFront(), sharedBrowser()]);
  const people = { anna: { claims: { roles: ['payments-ops'] } }, paul: { claims: { roles: ['staff'] } } };
  issuer = await startIssuer({}, { clientId: 'tranche-page', address: front.url, audience: AUDIENCE, people });
  const settings = {
    OPERATORS_OIDC_ISSUER: issuer.issuer,
    OPERATORS_OIDC_AUDIENCE: AUDIENCE,
    OPERATORS_OIDC_ROLES: 'payments-ops=operator',
    OPERATORS_OIDC_CLIENT_ID: 'tranche-page',
  };
  world = await startDrillWorld({}, settings);
  front.leadTo(world.operations.url);
}, 180_000);
afterAll(async () => {
  await Promise.all([world?.stop(), browser?.close()]);
  await Promise.all([issuer?.stop(), front?.close()]);
});
beforeEach(async () => void (visit = await openPage(browser, DESKTOP)));
afterEach(() => visit.page.context().close());

const ask = (page: Page) => page.getByRole('button', { name: 'Sign in with 127.0.0.1' }).click();
const answer = (page: Page, link: string) => page.getByRole('link', { name: link }).click();
const isAnna = (page: Page) => page.locator('.who').getByText('anna operator').waitFor();
const keptBy = (page: Page, name: string) => page.evaluate((key) => sessionStorage.getItem(key), name);

it('a person signs in at the issuer, is where they were, and leaves the issuer too', async () => {
  const { page, complaints } = visit;
  const path = '/audit?all=yes';
  await page.goto(front.url + path);
  await page.getByRole('button', { name: 'Sign in with 127.0.0.1' }).waitFor();
  expect(await faultsOf(page, 'the sign-in')).toEqual([]);
  await ask(page);
  await answer(page, 'person=anna');
  await isAnna(page);
  expect(page.url()).toBe(front.url + path);
  expect(await keptBy(page, FLOW)).toBeNull();
  expect(complaints).toEqual([]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.waitForURL(`${front.url}/`);
  expect(await keptBy(page, SESSION)).toBeNull();
  await ask(page);
  await page.getByRole('link', { name: 'person=anna' }).waitFor();
});

it('a person who cancels reads so, and one click asks again', async () => {
  const { page } = visit;
  await page.goto(`${front.url}/rails`);
  await ask(page);
  await answer(page, 'cancel');
  await page.getByRole('alert').getByText('The sign-in was cancelled.').waitFor();
  expect([page.url(), await keptBy(page, SESSION)]).toEqual([`${front.url}/rails`, null]);
  await ask(page);
  await answer(page, 'person=anna');
  await isAnna(page);
  expect(page.url()).toBe(`${front.url}/rails`);
});

it('a person without a role of this installation is told so', async () => {
  const { page } = visit;
  await page.goto(front.url);
  await ask(page);
  await answer(page, 'person=paul');
  await page.getByRole('alert').getByText('The token names no role of this installation.').waitFor();
  expect(await keptBy(page, SESSION)).toBeNull();
});

it.each([
  ['state', 'This answer belongs to no sign-in of this tab.'],
  ['nonce', 'The answer of the issuer is not accepted'],
  ['verifier', 'The answer of the issuer is not accepted'],
])('an answer to another %s signs nobody in', async (field, says) => {
  const { page } = visit;
  const asked: string[] = [];
  page.on('request', (request) => void (request.url().endsWith('/token') && asked.push(request.method())));
  await page.goto(front.url);
  await ask(page);
  await page.getByRole('link', { name: 'person=anna' }).waitFor();
  const atIssuer = page.url();
  await page.goto(`${front.url}/mark.svg`);
  await page.evaluate(
    ([key, name]) => {
      const flow = JSON.parse(sessionStorage.getItem(key!)!) as Record<string, string>;
      sessionStorage.setItem(key!, JSON.stringify({ ...flow, [name!]: 'x'.repeat(43) }));
    },
    [FLOW, field],
  );
  await page.goto(atIssuer);
  await answer(page, 'person=anna');
  await page.getByRole('alert').getByText(says).waitFor();
  expect(await keptBy(page, SESSION)).toBeNull();
  expect(asked).toEqual(field === 'state' ? [] : ['POST']);
});

it('after an expired token one click goes on, and what was typed is still there', async () => {
  const { page, complaints } = visit;
  await page.goto(`${front.url}/jobs`);
  await ask(page);
  await answer(page, 'person=anna');
  await isAnna(page);
  const form = page.locator('details.card');
  await form.getByText('New job').click();
  await form.getByRole('textbox', { name: /^Why/ }).fill('Typed before the token ended');
  await page.evaluate(
    ([key, token]) => sessionStorage.setItem(key!, JSON.stringify({ token })),
    [SESSION, await issuer.expiredTokenOf('anna')],
  );
  await page.reload();
  await page.getByRole('status').getByText('Your sign-in has expired').waitFor();
  await ask(page);
  await isAnna(page);
  expect(page.url()).toBe(`${front.url}/jobs`);
  await form.getByText('New job').click();
  expect(await form.getByRole('textbox', { name: /^Why/ }).inputValue()).toBe('Typed before the token ended');
  expect(complaints).toEqual([]);
});
