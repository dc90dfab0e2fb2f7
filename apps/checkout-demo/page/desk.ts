import { cardName } from './card-entry.js';
import { articleName } from './cart-view.js';
import { byId, make, show } from './elements.js';
import { openOperation } from './desk-dialog.js';
import { dateText, inEveryLanguage, offerLanguages, price, t } from './language.js';
import { methodName } from './method-view.js';
import { orderNumber } from './order-number.js';
import { ask, shopApi, type Method } from './shop-api.js';
import type { TextKey } from './texts.js';
import { SALE_STATES, type DeskView, type Possible } from './views.js';

const READ_EVERY_MS = 2_000;
const search = byId<HTMLInputElement>('search');
const state = byId<HTMLSelectElement>('state');

let methods: readonly Method[] = [];
let sales: DeskView[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let readings = 0;
/** The drawn card of each order: it is drawn anew only when its order has changed. */
const drawn = new Map<string, { said: string; card: HTMLElement }>();

offerLanguages();
inEveryLanguage(() => {
  document.title = `${t('desk.title')} – Maison Roitelet`;
  const chosen = state.value;
  const states = SALE_STATES.map((value) => make('option', { value }, t(`sale.${value}`)));
  state.replaceChildren(make('option', { value: '' }, t('desk.all')), ...states);
  state.value = chosen;
  drawn.clear();
  draw();
});
byId('find').addEventListener('submit', (event) => event.preventDefault());
byId('find').addEventListener('input', () => readIn(200));
void read();

function readIn(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void read(), ms);
}

async function read(): Promise<void> {
  const reading = ++readings;
  try {
    if (methods.length === 0) ({ methods } = await shopApi.shop());
    const found = await ask<DeskView[]>('/desk/orders', {
      search: search.value,
      ...(state.value && { state: state.value }),
    });
    if (reading !== readings) return; // a newer search is under way
    sales = found;
    show(byId('away'), false);
    draw();
  } catch {
    show(byId('away'), true);
  }
  readIn(READ_EVERY_MS);
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
  if (cards.length !== list.children.length || cards.some((card, index) => card !== list.children[index])) {
    const { testid } = (document.activeElement as HTMLElement | null)?.dataset ?? {};
    list.replaceChildren(...cards);
    focusOn(testid);
  }
  const isAll = search.value.trim() === '' && state.value === '';
  byId('none').textContent = methods.length === 0 || sales.length > 0 ? '' : t(isAll ? 'desk.none' : 'desk.nothing');
}

/** Drawing takes the focus from what is drawn; what does the same gets it back. */
function focusOn(testId = ''): void {
  if (document.activeElement === document.body && testId !== '')
    document.querySelector<HTMLElement>(`#sales [data-testid="${testId}"]`)?.focus();
}

function cardOf(sale: DeskView): HTMLElement {
  const { orderId, amount, captured, refunded, customer, items, placedAt, card, followUps, possible } = sale;
  const method = methods.find(({ id }) => id === sale.method);
  const paidWith = [method && methodName(method), card && cardName(card)].filter(Boolean).join(' · ');
  const taken = t('desk.taken', { captured: price(captured), refunded: price(refunded) });
  return make(
    'li',
    { class: 'sale', 'data-testid': `sale-${orderId}`, 'data-state': sale.state, tabindex: '-1' },
    make(
      'div',
      { class: 'sale-head' },
      make('h2', { title: orderId }, orderNumber(orderId)),
      make('span', { class: 'state', 'data-state': sale.state }, t(`sale.${sale.state}`)),
      make('span', { class: 'amount' }, price(amount)),
    ),
    make('p', {}, [customer?.name, customer?.email].filter(Boolean).join(' · ')),
    make('p', {}, items.map(({ sku, quantity }) => `${quantity} × ${articleName(sku)}`).join(', ')),
    make(
      'p',
      { class: 'note' },
      [timeText(placedAt), paidWith, ...(refunded > 0 || (captured > 0 && captured < amount) ? [taken] : [])].join(
        ' · ',
      ),
    ),
    ...deadline(sale),
    ...(possible.length === 0 ? [] : [make('p', { class: 'actions' }, ...possible.map((one) => opener(sale, one)))]),
    make('ul', { class: 'plain history' }, ...followUps.map(historyLine)),
  );
}

function opener(sale: DeskView, possible: Possible): HTMLElement {
  const { operation } = possible;
  const testId = `${operation}-${sale.orderId}`;
  const style = operation === 'capture' ? 'strong' : '';
  const button = make('button', { type: 'button', class: style, 'data-testid': testId }, t(`desk.ask.${operation}`));
  button.addEventListener('click', () => openOperation(sale, possible, replaced, () => closed(testId, sale.orderId)));
  return button;
}

function replaced(latest: DeskView): void {
  sales = sales.map((one) => (one.orderId === latest.orderId ? latest : one));
  draw();
}

/** The browser gives the focus back to the button that opened the dialog, unless the button is gone. */
function closed(testId: string, orderId: string): void {
  focusOn(testId);
  focusOn(`sale-${orderId}`);
}

const timeText = (time: string): string => dateText(new Date(time), { dateStyle: 'medium', timeStyle: 'short' });

function deadline({ captureBy, isWindowClosing }: DeskView): HTMLElement[] {
  if (captureBy === undefined) return [];
  const time = timeText(captureBy);
  const [style, text] = isWindowClosing
    ? ['warning', t('desk.closing', { time })]
    : ['note', t('desk.captureBy', { time })];
  return [make('p', { class: style, 'data-testid': style }, text)];
}

function historyLine({
  operation,
  amount,
  phase,
  execCode,
  at,
  reason,
  items = [],
}: DeskView['followUps'][number]): HTMLElement {
  const result = [t(`phase.${phase}` as TextKey), execCode === '0000' ? undefined : execCode].filter(Boolean).join(' ');
  const what = [
    `${t(`operation.${operation}`)} ${price(amount)}`,
    ...items.map(({ sku, quantity }) => `${quantity} × ${articleName(sku)}`),
    ...(reason === undefined ? [] : [t(`reason.${reason}`)]),
  ].join(' · ');
  return make(
    'li',
    {},
    make('span', {}, what),
    make('span', {}, result),
    make('span', { class: 'note' }, timeText(at)),
  );
}
