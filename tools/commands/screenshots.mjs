import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { bootstrap } from '../infra/bootstrap.mjs';
import { makeTopics, setStage } from '../demo/stage.mjs';
import { startInfrastructure } from '../infra/infrastructure.mjs';
import { ensurePackages } from '../infra/packages.mjs';
import { Expected } from '../infra/processes.mjs';
import { stackPorts } from '../infra/service-ports.mjs';
import { TEST_CARDS } from '../demo/test-cards.mjs';
import { CHROMIUM, INFRASTRUCTURE } from './variables.mjs';

export const description = 'makes docs/screenshots anew, with Chromium on the real stack';
export const variables = { ...INFRASTRUCTURE, ...CHROMIUM };

const FOLDER = 'docs/screenshots';
const MAX_BYTES = 150_000;
const STEP_TIMEOUT_MS = 30_000;
const DESKTOP = { viewport: { width: 1000, height: 760 } };
const HIGH = { viewport: { width: 1000, height: 1140 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true };
const files = { merchantsFile: 'config/merchants.demo.json', accountsFile: 'config/accounts.demo.json' };

/** Each story ends on the page that is photographed. */
const PICTURES = {
  checkout: {
    screen: HIGH,
    async play(page) {
      await enterCard(page, TEST_CARDS.accepted);
      await page.getByTestId('pay').evaluate((button) => button.scrollIntoView({ block: 'end' }));
    },
  },
  'checkout-phone': {
    screen: PHONE,
    async play(page) {
      await page.getByTestId('method-b3').check();
      await page
        .getByTestId('schedule')
        .last()
        .evaluate((schedule) => schedule.scrollIntoView({ block: 'center' }));
    },
  },
  'provider-form': {
    screen: DESKTOP,
    async play(page) {
      await page.getByTestId('method-b3').check();
      await page.getByTestId('pay').click();
      await page.locator('button[value=validate]').waitFor();
    },
  },
  succeeded: { screen: DESKTOP, play: (page) => payByCard(page, TEST_CARDS.accepted, 'succeeded') },
  refused: { screen: DESKTOP, play: (page) => payByCard(page, TEST_CARDS.refused, 'refused') },
};

/** Nobody compares the pictures by program: fonts depend on the machine, and order numbers are new each time. */
export async function run({ held, log }) {
  const [infrastructure] = await Promise.all([startInfrastructure({ held, log }), bootstrap({ held, log })]);
  const access = await makeTopics(infrastructure, { log });
  await ensurePackages(['chromium'], { held, log });
  const { services: ports } = await stackPorts({}, { isAnyFree: true });
  const stage = await setStage({ held, log, infrastructure, files, ports, access });
  const browser = await openBrowser();
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, picture] of Object.entries(PICTURES))
    log(await take(browser, stage.services['checkout-demo'].url, name, picture));
  await browser.close();
  await stage.close();
}

/** The child tools/infra/browser.mjs ends when its stdin, our pipe, closes. So no browser stays if we are killed. */
async function openBrowser() {
  const { chromium } = await import('playwright-core');
  const keeper = spawn(process.execPath, [resolve('tools/infra/browser.mjs')], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [address] = await once(createInterface({ input: keeper.stdout }), 'line', {
    signal: AbortSignal.timeout(STEP_TIMEOUT_MS),
  });
  return chromium.connect(address, { timeout: STEP_TIMEOUT_MS });
}

async function take(browser, shopUrl, name, { screen, play }) {
  const context = await browser.newContext({ locale: 'en-GB', ...screen });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto(shopUrl);
  await play(page);
  await page.evaluate(() => document.activeElement?.blur());
  const path = `${FOLDER}/${name}.png`;
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  const bytes = statSync(path).size;
  if (bytes > MAX_BYTES) throw new Expected(`${path} has ${bytes} bytes, more than ${MAX_BYTES}: make it smaller`);
  await context.close();
  return `${path} (${Math.ceil(bytes / 1000)} kB)`;
}

async function payByCard(page, card, status) {
  await enterCard(page, card);
  await page.getByTestId('pay').click();
  await page.locator(`[data-testid=status][data-status=${status}]`).waitFor();
}

async function enterCard(page, { cardCode, cardValidityDate, cardCvv }) {
  const texts = { number: cardCode, expiry: cardValidityDate, cvv: cardCvv, name: 'Jeanne Martin' };
  for (const [field, text] of Object.entries(texts)) await page.getByTestId(`card-${field}`).fill(text);
}
