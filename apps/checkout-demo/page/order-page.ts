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
/** The form that the browser has just come back from: its notification is on its way. */
let backFrom: string | undefined;
let lateTimer: ReturnType<typeof setTimeout> | undefined;

export const currentOrder = (): Order | undefined => order;

/** Shows an order and follows it until it is left. `onState` after each state. */
export async function followOrder(orderId: string, onState: () => void): Promise<void> {
  inEveryLanguage(render);
  try {
    const first = await shopApi.order(orderId);
    if (new URLSearchParams(location.search).has('hint')) backFrom = first.form;
    take(first, onState);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return showStatus('unknown');
    showConnection(true);
  }
  listen(orderId, onState, 1_000);
}

export function take(latest: Order, onState: () => void): void {
  order = latest;
  render();
  onState();
  if (shownStatus() === 'redirect' && latest.form !== undefined && kept.isFirstVisitOf(latest.form)) location.assign(providerAddress());
}

/** The browser connects again by itself, unless the server said no: then here, later and later. */
function listen(orderId: string, onState: () => void, retryInMs: number): void {
  const events = new EventSource(`/orders/${encodeURIComponent(orderId)}/events`);
  let pauseMs = retryInMs;
  events.addEventListener('order', (event: MessageEvent<string>) => {
    pauseMs = 1_000;
    showConnection(false);
    take(JSON.parse(event.data) as Order, onState);
  });
  events.addEventListener('error', () => {
    showConnection(true);
    if (events.readyState === EventSource.CLOSED) setTimeout(() => listen(orderId, onState, Math.min(pauseMs * 2, 30_000)), pauseMs);
  });
}

const providerAddress = (): string => `/orders/${encodeURIComponent(order?.orderId ?? '')}/provider`;

function shownStatus(): string {
  const { status = 'waiting', form } = order ?? {};
  return status === 'redirect' && form !== undefined && form === backFrom ? 'waiting' : status;
}

function render(): void {
  if (order === undefined) return;
  const { orderId, amount, items, method, reason, nextAttempt, form } = order;
  const status = shownStatus();
  watchTheClock(status);
  showStatus(status, reason);
  byId('order-id').textContent = orderId;
  byId('order-total').textContent = price(amount);
  byId('order-method').textContent = method === undefined ? '' : t(`method.${method}` as TextKey);
  byId('order-items').replaceChildren(...items.map(({ sku, quantity }) => make('li', {}, `${quantity} × ${articleName(sku)}`)));
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
    return;
  }
  lateTimer ??= setTimeout(() => {
    if (order?.status === 'redirect') {
      backFrom = undefined;
      render();
    } else showStatus(shownStatus(), '', true);
  }, LATE_AFTER_MS);
}
