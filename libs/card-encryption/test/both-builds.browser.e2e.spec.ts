import { sharedBrowser, waitFor, type TestBrowser } from '@tranche/testing';
import type { Page } from 'playwright-core';
import { CARD, startFakePlatform, TOKEN_RECORD, type FakePlatform } from './fake-platform.js';
import { BUILDS, startShopPage, tokenizeIn } from './shop-page.js';

let browser: TestBrowser;
let platform: FakePlatform;
beforeAll(async () => ([browser, platform] = await Promise.all([sharedBrowser(), startFakePlatform()])));
afterAll(() => Promise.all([browser?.close(), platform?.close()]));

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((closable) => closable.close()))));

async function open(
  options: Partial<Parameters<typeof startShopPage>[0]> & Pick<Parameters<typeof startShopPage>[0], 'build'>,
) {
  const shop = await startShopPage({ connectSources: [platform.url], ...options });
  const page = await browser.newPage();
  opened.push(page.context(), shop);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(shop.url);
  return { page, complaints };
}

const isLoaded = (page: Page) =>
  page.evaluate(() => 'library' in window && (window as { library?: unknown }).library !== undefined);

describe.each(BUILDS)('the %s, pinned by its integrity, under a strict content security policy', (build) => {
  it('gets a token in Chromium', async () => {
    const { page, complaints } = await open({ build });
    const before = platform.plaintexts.length;
    await expect(tokenizeIn(page, CARD, platform.options)).resolves.toMatchObject({
      token: { hfToken: TOKEN_RECORD.HFTOKEN },
    });
    expect(platform.plaintexts.slice(before)).toEqual([
      '{"CARDCODE":"4970101200040016","CARDVALIDITYDATE":"12-49","CARDCVV":"739","SELECTEDBRAND":"visa"}',
    ]);
    expect(complaints).toEqual([]);
  });

  it('gets a token although the key was rotated between fetch and tokenizer', async () => {
    const { page } = await open({ build });
    const before = platform.plaintexts.length;
    platform.rotateAfterAnswers(1);
    await expect(tokenizeIn(page, CARD, platform.options)).resolves.toHaveProperty('token');
    expect(platform.plaintexts).toHaveLength(before + 1);
  });

  it('is not run when somebody has changed the file', async () => {
    const { page, complaints } = await open({ build, addition: '\n;globalThis.stolen = true;' });
    expect(await isLoaded(page)).toBe(false);
    expect(await page.evaluate(() => 'stolen' in window)).toBe(false);
    await waitFor(() => /integrity/.test(complaints.join()), { what: 'the complaint' });
  });

  it('says which service the policy leaves out of connect-src', async () => {
    const { page } = await open({ build, connectSources: ["'none'"] });
    await expect(tokenizeIn(page, CARD, platform.options)).resolves.toMatchObject({
      error: { code: 'key_unavailable' },
    });
  });
});
