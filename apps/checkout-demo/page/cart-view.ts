import { byId, make } from './elements.js';
import { inEveryLanguage, price, t } from './language.js';
import type { Basket } from './kept.js';
import type { Shop } from './shop-api.js';
import type { TextKey } from './texts.js';

export const articleName = (sku: string): string => t(`article.${sku}` as TextKey);

export function drawCart(shop: Shop, basket: Basket, onChange: () => void): void {
  const lines = shop.articles.map(({ sku, price: each }) => {
    const input = make('input', {
      id: `quantity-${sku}`,
      'data-testid': `quantity-${sku}`,
      type: 'number',
      inputmode: 'numeric',
      min: '0',
      max: String(shop.maxQuantity),
      value: String(basket.quantities[sku] ?? 0),
    });
    input.addEventListener('input', () => {
      const quantity = Number(input.value);
      if (input.value === '' || !Number.isInteger(quantity) || quantity < 0 || quantity > shop.maxQuantity) return;
      basket.quantities[sku] = quantity;
      onChange();
    });
    input.addEventListener('change', () => (input.value = String(basket.quantities[sku] ?? 0)));
    const name = make('span');
    const label = make('label', { for: input.id, class: 'unseen' });
    const cost = make('span', { class: 'hint' });
    inEveryLanguage(() => {
      name.textContent = articleName(sku);
      label.textContent = t('quantity', { name: articleName(sku) });
      cost.textContent = t('each', { price: price(each) });
    });
    const picture = make('img', { src: `/assets/${sku}.svg`, alt: '', width: '64', height: '64' });
    return make(
      'li',
      { class: 'line' },
      picture,
      make('span', {}, name, make('br'), cost),
      make('span', {}, label, input),
    );
  });
  byId('cart-lines').replaceChildren(...lines);
}

/** Only for display: the server computes the amount that is paid. */
export function totalOf(shop: Shop, basket: Basket): number {
  return shop.articles.reduce((sum, { sku, price: each }) => sum + each * (basket.quantities[sku] ?? 0), 0);
}
