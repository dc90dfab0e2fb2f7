import { sharedBrowser, type TestBrowser } from '@tranche/testing';
import { CARD, startFakePlatform, type FakePlatform } from './fake-platform.js';
import { BUILDS, startShopPage, tokenizeIn } from './shop-page.js';

let browser: TestBrowser;
let platform: FakePlatform;
beforeAll(async () => {
  [browser, platform] = await Promise.all([sharedBrowser(), startFakePlatform()]);
});
afterAll(() => Promise.all([browser?.close(), platform?.close()]));

describe.each(BUILDS)('the %s', (build) => {
  it('on a page without HTTPS: not_https, and nobody is asked', async () => {
    const shop = await startShopPage({ build, connectSources: [platform.url] });
    const page = await browser.newPage();
    await page.goto(`http://shop.test:${shop.port}/`);
    expect(await page.evaluate(() => [isSecureContext, typeof crypto.subtle])).toEqual([false, 'undefined']);
    await expect(tokenizeIn(page, CARD, platform.options)).resolves.toMatchObject({ error: { code: 'not_https' } });
    expect(platform.requests).toEqual([]);
    await Promise.all([page.context().close(), shop.close()]);
  });

  it('in a browser without a crypto API: no_crypto_api, and nobody is asked [Encryption.rule-5]', async () => {
    const shop = await startShopPage({ build, connectSources: [platform.url] });
    const page = await browser.newPage();
    await page.addInitScript(() => Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined }));
    await page.goto(shop.url);
    await expect(tokenizeIn(page, CARD, platform.options)).resolves.toMatchObject({ error: { code: 'no_crypto_api' } });
    expect(platform.requests).toEqual([]);
    await Promise.all([page.context().close(), shop.close()]);
  });
});
