import {
  findSecret,
  recordingProxy,
  sharedBrowser,
  waitFor,
  type RecordingProxy,
  type TestBrowser,
} from '@tranche/testing';
import { CARD, startFakePlatform, type FakePlatform } from './fake-platform.js';
import { startShopPage, tokenizeIn } from './shop-page.js';

let browser: TestBrowser;
let platform: FakePlatform;
let proxy: RecordingProxy;
let shop: Awaited<ReturnType<typeof startShopPage>>;
beforeAll(async () => {
  [browser, platform, proxy] = await Promise.all([sharedBrowser(), startFakePlatform(), recordingProxy()]);
  shop = await startShopPage({ build: 'ES module', connectSources: [platform.url] });
});
afterAll(() => Promise.all([browser?.close(), platform?.close(), proxy?.close(), shop?.close()]));

it('of all bytes that leave the browser, only the ciphertext holds the card, also when its key was rotated on the way', async () => {
  const page = await browser.newPage({ proxy: proxy.settings });
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  await page.goto(shop.url);
  platform.rotateAfterAnswers(1);
  await expect(tokenizeIn(page, CARD, platform.options)).resolves.toHaveProperty('token');

  const ours = proxy.requests.filter(({ url }) => url.startsWith(platform.url) || url.startsWith(shop.url));
  expect(ours.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual(
    expect.arrayContaining(['GET /library.js', 'POST /v1/cse-keys', 'POST /tokenizer']),
  );
  expect(ours.filter(({ method, url }) => method === 'POST' && url.endsWith('/tokenizer'))).toHaveLength(2);
  expect(platform.plaintexts).toHaveLength(1);

  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state]),
  );
  const state = JSON.stringify(await page.context().storageState({ indexedDB: true }));
  const seen = [proxy.sent(), ...said, kept, state, page.url()].join('\n');
  for (const secret of [CARD.cardCode, CARD.cardCvv, CARD.cardValidityDate])
    expect(findSecret(seen, secret)).toEqual([]);
  await page.context().close();
});

it('would be seen: in an address, a header, a body, a beacon or a socket', async () => {
  const page = await browser.newPage({ proxy: proxy.settings });
  await page.goto(platform.url); // no policy there
  const sendings = [
    () => page.evaluate((secret) => void fetch(`/?q=${secret}`), CARD.cardCode),
    () => page.evaluate((secret) => void fetch('/', { headers: { 'x-note': btoa(secret) } }), CARD.cardCode),
    () => page.evaluate((secret) => void fetch('/', { method: 'POST', body: new Blob([secret]) }), CARD.cardCode),
    () => page.evaluate((secret) => void navigator.sendBeacon('/', secret), CARD.cardCode),
    () => page.evaluate((secret) => void (new Image().src = `/${secret}`), CARD.cardCode),
    () =>
      page.evaluate((secret) => {
        document.body.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: `/${secret}` }));
      }, CARD.cardCode),
    () => page.evaluate((secret) => void new WebSocket(`ws://${location.host}/${secret}`), CARD.cardCode),
  ];
  for (const send of sendings) {
    const before = linesWithTheCard();
    await send();
    await waitFor(() => linesWithTheCard() > before, { what: `what it sends: ${String(send)}` });
  }
  await page.context().close();
});

function linesWithTheCard(): number {
  return proxy
    .sent()
    .split('\n')
    .filter((line) => findSecret(line, CARD.cardCode).length > 0).length;
}
