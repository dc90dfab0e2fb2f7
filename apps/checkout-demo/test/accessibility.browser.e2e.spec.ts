import type { Page } from 'playwright-core';
import { overflow, smallTargets, violations } from './accessibility.js';
import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { CREDENTIALS } from './desk.js';
import { aCard, anOrder, placed, untilStatus } from './shop-stack.js';
import { CARDS, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

const PHONE = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true, httpCredentials: CREDENTIALS };

/** Looks at the page in a state, and collects what is wrong with it. */
function looking(page: Page) {
  const seen: string[] = [];
  const look = async (name: string) => {
    const faults = [...(await violations(page)), ...(await smallTargets(page)).map((id) => `${id} is small`)];
    const wide = await overflow(page);
    seen.push(...faults.map((fault) => `${name}: ${fault}`), ...(wide === 0 ? [] : [`${name} is ${wide} too wide`]));
  };
  return { seen, look };
}

describe('nothing that axe finds, no small target and no sideways scroll, on a small phone', () => {
  it('on each page of the shop', async () => {
    const shopper = await enterShop(stack, PHONE);
    const { page } = shopper;
    const { seen, look } = looking(page);
    await page.getByTestId('way-4').check();
    await page.locator('#cart-toggle').click();
    await look('instalments');
    await shopper.payByCard({ number: CARDS.failsItsCheckDigit });
    await page.getByTestId('form-error').waitFor();
    await look('faults');
    await shopper.payByCard({ number: CARDS.refusedByTheBank });
    await shopper.until('refused');
    await page.getByTestId('pay').waitFor();
    await look('refused, with the choice of another payment');
    await page.getByTestId('person-summary').click();
    await shopper.pay();
    await page.getByTestId('error-method').waitFor();
    await look('nothing chosen');
    await shopper.payIn('a3');
    await shopper.formOfProvider();
    await look('form of the provider');
    await shopper.decide('validate');
    await shopper.until('succeeded');
    await look('succeeded');
    expect(seen).toEqual([]);
    await shopper.leave();
  });

  it('at the desk', async () => {
    const page = await stack.browser.newPage({ ...PHONE, locale: 'en-GB' });
    const { seen, look } = looking(page);
    const { orderId, pageId } = await placed(
      stack.shop,
      anOrder({ method: 'card', card: await aCard(stack.simulator) }),
    );
    await untilStatus(stack.shop, pageId, 'succeeded');
    await page.goto(`${stack.shopUrl}/desk`);
    await page.getByTestId('search').fill(orderId);
    await page.waitForFunction(() => document.querySelectorAll('.sale').length === 1);
    await look('an order');
    await page.getByTestId(`refund-${orderId}`).click();
    await look('what to refund');
    await page.getByTestId('refund-chair-wren').selectOption('2');
    await page.getByTestId('refund-reason').selectOption('returned');
    await page.getByTestId('operation-go').click();
    await look('the last look before a refund');
    await page.getByTestId('operation-back').click();
    await page.getByTestId('refund-by-amount').check();
    await page.getByTestId('operation-amount').fill('600');
    await look('an amount out of range');
    expect(seen).toEqual([]);
    await page.context().close();
  });
});
