import { cardName } from './card-entry.js';
import { articleName } from './cart-view.js';
import { byId, make, show } from './elements.js';
import { dateText, decimal, inEveryLanguage, offerLanguages, price, t } from './language.js';
import { methodName } from './method-view.js';
import { minorUnits } from './money.js';
import { ask, Refusal, shopApi, type Method } from './shop-api.js';
import type { TextKey } from './texts.js';
import type { DeskView, FollowUpKind } from './views.js';

const READ_EVERY_MS = 2_000;

let methods: readonly Method[] = [];
let sales: DeskView[] = [];
/** The drawn card of each order: a card in which somebody types is drawn anew only when its order has changed. */
const drawn = new Map<string, { said: string; card: HTMLElement }>();

offerLanguages();
inEveryLanguage(() => {
  document.title = `${t('desk.title')} – Maison Roitelet`;
  drawn.clear();
  draw();
});
void read();

async function read(): Promise<void> {
  try {
    if (methods.length === 0) ({ methods } = await shopApi.shop());
    sales = await ask<DeskView[]>('/desk/orders');
    show(byId('away'), false);
    draw();
  } catch {
    show(byId('away'), true);
  }
  setTimeout(() => void read(), READ_EVERY_MS);
}

function draw(): void {
  const cards = sales.map((sale) => {
    const said = JSON.stringify(sale);
    const before = drawn.get(sale.orderId);
    if (before?.said === said) return before.card;
    const card = cardOf(sale);
    drawn.set(sale.orderId, { said, card });
    return card;
  });
  const list = byId('sales');
  if (cards.length !== list.children.length || cards.some((card, index) => card !== list.children[index]))
    list.replaceChildren(...cards);
  show(byId('none'), methods.length > 0 && sales.length === 0);
}

function cardOf(sale: DeskView): HTMLElement {
  const { orderId, amount, items, placedAt, card, followUps, possible } = sale;
  const method = methods.find(({ id }) => id === sale.method);
  const state = stateOf(sale);
  const paidWith = [method && methodName(method), card && cardName(card)].filter(Boolean).join(' · ');
  const title = make('h2', {}, timeText(placedAt));
  return make(
    'li',
    { class: 'sale', 'data-testid': `sale-${orderId}`, 'data-state': state },
    make(
      'div',
      { class: 'sale-head' },
      title,
      make('span', { class: 'state', 'data-state': state }, t(`sale.${state}`)),
      make('span', { class: 'amount' }, price(amount)),
    ),
    make('p', {}, items.map(({ sku, quantity }) => `${quantity} × ${articleName(sku)}`).join(', ')),
    make(
      'p',
      { class: 'note' },
      paidWith,
      make('br'),
      make('code', {}, t('named', { name: t('orderNumber'), says: orderId })),
    ),
    ...deadline(sale),
    ...possible.map((one) => (one.operation === 'void' ? cancelling(sale) : asking(sale, one.operation, one.most))),
    make('ul', { class: 'plain history' }, ...followUps.map(historyLine)),
  );
}

const timeText = (time: string): string => dateText(new Date(time), { dateStyle: 'medium', timeStyle: 'short' });

function stateOf({ status, captured, refunded }: DeskView) {
  if (status === 'cancelled') return 'cancelled';
  if (['conflict', 'in_doubt'].includes(status)) return 'doubt';
  if (['refused', 'rejected', 'expired'].includes(status)) return 'failed';
  if (status !== 'succeeded') return 'open';
  if (captured === 0) return 'due';
  if (refunded === 0) return 'paid';
  return refunded < captured ? 'partly' : 'refunded';
}

function deadline({ captureBy, isWindowClosing }: DeskView): HTMLElement[] {
  if (captureBy === undefined) return [];
  const time = timeText(captureBy);
  const [style, text] = isWindowClosing
    ? ['warning', t('desk.closing', { time })]
    : ['note', t('desk.captureBy', { time })];
  return [make('p', { class: style, 'data-testid': style }, text)];
}

function historyLine({ operation, amount, phase, execCode, at }: DeskView['followUps'][number]): HTMLElement {
  const result = [t(`phase.${phase}` as TextKey), execCode === '0000' ? undefined : execCode].filter(Boolean).join(' ');
  const what = `${t(`operation.${operation}`)} ${price(amount)}`;
  return make(
    'li',
    {},
    make('span', {}, what),
    make('span', {}, result),
    make('span', { class: 'note' }, timeText(at)),
  );
}

/** An amount and the button that names it. */
function asking(sale: DeskView, operation: 'capture' | 'refund', most: number): HTMLElement {
  const id = `${operation}-${sale.orderId}`;
  const field = make('input', {
    id,
    inputmode: 'decimal',
    autocomplete: 'off',
    'data-testid': id,
    'aria-describedby': `error-${id}`,
  });
  const button = make('button', { class: operation === 'capture' ? 'strong' : '' });
  const error = make('p', { class: 'error', id: `error-${id}`, role: 'alert' });
  const label = make('label', { for: id }, t('desk.amount'));
  const form = make('form', { novalidate: true }, make('div', { class: 'field' }, label, field), button, error);
  const entered = () => minorUnits(field.value);
  const render = () => (button.textContent = t(`desk.${operation}`, { amount: price(entered() ?? most) }));
  field.value = decimal(most);
  field.addEventListener('input', render);
  render();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const amount = entered();
    const isWrong = amount === undefined || amount === 0 || amount > most;
    field.setAttribute('aria-invalid', String(isWrong));
    if (isWrong) error.textContent = t('desk.range', { min: price(1), max: price(most) });
    else void operate(sale, operation, amount, error);
  });
  return form;
}

/** Behind a first press, because it can't be taken back. */
function cancelling(sale: DeskView): HTMLElement {
  const button = make('button', { type: 'button', 'data-testid': `void-${sale.orderId}` }, t('desk.void'));
  const error = make('p', { class: 'error', role: 'alert' });
  button.addEventListener('click', () => void operate(sale, 'void', sale.amount, error));
  return make('details', {}, make('summary', {}, t('desk.cancel')), make('p', {}, t('desk.cancelNote')), button, error);
}

/** The number makes a second press the same operation. */
async function operate(
  { orderId, next }: DeskView,
  operation: FollowUpKind,
  amount: number,
  error: HTMLElement,
): Promise<void> {
  error.textContent = '';
  try {
    const body = { operation, amount, number: next };
    const latest = await ask<DeskView>(`/desk/orders/${encodeURIComponent(orderId)}/operations`, body);
    sales = sales.map((one) => (one.orderId === orderId ? latest : one));
    draw();
  } catch (failure) {
    const isChanged = failure instanceof Refusal && failure.status === 409;
    error.textContent = t(isChanged ? 'desk.changed' : 'failed.unavailable');
  }
}
