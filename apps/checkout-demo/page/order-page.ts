import { cardName } from './card-entry.js';
import { articleName } from './cart-view.js';
import { byId, make, show } from './elements.js';
import { inEveryLanguage, price, t } from './language.js';
import { kept } from './kept.js';
import { Refusal, shopApi, type Order } from './shop-api.js';
import { showConnection, showStatus } from './status-view.js';
import type { TextKey } from './texts.js';

const LATE_AFTER_MS = 20_000;
const FINISHED = ['succeeded', 'refused', 'rejected', 'expired'];
const UNDER_WAY = ['sending', 'waiting'];

let order: Order | undefined;
let pageId = '';
/** The form that the browser has just come back from: its notification is on its way. */
let backFrom: string | undefined;
let lateTimer: ReturnType<typeof setTimeout> | undefined;
let isLate = false;

export const currentOrder = (): Order | undefined => order;
export const currentPageId = (): string => pageId;

/** Shows an order and follows it until it is left. `onState` after each state. */
export async function followOrder(ofPage: string, onState: () => void): Promise<void> {
  pageId = ofPage;
  inEveryLanguage(render);
  try {
    const first = await shopApi.order(pageId);
    if (new URLSearchParams(location.search).has('hint')) backFrom = first.form;
    take(first, onState);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return showStatus('unknown');
    showConnection(true);
  }
  listen(onState, 1_000);
}

/** An answer that was under way for longer than what is shown already says nothing any more. */
export function take(latest: Order, onState: () => void): void {
  if (order !== undefined && latest.version < order.version) return;
  order = latest;
  render();
  onState();
  // Whoever may have paid already is led nowhere by itself.
  const { form, confirmation } = latest;
  const isToFollow = shownStatus() === 'redirect' && confirmation === undefined;
  if (isToFollow && form !== undefined && kept.isFirstVisitOf(form)) location.assign(providerAddress());
}

/** The browser connects again by itself, unless the server said no: then here, later and later, and the state is asked for meanwhile. */
function listen(onState: () => void, retryInMs: number): void {
  const events = new EventSource(`/orders/${encodeURIComponent(pageId)}/events`);
  let pauseMs = retryInMs;
  events.addEventListener('order', (event: MessageEvent<string>) => {
    pauseMs = 1_000;
    showConnection(false);
    take(JSON.parse(event.data) as Order, onState);
  });
  events.addEventListener('error', () => {
    showConnection(true);
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen(onState, Math.min(pauseMs * 2, 30_000)), pauseMs);
    shopApi.order(pageId).then(
      (latest) => take(latest, onState),
      () => undefined, // asked for again with the next connection
    );
  });
}

const providerAddress = (): string => `/orders/${encodeURIComponent(pageId)}/provider`;

function shownStatus(): string {
  const { status = 'waiting', form } = order ?? {};
  return status === 'redirect' && form !== undefined && form === backFrom ? 'waiting' : status;
}

function render(): void {
  if (order === undefined) return;
  const { orderId, amount, items, method, card, reason, nextAttempt, form } = order;
  const status = shownStatus();
  watchTheClock(status);
  showStatus(status, reason, wordsFor(status));
  byId('order-id').textContent = orderId;
  byId('order-total').textContent = price(amount);
  const ways = [method && t(`method.${method}` as TextKey), card && cardName(card)];
  byId('order-method').textContent = ways.filter(Boolean).join(' · ');
  byId('order-items').replaceChildren(
    ...items.map(({ sku, quantity }) => make('li', {}, `${quantity} × ${articleName(sku)}`)),
  );
  byId('provider-continue').setAttribute('href', providerAddress());
  show(byId('provider-continue'), status === 'redirect' && form !== undefined);
  show(byId('other-method'), nextAttempt !== undefined && !UNDER_WAY.includes(status));
  show(byId('new-order'), FINISHED.includes(status));
  show(byId('order'), true);
}

/** A confirmation that does not come is said to be late; who came back without one may go to the form again. */
function watchTheClock(status: string): void {
  if (!UNDER_WAY.includes(status)) {
    clearTimeout(lateTimer);
    lateTimer = undefined;
    isLate = false;
    return;
  }
  lateTimer ??= setTimeout(() => {
    if (order?.status === 'redirect') backFrom = undefined;
    else isLate = true;
    render();
  }, LATE_AFTER_MS);
}

function wordsFor(status: string): TextKey | undefined {
  if (status === 'redirect' && order?.confirmation === 'overdue') return 'status.overdue';
  if (status !== 'waiting') return isLate ? 'status.late' : undefined;
  if (order?.confirmation === 'awaited') return 'status.awaited';
  return isLate ? 'status.late' : undefined;
}
