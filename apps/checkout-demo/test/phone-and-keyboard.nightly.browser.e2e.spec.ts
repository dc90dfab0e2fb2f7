import type { Page } from 'playwright-core';
import { overflow, smallTargets } from './accessibility.js';
import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { tabTo } from './keyboard.js';
import { CARDS, enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

/** The page's movement without a press, as browsers measure it (CLS); under 0.1 is good. */
const shifted = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) =>
          resolve(
            list.getEntries().reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0),
          ),
        ).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(0), 1_000); // no shift, so no entries
      }),
  );

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

describe('on a phone', () => {
  it('nothing is wider than the screen, what is pressed is large enough, and it is paid by touch', async () => {
    const shopper = await enterShop(stack, PHONE);
    const { page } = shopper;
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1_700);
    expect(await shifted(page)).toBeLessThan(0.1);
    expect(await overflow(page)).toBe(0);
    expect(await smallTargets(page)).toEqual([]);
    await page.getByTestId('way-4').tap();
    await page.getByTestId('method-b4').tap();
    await page.getByTestId('pay').tap();
    await page.locator('button[value=validate]').tap();
    await page.waitForURL(/\/orders\/[^/]+$/);
    await shopper.until('succeeded');
    expect(await overflow(page)).toBe(0);
    expect(await stack.executed(await shopper.orderId())).toEqual(['authorization 0000']);
    await shopper.leave();
  });

  it('an empty cart is opened by its fault, which leads to it', async () => {
    const shopper = await enterShop(stack, PHONE);
    const { page } = shopper;
    await page.locator('#cart-toggle').tap();
    for (const sku of ['lamp-hazel', 'chair-wren', 'teapot-mist']) await page.getByTestId(`quantity-${sku}`).fill('0');
    await page.locator('#cart-toggle').tap();
    await shopper.payByCard();
    await page.getByTestId('error-cart').waitFor();
    await page.getByTestId('form-error').getByRole('link', { name: 'Your cart is empty.' }).tap();
    await focusIsOn(page, 'quantity-lamp-hazel');
    await shopper.leave();
  });
});

describe('with the keyboard alone', () => {
  it('instalments are chosen with the arrows and paid through the form of the provider', async () => {
    const shopper = await enterShop(stack);
    const { page } = shopper;
    await tabTo(page, 'method-card');
    await page.keyboard.press('ArrowDown');
    await focusIsOn(page, 'way-3');
    await tabTo(page, 'pay');
    await page.keyboard.press('Enter');
    await shopper.formOfProvider();
    for (
      let step = 0;
      (await page.evaluate(() => (document.activeElement as HTMLButtonElement | null)?.value)) !== 'validate';
      step += 1
    ) {
      if (step > 10) throw new Error('no Tab leads to the button of the form');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/orders\/[^/]+$/);
    await shopper.until('succeeded');
    await shopper.leave();
  });

  it('faults take the focus, name every field, and lead to it', async () => {
    const shopper = await enterShop(stack);
    const { page } = shopper;
    await tabTo(page, 'pay');
    await page.keyboard.press('Enter');
    await page.getByTestId('form-error').waitFor();
    await focusIsOn(page, 'form-error');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await focusIsOn(page, 'card-number');
    const number = page.getByTestId('card-number');
    expect(await number.getAttribute('aria-invalid')).toBe('true');
    const described = (await number.getAttribute('aria-describedby'))?.split(' ') ?? [];
    expect(described).toContain(await page.getByTestId('error-card-number').getAttribute('id'));
    await shopper.leave();
  });
});

it('every field has a name, and the state is announced', async () => {
  const shopper = await enterShop(stack);
  const { page } = shopper;
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('input, select, button')]
      .filter(
        (control) => !control.labels?.[0]?.textContent && !control.textContent && !control.getAttribute('aria-label'),
      )
      .map(({ id }) => id),
  );
  expect(nameless).toEqual([]);
  for (const label of ['Card number', 'Security code', 'Name on the card']) await page.getByLabel(label).waitFor();
  const filledIn = await page
    .locator('#card input[autocomplete]')
    .evaluateAll((fields) =>
      fields.map((field) => `${field.getAttribute('autocomplete')} ${field.getAttribute('inputmode')}`),
    );
  expect(filledIn).toEqual(['cc-number numeric', 'cc-exp numeric', 'cc-csc numeric', 'cc-name null']);
  expect(await page.getByTestId('status').getAttribute('role')).toBe('status');
  await shopper.leave();
});

it('every text and every edge of a field stands out from its ground', async () => {
  const shopper = await enterShop(stack);
  const { page } = shopper;
  const faintInBoth = async () => {
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    const inDark = await faint(page);
    await page.emulateMedia({ colorScheme: 'light' });
    return [...inDark, ...(await faint(page))];
  };
  expect(await faintInBoth()).toEqual([]);
  await shopper.pay();
  await page.getByTestId('form-error').waitFor();
  expect(await faintInBoth()).toEqual([]);
  await shopper.payByCard({ number: CARDS.refusedByTheBank });
  await shopper.until('refused');
  expect(await faintInBoth()).toEqual([]);
  await shopper.leave();
});

it('a French browser gets French, and says so to who reads it aloud', async () => {
  const shopper = await enterShop(stack, { locale: 'fr-FR' });
  expect(await shopper.page.evaluate(() => document.documentElement.lang)).toBe('fr');
  await shopper.page.getByLabel('Numéro de carte').waitFor();
  await shopper.leave();
});

const focusIsOn = (page: Page, testId: string) => page.locator(`[data-testid=${testId}]:focus`).waitFor();

/** Elements below the contrast of WCAG 2.2: 1.4.3 (text 4.5 to 1, large text 3 to 1) and 1.4.11 (edges of fields 3 to 1). */
const faint = (page: Page) =>
  page.evaluate(() => {
    const OPAQUE = /^rgb\((\d+), (\d+), (\d+)\)$/;
    const luminance = (color: string) => {
      const parts = OPAQUE.exec(color)
        ?.slice(1)
        .map((part) => Number(part) / 255);
      if (!parts) throw new Error(`${color} is not opaque`);
      const [red = 0, green = 0, blue = 0] = parts.map((part) =>
        part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one: string, other: string) => {
      const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    };
    const groundOf = (element: Element | null): string => {
      if (element === null) return 'rgb(255, 255, 255)';
      const { backgroundColor } = getComputedStyle(element);
      return OPAQUE.test(backgroundColor) ? backgroundColor : groundOf(element.parentElement);
    };
    const shown = [...document.querySelectorAll<HTMLElement>('body *')].filter((element) => element.checkVisibility());
    const hasText = (element: HTMLElement) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    const texts = shown.filter(hasText).map((element) => {
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      const [size, weight] = [parseFloat(fontSize), Number(fontWeight)];
      const least = size >= 24 || (size >= 18.66 && weight >= 700) ? 3 : 4.5;
      return { what: element.textContent?.trim().slice(0, 40), ratio: contrast(color, groundOf(element)), least };
    });
    const edges = shown
      .filter((element) => element.matches('select, input:not([type=radio])'))
      .map((element) => {
        const { borderTopColor } = getComputedStyle(element);
        return {
          what: `edge of ${element.id}`,
          ratio: contrast(borderTopColor, groundOf(element.parentElement)),
          least: 3,
        };
      });
    if (texts.length < 10) throw new Error('this page has hardly any text');
    return [...texts, ...edges].filter(({ ratio, least }) => ratio < least);
  });
