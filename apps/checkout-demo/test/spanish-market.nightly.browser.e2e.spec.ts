import { startBrowserStack, type BrowserStack } from './browser-stack.js';
import { enterShop } from './shopper.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await startBrowserStack({ market: 'ES' })), 180_000);
afterAll(() => stack?.stop());

it('a Spanish shop speaks Spanish and offers the one option of method B that its account has', async () => {
  const shopper = await enterShop(stack, { locale: 'es-ES' });
  const { page } = shopper;
  expect(await page.locator('html').getAttribute('lang')).toBe('es');
  expect(await page.getByTestId('pay').textContent()).toMatch(/^Pagar .*€$/);
  const offered = await page
    .locator('input[name=way], input[name^=plan]')
    .evaluateAll((all) => all.map((one) => one.id));
  const inThree = ['way-3', 'method-b3', 'method-a3'];
  expect(offered).toEqual(['method-card', ...inThree, 'way-4', 'method-a4', 'method-a4wallet', 'method-a1euro']);
  await shopper.leave();
});

it('method B refuses a French phone at its field, and is paid with a Spanish one [Authorization.rule-4.{phone,mobile-phone}]', async () => {
  const shopper = await enterShop(stack, { locale: 'es-ES' });
  const phone = shopper.page.getByTestId('mobilePhone');
  await phone.fill('+33 6 12 34 56 78');
  await shopper.payIn('b3');
  await shopper.page.getByTestId('error-mobilePhone').filter({ hasText: 'móvil español' }).waitFor();
  expect(await shopper.executed()).toEqual([]);
  await phone.fill('+34 612 34 56 78');
  await shopper.payIn('b3');
  await shopper.decide('validate');
  await shopper.until('succeeded');
  expect(await shopper.page.locator('h1').textContent()).toContain('Gracias');
  expect(await stack.executed(await shopper.orderId())).toEqual(['authorization 0000']);
  await shopper.leave();
});

it.each(['a3', 'card'])('%s takes a phone of any country', async (method) => {
  const shopper = await enterShop(stack, { locale: 'es-ES' });
  await shopper.page.getByTestId('mobilePhone').fill('+33 6 12 34 56 78');
  if (method === 'card') await shopper.payByCard();
  else {
    await shopper.payIn(method);
    await shopper.decide('validate');
  }
  await shopper.until('succeeded');
  await shopper.leave();
});
