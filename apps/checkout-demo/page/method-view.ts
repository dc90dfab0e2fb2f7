import { byId, make, show } from './elements.js';
import { inEveryLanguage, language, price, t } from './language.js';
import { instalments, monthLater } from './money.js';
import type { Method, Shop } from './shop-api.js';
import type { TextKey } from './texts.js';

let update: () => void = () => undefined;

/** Draws a radio button per method, with its hint, the reason if it is unavailable, and its instalments once selected. */
export function drawMethods(shop: Shop, amount: () => number): void {
  const rows = shop.methods.map((method) => rowOf(method, amount));
  byId('methods').append(...rows.map(({ row }) => row));
  update = () => {
    for (const { render } of rows) render();
    if (chosenMethod() === '') byId<HTMLInputElement>('method-card').checked = true;
    for (const { render } of rows) render();
    show(byId('card'), chosenMethod() === 'card');
  };
  byId('methods').addEventListener('change', update);
  inEveryLanguage(update);
}

export const updateMethods = (): void => update();

export function chosenMethod(): string {
  return document.querySelector<HTMLInputElement>('input[name=method]:checked:not(:disabled)')?.value ?? '';
}

function rowOf(method: Method, amount: () => number): { row: HTMLElement; render: () => void } {
  const { id, instalments: count, minAmount, maxAmount } = method;
  const radio = make('input', { type: 'radio', name: 'method', id: `method-${id}`, value: id, 'data-testid': `method-${id}`, checked: id === 'card' }); // prettier-ignore
  const label = make('label', { for: radio.id, 'data-text': `method.${id}` }, t(`method.${id}` as TextKey));
  const hint = make('p', { class: 'hint', id: `hint-${id}` });
  const schedule = make('ol', { class: 'schedule', 'data-testid': 'schedule' });
  radio.setAttribute('aria-describedby', `${hint.id} error-method`);
  const render = () => {
    const isOffered = amount() >= (minAmount ?? 0) && amount() <= (maxAmount ?? Infinity);
    radio.disabled = !isOffered;
    if (!isOffered) radio.checked = false;
    hint.textContent = isOffered
      ? offeredHint(id)
      : t('unavailable', { min: price(minAmount ?? 0), max: price(maxAmount ?? 0) });
    if (isOffered) hint.removeAttribute('data-testid');
    else hint.setAttribute('data-testid', `unavailable-${id}`);
    schedule.setAttribute('aria-label', t('schedule'));
    schedule.replaceChildren(...(isOffered && radio.checked && count > 1 ? rates(amount(), count) : []));
    show(schedule, schedule.childElementCount > 0);
  };
  return { row: make('div', { class: 'method' }, radio, label, hint, schedule), render };
}

function offeredHint(id: string): string {
  if (id === 'card') return '';
  return id === 'a1euro' ? t('hint.a1euro') : t('hint.provider');
}

function rates(amount: number, count: number): HTMLElement[] {
  const day = new Intl.DateTimeFormat(language(), { dateStyle: 'long' });
  return instalments(amount, count).map((part, month) =>
    make(
      'li',
      {},
      make('span', {}, month === 0 ? t('today') : day.format(monthLater(new Date(), month))),
      make('span', {}, price(part)),
    ),
  );
}
