import { statSync } from 'node:fs';
import { operatorsAt, playNight } from '../demo/night.mjs';
import { startStage } from '../demo/stage.mjs';
import { chromiumArguments, chromiumPath } from '../infra/chromium.mjs';
import { ensurePackages } from '../infra/packages.mjs';
import { Expected } from '../infra/processes.mjs';
import { readJson } from '../infra/read-json.mjs';
import { DESK_PASSWORD } from '../infra/services.mjs';
import { TEST_CARDS } from '../demo/test-cards.mjs';
import { CHROMIUM, DATABASE, INFRASTRUCTURE } from './variables.mjs';

export const description =
  'makes the pictures of the checkout and of the operators’ page that the README shows, with Chromium on the real stack';
export const variables = { ...INFRASTRUCTURE, ...DATABASE, ...CHROMIUM };

const FOLDER = 'docs/pictures';
/** A visit with a screen, colours and a language, and the steps of it that are kept. */
const VISITS = {
  'desktop-light-en': ['checkout', 'desk'],
  'desktop-dark-fr': ['instalments'],
  'phone-light-en': ['checkout'],
  'phone-dark-es': ['instalments'],
  'phone-light-fr': ['paid-in-instalments'],
  'phone-dark-en': ['refused'],
};
const MAX_BYTES = 1_800_000;
const STEP_TIMEOUT_MS = 30_000;
const SCREENS = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
};
const LANGUAGES = { en: 'en-GB', fr: 'fr-FR', es: 'es-ES' };

/** No program compares the pictures: fonts depend on the machine, and order numbers are new each time. */
export async function run({ held, log }) {
  await ensurePackages(['chromium'], { held, log });
  const { stage } = await startStage({ held, log, files: { keep: true } });
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: chromiumArguments() });
  let bytes = 0;
  for (const [name, steps] of Object.entries(VISITS)) {
    const [device, colorScheme, language] = name.split('-');
    const screen = { ...SCREENS[device], colorScheme, locale: LANGUAGES[language] };
    await take(browser, stage.services['checkout-demo'].url, { name, steps, screen });
    for (const step of steps) bytes += statSync(`${FOLDER}/${name}-${step}.png`).size;
    log(`${FOLDER}/${name}-…`);
  }
  for (const file of await takeOperators(browser, stage)) bytes += statSync(file).size;
  await browser.close();
  await stage.close();
  if (bytes > MAX_BYTES) throw new Expected(`${FOLDER} has ${bytes} bytes, more than ${MAX_BYTES}`);
}

/** Visits of the page of operations, after a bad night: a screen, colours and what is shown. */
const OPERATORS = ['desktop-light-en-queue', 'desktop-dark-en-order', 'phone-dark-en-queue', 'phone-light-en-decide'];

/** Resolves to the files. */
async function takeOperators(browser, stage) {
  const operators = readJson('config/operators.demo.json');
  const { url } = stage.services.operations;
  const ingestUrl = stage.services['notification-ingest'].url;
  const night = await playNight({ stage, ask: operatorsAt(url, operators), ingestUrl });
  const { key } = operators.find(({ role }) => role === 'approver');
  const files = OPERATORS.map((name) => `${FOLDER}/${name}.png`);
  for (const [index, name] of OPERATORS.entries()) {
    const [device, colorScheme, , what] = name.split('-');
    const screen = SCREENS[device];
    const page = await browser.newPage({ ...screen, colorScheme });
    // The picture of the order stands below what is decided of it.
    if (what === 'order') await page.setViewportSize({ ...screen.viewport, height: 1_240 });
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    const { merchant, orderId } = night.captured;
    await page.goto(url + (what === 'queue' ? '/' : `/orders/${merchant}/${orderId}`));
    await page.locator('input[name=key]').fill(key);
    await page.keyboard.press('Enter');
    if (what === 'queue') await page.locator('.entry').nth(5).waitFor();
    else {
      await page.getByRole('radio', { name: /^succeeded/ }).check();
      await page.getByText('who must agree').waitFor();
      await page.locator('.mark').first().waitFor();
    }
    if (what === 'decide') await page.locator('.decide').scrollIntoViewIfNeeded();
    await page.screenshot({ path: files[index], animations: 'disabled', caret: 'hide' });
    await page.context().close();
  }
  return files;
}

/** One visit: a refusal, instalments for the same order, then an order by card, and the desk. */
async function take(browser, shopUrl, { name, steps, screen }) {
  const credentials = { username: 'desk', password: DESK_PASSWORD };
  const context = await browser.newContext({ ...screen, httpCredentials: credentials });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  const page = await context.newPage();
  // The window is made as high as the page, so that what sticks to its edge stands where the page ends.
  const picture = async (step) => {
    if (!steps.includes(step)) return;
    const height = await page.evaluate(() => {
      document.activeElement?.blur();
      document.querySelector('main').style.minHeight = '0';
      return document.documentElement.scrollHeight;
    });
    await page.setViewportSize({ ...screen.viewport, height: Math.max(height, screen.viewport.height) });
    await page.evaluate(() => scrollTo(0, 0));
    const path = `${FOLDER}/${name}-${step}.png`;
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
    await page.setViewportSize(screen.viewport);
  };
  const status = (wanted) => page.locator(`[data-testid=status][data-status=${wanted}]`).waitFor({ state: 'attached' });
  const pay = () => page.getByTestId('pay').click();

  await page.goto(shopUrl);
  await page.getByTestId('pay').waitFor();
  await enterCard(page, TEST_CARDS.refused);
  await pay();
  await status('refused');
  await picture('refused');
  await page.getByTestId('way-3').check();
  await pay();
  await page.locator('button[value=validate]').click();
  await status('succeeded');
  await picture('paid-in-instalments');

  await page.getByTestId('new-order').click();
  await page.getByTestId('way-4').check();
  await picture('instalments');
  await page.getByTestId('method-card').check();
  await enterCard(page, TEST_CARDS.accepted);
  await picture('checkout');
  await pay();
  await status('succeeded');
  await page.locator('#order-method').filter({ hasText: '0016' }).waitFor();
  // The reminder comes a day before the window ends, so that state is shown as its answer would be. Other visits are left out.
  await page.route('**/desk/orders', async (route) => {
    const response = await route.fetch();
    const [byCard, inInstalments] = await response.json();
    await route.fulfill({ response, json: [byCard, { ...inInstalments, isWindowClosing: true }] });
  });
  await page.goto(`${shopUrl}/desk`);
  await page.locator('.sale').first().getByRole('button').click();
  await page.getByTestId('refund-lamp-hazel').selectOption('1');
  await page.getByTestId('refund-reason').selectOption('damaged');
  await page.getByTestId('operation-go').click();
  await page.getByTestId('operation-go').click();
  await page.locator('.sale[data-state=partly]').waitFor();
  await picture('desk');
  await context.close();
}

async function enterCard(page, { cardCode, cardValidityDate, cardCvv }) {
  const texts = { number: cardCode, expiry: cardValidityDate.replace('-', '/'), cvv: cardCvv, name: 'Jeanne Martin' };
  for (const [field, text] of Object.entries(texts)) await page.getByTestId(`card-${field}`).fill(text);
}
