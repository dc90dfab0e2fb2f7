import type { Page, Route } from 'playwright-core';
import { addressOf, faultsOf, joinConsole, PAGES, type Console } from './console.js';

let console_: Console;
jest.setTimeout(600_000);
beforeAll(async () => (console_ = await joinConsole()));
afterAll(() => console_.stop());

const ORDER = addressOf('states-1');
const ADDRESSES = [...PAGES, '/jobs/none', ORDER];
const EMPTY: Record<string, object> = {
  attention: { counts: [], items: [], behind: 0 },
  ...{ orders: { orders: [] }, proposals: { proposals: [] }, controls: { controls: [] }, rails: { rails: [] } },
  ...{ calls: { stepMinutes: 5, rails: [] }, partitions: { partitions: [] }, jobs: { jobs: [] } },
  ...{ 'dead-letters': { entries: [] }, quarantine: { entries: [] }, audit: { entries: [] } },
};

const problem = (status: number, code: string, detail: string) => (route: Route) =>
  route.fulfill({ status, contentType: 'application/problem+json', body: JSON.stringify({ status, code, detail }) });
const empty = (route: Route) => {
  const [, , name = ''] = new URL(route.request().url()).pathname.split('/');
  return route.fulfill({ status: 200, contentType: 'application/json', body: JSON.stringify(EMPTY[name]) });
};
const held = () => new Promise<void>(() => undefined);

interface State {
  pages: readonly string[];
  shows: (page: Page) => Promise<unknown>;
  answer?: (route: Route) => Promise<void>;
  stream?: (route: Route) => Promise<void>;
}
const alert = (page: Page) => page.locator('main [role=alert]').first().waitFor();
const STATES: Record<string, State> = {
  empty: { pages: PAGES, answer: empty, shows: (page) => page.locator('main .empty').first().waitFor() },
  loading: { pages: ADDRESSES, answer: held, shows: (page) => page.locator('main .loading').first().waitFor() },
  error: { pages: ADDRESSES, answer: problem(503, 'unavailable', 'Ask again later.'), shows: alert },
  forbidden: { pages: ADDRESSES, answer: problem(403, 'role_needed', 'The role approver is needed.'), shows: alert },
  'cut off': {
    pages: ADDRESSES,
    stream: (route) => route.abort(),
    shows: (page) => page.getByText('Cut off: operations does not answer').waitFor(),
  },
};

it.each(Object.keys(STATES))('%s: every page is whole, axe finds nothing, and nothing is inline', async (name) => {
  const { pages, shows, answer, stream } = STATES[name]!;
  if (name === 'cut off') await console_.doubt('states-1');
  const { page, complaints } = await console_.visit('alice', '/');
  await page.route('**/v1/**', (route) => {
    const isStream = route.request().url().endsWith('/v1/stream');
    const own = isStream ? stream : route.request().url().endsWith('/v1/me') ? undefined : answer;
    return own === undefined ? route.continue() : own(route);
  });
  const found: string[] = [];
  for (const path of pages) {
    await page.goto(console_.url + path);
    await page.locator('main h1').first().waitFor();
    await page.getByText('Reading the page').waitFor({ state: 'detached' });
    await shows(page);
    expect(await page.getByText('This page could not be shown').count()).toBe(0);
    found.push(...(await faultsOf(page, `${path}, ${name}`)));
  }
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});
