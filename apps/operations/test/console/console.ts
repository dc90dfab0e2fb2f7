import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  aPartnerBAuthorization,
  operatorKey,
  repositoryRoot,
  sharedBrowser,
  waitFor,
  type TestBrowser,
} from '@tranche/testing';
import { joinOperationsStage, type Person } from '../operations-stack.js';

export const DESKTOP = { viewport: { width: 1280, height: 860 } };
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** Two people decide each doubt of this merchant. */
export const MERCHANT = 'shop-approval';

/** Every page of the navigation, from the list that the page itself has. */
export const PAGES = Object.keys(
  JSON.parse(readFileSync(join(repositoryRoot(), 'apps/operations-console/src/pages.json'), 'utf8')) as object,
);

export type Console = Awaited<ReturnType<typeof joinConsole>>;

/** The page of operations on the shared stage. Each visit has a browser profile of its own. */
export async function joinConsole() {
  const [stack, browser] = await Promise.all([joinOperationsStage(), sharedBrowser()]);
  return {
    ...stack,
    url: stack.operations.url,
    async doubt(orderId: string, merchant = MERCHANT): Promise<string> {
      await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true } });
      await stack.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
      return (await stack.listed(merchant, orderId, 'doubt')).id;
    },
    /** The platform's export of the merchant, with planted differences. */
    async exported(merchant: string, plant = ''): Promise<string> {
      const { url } = stack.gateway.apps['platform-simulator']!;
      const query = new URLSearchParams({ identifier: `Test ${merchant}`, plant });
      return (await fetch(`${url}/simulator/export?${query}`)).text();
    },
    visit: (person: Person, path = '/', screen: object = DESKTOP) =>
      visit(browser, stack.operations.url, { person, path, screen }),
    stop: () => Promise.all([stack.stop(), browser.close()]),
  };
}

export interface Visit {
  page: Page;
  /** Texts with which the browser refused something, or complained. */
  complaints: string[];
}

/** A page of a browser profile of its own. */
export async function openPage(browser: TestBrowser, screen: object): Promise<Visit> {
  const page = await browser.newPage(screen);
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}

/** Signs a person in and goes to a page. */
export async function visit(
  browser: TestBrowser,
  url: string,
  { person, path, screen }: { person: Person; path: string; screen: object },
): Promise<Visit> {
  const { page, complaints } = await openPage(browser, screen);
  await page.goto(url + path);
  await page.locator('input[name=key]').fill(operatorKey(person));
  await page.keyboard.press('Enter');
  await page.locator('.bar').waitFor();
  return { page, complaints };
}

export const addressOf = (orderId: string, merchant = MERCHANT): string =>
  `/orders/${merchant}/${encodeURIComponent(orderId)}`;

interface Planned {
  kind: 'reconcile' | 'resolve-by-file' | 'replay';
  merchant: string;
  reason: string;
  csv?: string;
}

/** Fills in the form of a new job, and has its plan made. */
export async function makePlan(page: Page, { kind, merchant, reason, csv }: Planned): Promise<void> {
  const form = page.locator('details.card');
  if (!(await form.evaluate((one) => (one as HTMLDetailsElement).open))) await form.getByText('New job').click();
  await form.getByLabel('What is to be done').selectOption(kind);
  await form.getByRole('textbox', { name: 'Merchant' }).fill(merchant);
  await form.getByRole('textbox', { name: /^Why/ }).fill(reason);
  if (csv !== undefined) {
    const file = { name: 'export.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await form.getByLabel(/^The platform’s export/).setInputFiles(file);
  }
  // Operations makes one plan at a time, and another spec may have one made.
  const isThere = async () => {
    await form.getByRole('button', { name: 'Make the plan' }).click();
    await page.locator('.said:not(:empty), progress').first().waitFor();
    return !(await page.getByText('Another plan is being made').isVisible());
  };
  await waitFor(isThere, { what: 'the plan, or a refusal' });
}

export const statusOf = (page: Page, status: string) => page.locator('h1').getByText(status, { exact: true });

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
interface Axe {
  run(of: Document): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] }>;
}

/** All that axe finds, in light and in dark, and what is wider than the screen. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const ofScheme = await page.evaluate(async () => {
      const { violations } = await (window as unknown as { axe: Axe }).axe.run(document);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary = '' }) => `${id} at ${String(target)}: ${failureSummary}`),
      );
    });
    found.push(...ofScheme.map((text) => `${name}, ${colorScheme}: ${text}`));
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  return wide > 0 ? [...found, `${name} is ${wide} too wide`] : found;
}
