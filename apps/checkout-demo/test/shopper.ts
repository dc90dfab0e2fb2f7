import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import type { BrowserStack } from './browser-stack.js';
import { orderOf } from './shop-stack.js';

/** Test cards from the simulator's README: all are Visa except one. */
export const CARDS = {
  accepted: '4176332000090016',
  refusedByTheBank: '4176332000084001',
  withoutFunds: '4176332000074002',
  failsItsCheckDigit: '4176332000090017',
  ofTwoBrands: '4970101200040016',
};

export const CVV = '7391';

const CARD = { number: CARDS.accepted, expiry: '12-49', cvv: CVV, name: 'Jeanne Martin' };

export type Shopper = ReturnType<typeof shopperAt>;

interface Visit extends BrowserContextOptions {
  without?: 'crypto.subtle';
  /** API key whose encryption key the page uses, if this spec rotates it. */
  apiKeyId?: string;
}

export async function enterShop(stack: BrowserStack, { without, apiKeyId, ...options }: Visit = {}): Promise<Shopper> {
  const context = await stack.browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  if (without) await page.addInitScript(() => Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined }));
  if (apiKeyId !== undefined) await giveApiKey(page, apiKeyId);
  const orders = new Set<string>();
  context.on('request', (request) => {
    if (isPlacing(request)) orders.add(orderOf((request.postDataJSON() as { key: string }).key).orderId);
  });
  await page.goto(stack.shopUrl);
  await page.getByTestId('pay').waitFor();
  return shopperAt(page, async () => (await Promise.all([...orders].map(stack.executed))).flat());
}

async function giveApiKey(page: Page, apiKeyId: string): Promise<void> {
  await page.route('**/api/shop', async (route) => {
    const answer = await route.fetch();
    const shop = (await answer.json()) as { card: object };
    await route.fulfill({ response: answer, json: { ...shop, card: { ...shop.card, apiKeyId } } });
  });
}

/**
 * A person's actions and views, then the failures that a spec can cause. `executed` covers all orders of this browser, so that a second
 * order shows as a second payment.
 */
export function shopperAt(page: Page, executed: () => Promise<string[]> = () => Promise.resolve([])) {
  // Plans of as many instalments share a row, which opens to them.
  const choose = async (method: string) => {
    const [, count] = /^[ab]([34])/.exec(method) ?? [];
    if (count !== undefined) await page.getByTestId(`way-${count}`).check();
    await page.getByTestId(`method-${method}`).check();
  };
  const pay = () => page.getByTestId('pay').click();
  const enterCard = async (changes: Partial<typeof CARD> = {}) => {
    await choose('card');
    for (const [field, text] of Object.entries({ ...CARD, ...changes }))
      await page.getByTestId(`card-${field}`).fill(text);
  };
  return {
    page,
    executed,
    choose,
    pay,
    enterCard,
    async payByCard(changes: Partial<typeof CARD> = {}) {
      await enterCard(changes);
      await pay();
    },
    async payIn(method: string) {
      await choose(method);
      await pay();
    },
    /** After a refusal the choice is open already. */
    async payOtherwise() {
      await page.locator('[data-testid=other-method]:visible, [data-testid=pay]:visible').first().waitFor();
      if (await page.getByTestId('other-method').isVisible()) await page.getByTestId('other-method').click();
    },
    formOfProvider: () => page.locator('button[value=validate]').waitFor(),
    /** Presses a button of the provider's form when it appears. Resolves when the browser is back in the shop. */
    async decide(decision: 'validate' | 'pending' | 'refuse' | 'abandon') {
      await page.locator(`button[value=${decision}]`).click();
      await page.waitForURL(ORDER);
    },
    /** Goes back in the browser's history until the order's page is shown. */
    async backToShop() {
      for (let step = 0; step < 4 && !ORDER.test(page.url()); step += 1) await page.goBack();
      await page.waitForURL(ORDER);
    },
    async orderId() {
      await page.waitForURL(ORDER);
      const shown = page.getByTestId('order-id').filter({ hasText: /./ });
      return (await shown.getAttribute('value')) ?? '';
    },
    /** The order's total as text, once the page shows it. */
    async orderTotal() {
      return (await page.locator('#order-sums dd.whole').filter({ hasText: /./ }).textContent()) ?? '';
    },
    async until(status: string) {
      const said = page.locator(`[data-testid=status][data-status=${status}]`);
      await said.waitFor({ state: 'attached', timeout: 60_000 }).catch(async (cause: unknown) => {
        throw new Error(
          `the page says ${await page.getByTestId('status').getAttribute('data-status')}, not ${status}`,
          { cause },
        );
      });
    },
    /** Waits until the page shows the card, which comes with a notification. */
    untilPaidWith: (card: string) => page.locator('#order-method').filter({ hasText: card }).waitFor(),
    leave: () => page.context().close(),

    async tokenOfNextPayment() {
      const request = await page.waitForRequest(isPlacing);
      return (request.postDataJSON() as { card: { hfToken: string } }).card.hfToken;
    },
    async replaceToken(hfToken: string) {
      await page.route(
        PLACING,
        (route) => {
          const body = route.request().postDataJSON() as { card: object };
          return route.continue({ postData: JSON.stringify({ ...body, card: { ...body.card, hfToken } }) });
        },
        { times: 1 },
      );
    },
    /** Runs between the token and the order. */
    async beforePlacing(happens: (orderId: string) => Promise<unknown>) {
      await page.route(
        PLACING,
        async (route) => {
          await happens(orderOf((route.request().postDataJSON() as { key: string }).key).orderId);
          await route.continue();
        },
        { times: 1 },
      );
    },
    /** Holds the next request to this address until `release`; then the request fails. */
    hold(address: string) {
      let release = () => undefined as void;
      const released = new Promise<void>((resolve) => (release = resolve));
      const arrived = new Promise<void>((resolve) => {
        const holding = async (route: Route) => {
          resolve();
          await released;
          await route.abort().catch(() => undefined); // the page that sent it is gone
        };
        void page.route(address, holding, { times: 1 });
      });
      return { arrived, release: () => release() };
    },
    /** Lets the server answer the next request to this address, resolves to its answer and never delivers it to the page. */
    loseAnswer(address: string): Promise<string> {
      return new Promise((resolve, reject) => {
        const losing = (route: Route) => route.fetch().then(async (answer) => resolve(await answer.text()), reject);
        void page.route(address, losing, { times: 1 });
      });
    },
  };
}

const ORDER = /\/orders\/[^/]+$/;
const PLACING = '**/api/orders';
const isPlacing = (request: { url(): string; method(): string }) =>
  request.method() === 'POST' && request.url().endsWith('/api/orders');
