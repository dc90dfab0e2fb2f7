import { countOf, drawCart, sumRows, totalOf } from './cart-view.js';
import { drawCardFields, forgetCard } from './card-fields.js';
import { CardTrouble, tokenizedCard } from './card-payment.js';
import { byId, show } from './elements.js';
import {
  drawEntryFields,
  enteredAll,
  enteredCustomer,
  enteredShipping,
  foldAddress,
  missingEntries,
} from './entry-fields.js';
import { keepFaultsCurrent, showFaults } from './faults-view.js';
import { beginAnew, isOld, kept, type Basket } from './kept.js';
import { fixedTexts, inEveryLanguage, offerLanguages, price, t } from './language.js';
import { chooseNone, chosenMethod, drawMethods, scheduleOf, updateMethods, waysOfPage } from './method-view.js';
import { currentOrder, currentPageId, followOrder, isRefused, take } from './order-page.js';
import { Refusal, shopApi, type Shop } from './shop-api.js';
import { keepStatusInEveryLanguage, showStatus, statusText } from './status-view.js';
import type { TextKey } from './texts.js';
import type { OrderView } from './views.js';

const [, pageIdOfAddress] = /^\/orders\/([^/]+)/.exec(location.pathname) ?? [];

let shop: Shop;
let basket: Basket;
let isPaying = false;
let shownPath = location.pathname;

const amount = (): number => currentOrder()?.amount ?? totalOf(shop, basket);

offerLanguages();
keepStatusInEveryLanguage();
byId('open-again').addEventListener('click', () => void open());
void open();

async function open(): Promise<void> {
  show(byId('open-again'), false);
  showStatus('ready');
  try {
    shop = await shopApi.shop();
  } catch {
    showStatus('closed');
    return show(byId('open-again'), true);
  }
  basket = kept.basket(Object.fromEntries(shop.articles.map(({ sku, quantity }) => [sku, quantity])));
  start();
}

function start(): void {
  drawEntryFields(shop.market);
  drawCardFields(shop.market);
  drawCart(shop, basket, cartChanged);
  drawMethods(shop, amount);
  fixedTexts();
  keepFaultsCurrent();
  inEveryLanguage(renderAmounts);
  byId('checkout').addEventListener('submit', (event) => {
    event.preventDefault();
    void pay();
  });
  byId('other-method').addEventListener('click', () => {
    offerOtherMethod();
    waysOfPage()[0]?.focus();
  });
  byId('methods').addEventListener('change', renderAmounts);
  byId('new-order').addEventListener('click', leaveForNewOrder);
  // The browser's back-forward cache restores an old state of the page, so we reload it.
  addEventListener('pageshow', (event) => event.persisted && location.reload());
  addEventListener('popstate', () => location.pathname !== shownPath && location.reload());
  if (pageIdOfAddress === undefined) showShop();
  else void followOrder(decodeURIComponent(pageIdOfAddress), shop.methods, renderAmounts);
}

function showShop(): void {
  const { pageId } = basket;
  show(byId('checkout'), true);
  show(byId('earlier'), pageId !== undefined);
  if (pageId !== undefined) byId('earlier-order').setAttribute('href', `/orders/${pageId}`);
}

/** A changed cart of a placed order is a new order. Before an answer the cart keeps its key, so that its order cannot be placed twice. */
function cartChanged(): void {
  if (basket.pageId !== undefined) {
    beginAnew(basket);
    showShop();
  }
  kept.setBasket(basket);
  renderAmounts();
}

/** Shows the choice of a payment: articles and address stay, and what was refused is not chosen again. */
function offerOtherMethod(): void {
  foldAddress();
  chooseNone();
  show(byId('checkout'), true);
  show(byId('cart'), false);
  byId('checkout').classList.add('without-cart');
  renderAmounts();
}

/** The cart of an order that was not paid stays as it is, for another order. */
function leaveForNewOrder(): void {
  if (currentOrder()?.status === 'succeeded') kept.forgetBasket();
  else if (basket.pageId !== undefined) {
    beginAnew(basket);
    kept.setBasket(basket);
  }
  location.assign('/');
}

function renderAmounts(): void {
  updateMethods();
  const method = shop.methods.find(({ id }) => id === chosenMethod());
  const isPlan = method !== undefined && method.instalments > 1;
  const due = price((isPlan ? scheduleOf(method, amount(), new Date())[0]?.part : undefined) ?? amount());
  const total = totalOf(shop, basket);
  byId('sums').replaceChildren(...sumRows(total, isPlan ? [[t('dueNow'), due]] : []));
  byId('cart-count').textContent = `${t('cart')} · ${countOf(basket)}`;
  byId('cart-total').textContent = price(total);
  byId('due-name').textContent = t(isPlan ? 'dueNow' : 'total');
  byId('due').textContent = due;
  byId('pay').textContent = isPaying
    ? statusText()
    : (method?.id ?? 'card') === 'card'
      ? t('pay', { amount: due })
      : t('continue');
  const order = currentOrder();
  if (order === undefined) return;
  if (order.nextAttempt !== undefined) {
    if (isRefused(order) && !isPaying && byId('checkout').hidden) offerOtherMethod();
    return;
  }
  show(byId('checkout'), false);
  // Faults of a failed request stay visible until the order is sent.
  if (order.status !== 'sending' && !isPaying) showFaults([]);
}

/** Ignores a second click while the first is in flight. A second tab has the same key, so it gets the same order. */
async function pay(): Promise<void> {
  if (isPaying) return;
  setPaying(true);
  showFaults([]);
  try {
    await send();
  } catch (error) {
    showOrderStatus();
    explain(error);
  } finally {
    setPaying(false);
  }
}

async function send(): Promise<void> {
  const method = chosenMethod();
  if (method === '') throw new CardTrouble([...missingEntries(), { path: 'method', code: 'required' }]);
  const customer = enteredCustomer();
  const shipping = enteredShipping();
  kept.setCustomer(enteredAll());
  if (method === 'card') showProgress('tokenizing');
  const card = method === 'card' ? await tokenizedCard(shop, missingEntries()) : undefined;
  showProgress('sending');
  const payment = { method, customer, ...(shipping && { shipping }), ...(card && { card: card() }) };
  const order = currentOrder();
  if (order !== undefined)
    return triedAgain(await shopApi.tryAgain(currentPageId(), { attempt: order.nextAttempt, ...payment }));
  if (isOld(basket)) {
    beginAnew(basket);
    kept.setBasket(basket);
  }
  const cart = Object.entries(basket.quantities).map(([sku, quantity]) => ({ sku, quantity }));
  const { pageId, ...placedOrder } = await shopApi.place({ key: basket.key, cart, ...payment });
  placed(pageId, placedOrder);
}

function showProgress(status: string): void {
  showStatus(status);
  byId('pay').textContent = statusText();
}

function triedAgain(order: OrderView): void {
  leaveForm();
  take(order, renderAmounts);
}

/** Becomes the order's page without loading it: a slow connection would show an empty one. Back loads the shop again. */
function placed(pageId: string, order?: OrderView): void {
  basket = { ...basket, pageId };
  kept.setBasket(basket);
  history.pushState(null, '', `/orders/${pageId}`);
  shownPath = location.pathname;
  leaveForm();
  showStatus('waiting');
  void followOrder(pageId, shop.methods, renderAmounts, order);
}

function leaveForm(): void {
  forgetCard();
  for (const id of ['checkout', 'earlier']) show(byId(id), false);
  byId('main').focus();
  scrollTo(0, 0);
}

function explain(error: unknown): void {
  // The key already has an order with another cart or method. We show that order; nothing was sent.
  if (error instanceof Refusal && error.pageId !== undefined) return placed(error.pageId);
  if (error instanceof CardTrouble) showFaults(error.faults, error.whole);
  else if (error instanceof Refusal && error.status === 400)
    showFaults(error.faults, error.faults.length > 0 ? undefined : 'failed.other');
  else showFaults([], error instanceof Refusal ? failureOf(error.status) : 'failed.other');
}

function failureOf(status: number): TextKey {
  const failure = FAILURES[status] ?? 'failed.other';
  return failure === 'failed.unavailable' && currentOrder() !== undefined ? 'failed.again' : failure;
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
  renderAmounts();
}
