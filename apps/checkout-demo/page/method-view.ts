import { byId, make, show } from './elements.js';
import { dateText, listText, price, t } from './language.js';
import { instalments, monthLater } from './money.js';
import type { Method, Shop } from './shop-api.js';
import type { TextKey } from './texts.js';

let update = (): void => undefined;
/** After a refusal the person chooses anew; else the card is chosen. */
let mayBeNone = false;

/**
 * Draws a row per way to pay: card, 3 instalments, 4 instalments, credit. Each says what is paid today and later before it is chosen. The
 * chosen one is open and holds the card's fields, or the choice among its plans.
 */
export function drawMethods(shop: Shop, amount: () => number): void {
  const ways = waysOf(shop.methods).map((methods) => wayOf(methods, amount));
  byId('methods').append(...ways.map(({ element }) => element));
  ways[0]?.body.append(byId('card'));
  update = () => {
    for (const { render } of ways) render();
    if (chosenMethod() === '' && !mayBeNone) byId<HTMLInputElement>('method-card').checked = true;
    for (const { head, body } of ways) show(body, head.checked);
  };
}

/** Called whenever amount, choice or language change. */
export const updateMethods = (): void => update();

export function chosenMethod(): string {
  const head = document.querySelector<HTMLInputElement>('input[name=way]:checked');
  if (head === null) return '';
  return head.value || (document.querySelector<HTMLInputElement>(`input[name=plan-${head.id}]:checked`)?.value ?? '');
}

export function chooseNone(): void {
  mayBeNone = true;
  for (const way of waysOfPage()) way.checked = false;
}

export const waysOfPage = (): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>('input[name=way]:enabled'),
];

/** For example `3 instalments · Free of charge`. */
export function methodName({ id, instalments: count }: Method): string {
  const name = t(`method.${id}` as TextKey);
  return count > 1 ? `${t('instalments', { count: String(count) })} · ${name}` : name;
}

/** Dates and amounts of a plan that begins on this day. */
export function scheduleOf({ instalments: count }: Method, amount: number, from: Date): { day: Date; part: number }[] {
  return instalments(amount, count).map((part, month) => ({ day: monthLater(from, month), part }));
}

/** Methods that differ only in their plan are one way. The first of the shop's methods is the card. */
function waysOf(methods: readonly Method[]): Method[][] {
  const ways = new Map<string, Method[]>();
  for (const method of methods) {
    const way = method.instalments > 1 ? String(method.instalments) : method.id;
    ways.set(way, [...(ways.get(way) ?? []), method]);
  }
  return [...ways.values()];
}

const isOffered = ({ minAmount = 0, maxAmount = Infinity }: Method, amount: number): boolean =>
  amount >= minAmount && amount <= maxAmount;

const limitsText = ({ minAmount = 0, maxAmount = 0 }: Method): string =>
  t('unavailable', { min: price(minAmount), max: price(maxAmount) });

function wayOf(methods: readonly Method[], amount: () => number) {
  const [first] = methods as [Method];
  const isPlan = methods.length > 1;
  const id = isPlan ? `way-${first.instalments}` : `method-${first.id}`;
  const head = make('input', {
    type: 'radio',
    name: 'way',
    id,
    value: isPlan ? '' : first.id,
    'data-testid': id,
    checked: first.id === 'card',
    'aria-describedby': `terms-${id} error-method`,
  });
  const label = make('label', { for: id });
  const due = make('span', { class: 'amount' });
  const terms = make('p', { class: 'hint', id: `terms-${id}` });
  const plans = isPlan ? methods.map((method) => planOf(method, id, amount)) : [];
  const note = make('p', { class: 'hint' });
  const body = make('div', { class: 'way-body', hidden: true }, ...plans.map(({ element }) => element));
  if (first.id !== 'card') body.append(note);
  const render = () => {
    for (const plan of plans) plan.render();
    const isOpen = methods.some((method) => isOffered(method, amount()));
    const offered = plans.filter(({ radio }) => !radio.disabled);
    if (offered[0] !== undefined && !offered.some(({ radio }) => radio.checked)) offered[0].radio.checked = true;
    head.disabled = !isOpen;
    if (!isOpen) head.checked = false;
    label.textContent = isPlan
      ? t('instalments', { count: String(first.instalments) })
      : t(`method.${first.id}` as TextKey);
    due.textContent = isOpen ? dueText(first, amount()) : '';
    const shown = methods.find((_, index) => plans[index]?.radio.checked) ?? first;
    const says = isOpen ? [laterText(shown, amount()), costText(shown, amount())] : [limitsText(first)];
    terms.replaceChildren(...says.filter(Boolean).map((text) => make('span', {}, text)));
    note.textContent = t('hint.provider');
  };
  const top = make('div', { class: 'way-head' }, head, label, due, terms);
  return { element: make('div', { class: 'way' }, top, body), head, body, render };
}

function planOf(method: Method, way: string, amount: () => number) {
  const id = `method-${method.id}`;
  const radio = make('input', {
    type: 'radio',
    name: `plan-${way}`,
    id,
    value: method.id,
    'data-testid': id,
    'aria-describedby': `terms-${id}`,
  });
  const label = make('label', { for: id });
  const hint = make('span', { class: 'hint', id: `terms-${id}` });
  const render = () => {
    radio.disabled = !isOffered(method, amount());
    if (radio.disabled) radio.checked = false;
    label.textContent = t(`method.${method.id}` as TextKey);
    hint.textContent = radio.disabled ? limitsText(method) : planCostText(method, amount());
  };
  return { element: make('div', { class: 'plan' }, radio, label, hint), radio, render };
}

function dueText(method: Method, amount: number): string {
  const [now] = scheduleOf(method, amount, new Date());
  return method.instalments > 1 ? t('dueToday', { amount: price(now?.part ?? 0) }) : price(amount);
}

function laterText(method: Method, amount: number): string {
  const [, ...later] = scheduleOf(method, amount, new Date());
  const days = later.map(({ day }) => dateText(day, { day: 'numeric', month: 'short' }));
  return days.length === 0 ? '' : t('dueLater', { amount: price(later[0]?.part ?? 0), days: listText(days) });
}

/** The whole price, and what the provider may add to it. */
function costText({ id, cost }: Method, amount: number): string {
  return id === 'card' ? t('hint.card') : t(id === 'a1euro' ? 'hint.a1euro' : `cost.${cost}`, { total: price(amount) });
}

/** Its name says already that it costs nothing more. */
const planCostText = (method: Method, amount: number): string =>
  method.cost === 'none' ? t('named', { name: t('total'), says: price(amount) }) : costText(method, amount);
