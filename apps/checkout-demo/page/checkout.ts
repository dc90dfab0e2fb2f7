import { drawCart, totalOf } from './cart-view.js';
import { CardTrouble, tokenizedCard } from './card-payment.js';
import { byId, show } from './elements.js';
import { drawEntryFields, enteredCustomer, forgetCard } from './entry-fields.js';
import { keepFaultsInEveryLanguage, showFaults } from './faults-view.js';
import { kept } from './kept.js';
import { inEveryLanguage, offerLanguages, price, t } from './language.js';
import { chosenMethod, drawMethods, updateMethods } from './method-view.js';
import { currentOrder, followOrder, take } from './order-page.js';
import { Refusal, shopApi, type Order, type Shop } from './shop-api.js';
import { keepStatusInEveryLanguage, showStatus } from './status-view.js';
import type { TextKey } from './texts.js';

const [, orderIdOfPage] = /^\/orders\/([^/]+)/.exec(location.pathname) ?? [];

const shop = await shopApi.shop();
const basket = kept.basket(Object.fromEntries(shop.articles.map(({ sku, quantity }) => [sku, quantity])));
let isPaying = false;

const amount = (): number => currentOrder()?.amount ?? totalOf(shop, basket);

start(shop);

function start(open: Shop): void {
  drawEntryFields();
  drawCart(open, basket, () => {
    kept.setBasket(basket);
    renderAmounts();
  });
  drawMethods(open, amount);
  offerLanguages();
  keepStatusInEveryLanguage();
  keepFaultsInEveryLanguage();
  inEveryLanguage(renderAmounts);
  byId('checkout').addEventListener('submit', (event) => {
    event.preventDefault();
    void pay();
  });
  byId('other-method').addEventListener('click', offerOtherMethod);
  for (const button of document.querySelectorAll('[data-new-order]')) button.addEventListener('click', beginAnew);
  // A page that comes back from the browser's memory shows what was true when it was left.
  addEventListener('pageshow', (event) => event.persisted && location.reload());
  if (orderIdOfPage === undefined) showShop();
  else void followOrder(decodeURIComponent(orderIdOfPage), renderAmounts);
}

function showShop(): void {
  const { orderId } = basket;
  show(byId('checkout'), true);
  show(byId('earlier'), orderId !== undefined);
  if (orderId !== undefined) byId('earlier-order').setAttribute('href', `/orders/${orderId}`);
}

/** The form of the shop without its cart: what is bought stands. */
function offerOtherMethod(): void {
  show(byId('checkout'), true);
  show(byId('cart'), false);
  byId('checkout').classList.add('without-cart');
  renderAmounts();
  byId('methods').querySelector<HTMLInputElement>('input:checked')?.focus();
}

function beginAnew(): void {
  kept.forgetBasket();
  location.assign('/');
}

function renderAmounts(): void {
  byId('total').textContent = price(totalOf(shop, basket));
  byId('pay').textContent = t('pay', { amount: price(amount()) });
  updateMethods();
  const order = currentOrder();
  if (order !== undefined && order.nextAttempt === undefined) show(byId('checkout'), false);
}

/** A second click while the first is under way does nothing; a second one in another tab finds the same order. */
async function pay(): Promise<void> {
  if (isPaying) return;
  setPaying(true);
  showFaults([]);
  try {
    arrived(await sent());
  } catch (error) {
    showOrderStatus();
    explain(error);
  } finally {
    setPaying(false);
  }
}

async function sent(): Promise<Order> {
  const method = chosenMethod();
  const customer = enteredCustomer();
  kept.setCustomer(customer);
  if (method === 'card') showStatus('tokenizing');
  const card = method === 'card' ? await tokenizedCard(shop) : undefined;
  showStatus('sending');
  const payment = { method, customer, ...(card && { card: card() }) };
  const order = currentOrder();
  if (order !== undefined) return shopApi.tryAgain(order.orderId, { attempt: order.nextAttempt, ...payment });
  const cart = Object.entries(basket.quantities).map(([sku, quantity]) => ({ sku, quantity }));
  return shopApi.place({ key: basket.key, cart, ...payment });
}

function arrived(order: Order): void {
  forgetCard();
  if (currentOrder() !== undefined) {
    show(byId('checkout'), false);
    return take(order, renderAmounts);
  }
  kept.setBasket({ ...basket, orderId: order.orderId });
  location.assign(`/orders/${order.orderId}`);
}

function explain(error: unknown): void {
  if (error instanceof CardTrouble) showFaults(error.faults, error.whole);
  else if (error instanceof Refusal && error.status === 400) showFaults(error.faults, error.faults.length > 0 ? undefined : 'failed.other');
  else showFaults([], error instanceof Refusal ? (FAILURES[error.status] ?? 'failed.other') : 'failed.other');
}

const FAILURES: Record<number, TextKey> = {
  0: 'failed.unavailable',
  503: 'failed.unavailable',
  409: 'failed.notPossible',
  429: 'failed.rate',
};

function showOrderStatus(): void {
  const order = currentOrder();
  showStatus(order?.status ?? 'ready', order?.reason);
}

function setPaying(paying: boolean): void {
  isPaying = paying;
  byId('pay').setAttribute('aria-disabled', String(paying));
}
