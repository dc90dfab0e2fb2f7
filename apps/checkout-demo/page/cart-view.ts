import { byId, make } from './elements.js';
import { inEveryLanguage, price, t } from './language.js';
import type { Basket } from './kept.js';
import type { Shop } from './shop-api.js';
import type { TextKey } from './texts.js';

export const articleName = (sku: string): string => t(`article.${sku}` as TextKey);

/** An article of the cart or of a receipt. */
export function articleLine(sku: string, ...beside: Node[]): HTMLElement {
  const picture = make('img', { src: `/assets/${sku}.svg`, alt: '', width: '56', height: '56' });
  return make('li', { class: 'line' }, picture, ...beside);
}

/** Delivery costs nothing, and prices include taxes. `more` are rows below the total. */
export function sumRows(amount: number, more: [name: string, value: string][] = []): Node[] {
  const row = (name: string, value: string, style = '') => [
    make('dt', { class: style }, name),
    make('dd', { class: `amount ${style}` }, value),
  ];
  return [
    ...row(t('subtotal'), price(amount)),
    ...row(t('deliveryCosts'), t('free')),
    ...row(t('total'), price(amount), 'whole'),
    ...more.flatMap(([name, value]) => row(name, value)),
  ];
}

export function drawCart(shop: Shop, basket: Basket, onChange: () => void): void {
  const set = (sku: string, quantity: number) => {
    if (!Number.isInteger(quantity) || quantity < 0 || quantity > shop.maxQuantity) return;
    basket.quantities[sku] = quantity;
    onChange();
  };
  byId('cart-lines').replaceChildren(
    ...shop.articles.map((article) => cartLine(article, shop.maxQuantity, basket, set)),
  );
  const toggle = byId('cart-toggle');
  toggle.addEventListener('click', () =>
    toggle.setAttribute('aria-expanded', String(toggle.getAttribute('aria-expanded') !== 'true')),
  );
}

function cartLine(
  { sku, price: each }: Shop['articles'][number],
  most: number,
  { quantities }: Basket,
  set: (sku: string, quantity: number) => void,
): HTMLElement {
  const id = `quantity-${sku}`;
  const input = make('input', {
    id,
    'data-testid': id,
    type: 'number',
    inputmode: 'numeric',
    min: '0',
    max: String(most),
  });
  const fewer = make('button', { type: 'button' }, '−');
  const more = make('button', { type: 'button' }, '+');
  const name = make('span');
  const eachCost = make('p', { class: 'hint' });
  const cost = make('span', { class: 'amount' });
  const render = () => {
    const quantity = quantities[sku] ?? 0;
    if (Number(input.value) !== quantity || input.value === '') input.value = String(quantity);
    fewer.disabled = quantity === 0;
    more.disabled = quantity === most;
    name.textContent = articleName(sku);
    input.setAttribute('aria-label', t('quantity', { name: articleName(sku) }));
    fewer.setAttribute('aria-label', t('fewer', { name: articleName(sku) }));
    more.setAttribute('aria-label', t('more', { name: articleName(sku) }));
    eachCost.textContent = t('each', { price: price(each) });
    cost.textContent = price(each * quantity);
  };
  const change = (quantity: number) => {
    set(sku, quantity);
    render();
  };
  fewer.addEventListener('click', () => change((quantities[sku] ?? 0) - 1));
  more.addEventListener('click', () => change((quantities[sku] ?? 0) + 1));
  // An empty field is left as it is, because a person may be about to type a number.
  input.addEventListener('input', () => input.value !== '' && change(Number(input.value)));
  input.addEventListener('change', render);
  inEveryLanguage(render);
  const stepper = make('span', { class: 'stepper' }, fewer, input, more);
  return articleLine(sku, make('div', {}, name, eachCost, stepper), cost);
}

export const countOf = ({ quantities }: Basket): number => Object.values(quantities).reduce((sum, one) => sum + one, 0);

/** Only for display: the server computes the amount that is paid. */
export function totalOf(shop: Shop, basket: Basket): number {
  return shop.articles.reduce((sum, { sku, price: each }) => sum + each * (basket.quantities[sku] ?? 0), 0);
}
