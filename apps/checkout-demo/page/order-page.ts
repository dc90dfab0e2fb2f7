import { byId, show } from './elements.js';
import { inEveryLanguage } from './language.js';
import { kept } from './kept.js';
import { showReceipt } from './receipt.js';
import { Refusal, shopApi, type Method } from './shop-api.js';
import { showConnection, showStatus } from './status-view.js';
import type { TextKey } from './texts.js';
import type { OrderView } from './views.js';

const LATE_AFTER_MS = 20_000;
const FINISHED = ['succeeded', 'cancelled', 'refused', 'rejected', 'expired'];
const UNDER_WAY = ['sending', 'waiting'];

export const isRefused = ({ status }: OrderView): boolean => ['refused', 'rejected'].includes(status);

let order: OrderView | undefined;
let methods: readonly Method[] = [];
let pageId = '';
/** The form that the browser has just returned from; its notification may still be in flight. */
let backFrom: string | undefined;
let lateTimer: ReturnType<typeof setTimeout> | undefined;
let isLate = false;

export const currentOrder = (): OrderView | undefined => order;
export const currentPageId = (): string => pageId;

export async function followOrder(
  ofPage: string,
  offered: readonly Method[],
  onState: () => void,
  placed?: OrderView,
): Promise<void> {
  pageId = ofPage;
  methods = offered;
  inEveryLanguage(render);
  try {
    const first = placed ?? (await shopApi.order(pageId));
    if (new URLSearchParams(location.search).has('hint')) backFrom = first.form;
    take(first, onState);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return showStatus('unknown');
    showConnection(true);
  }
  listen(onState, 1_000);
}

/** Ignores a state with a lower version: its answer was slower than a newer one. */
export function take(latest: OrderView, onState: () => void): void {
  if (order !== undefined && latest.version < order.version) return;
  order = latest;
  render();
  onState();
  // A person who may have paid already is not redirected without a click.
  const { form, confirmation } = latest;
  const isToFollow = shownStatus() === 'redirect' && confirmation === undefined;
  if (isToFollow && form !== undefined && kept.isFirstVisitOf(form)) location.assign(providerAddress());
}

/** EventSource reconnects by itself unless the server refused it. Then we reconnect with growing pauses and request the state meanwhile. */
function listen(onState: () => void, retryInMs: number): void {
  const events = new EventSource(`/orders/${encodeURIComponent(pageId)}/events`);
  let pauseMs = retryInMs;
  events.addEventListener('order', (event: MessageEvent<string>) => {
    pauseMs = 1_000;
    showConnection(false);
    take(JSON.parse(event.data) as OrderView, onState);
  });
  events.addEventListener('error', () => {
    showConnection(true);
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen(onState, Math.min(pauseMs * 2, 30_000)), pauseMs);
    shopApi.order(pageId).then(
      (latest) => take(latest, onState),
      () => undefined, // the next connection requests it again
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
  const { reason, nextAttempt, form } = order;
  const status = shownStatus();
  watchTheClock(status);
  showStatus(status, reason, textKeyFor(status));
  showReceipt(order, methods);
  byId('provider-continue').setAttribute('href', providerAddress());
  show(byId('provider-continue'), status === 'redirect' && form !== undefined);
  const mayPay = nextAttempt !== undefined && !UNDER_WAY.includes(status);
  byId('other-method').classList.toggle('strong', status !== 'redirect');
  // After a refusal the choice is open already.
  show(byId('other-method'), mayPay && !isRefused(order));
  show(byId('new-order'), FINISHED.includes(status));
}

/** Marks a confirmation as late after 20 s. A person who returned from a form without paying may then open the form again. */
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

function textKeyFor(status: string): TextKey | undefined {
  if (status === 'redirect' && order?.confirmation === 'overdue') return 'status.overdue';
  if (status === 'waiting' && order?.confirmation === 'awaited') return 'status.awaited';
  return isLate ? 'status.late' : undefined;
}
