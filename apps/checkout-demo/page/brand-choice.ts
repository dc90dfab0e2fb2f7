import type { Brand } from '@tranche/card-encryption';
import { BRAND_NAMES } from './card-entry.js';
import { byId, make, show } from './elements.js';

/** Hidden until the first digits say which brands the card may have. */
export function drawBrandChoice(): HTMLElement {
  return make(
    'fieldset',
    {
      id: 'card-brand',
      class: 'field wide',
      'data-testid': 'card-brand',
      'aria-describedby': 'error-card-brand',
      hidden: true,
    },
    make('legend', { 'data-text': 'card-brand' }),
    make('div', { id: 'brands' }),
    make('p', { id: 'error-card-brand', 'data-testid': 'error-card-brand', class: 'error', hidden: true }),
  );
}

let offered: readonly Brand[] = [];

/** Before the card is encrypted. One brand is no choice; of several, the scheme's own is selected until the person selects another one. */
export function offerBrands(brands: readonly Brand[]): void {
  if (brands.join() === offered.join()) return;
  offered = brands;
  byId('brands').replaceChildren(...brands.map(choiceOf));
  show(byId('card-brand'), brands.length > 1);
  byId('card-scheme').textContent = BRAND_NAMES[brands[0] ?? ''] ?? '';
}

export const chosenBrand = (): Brand | undefined =>
  document.querySelector<HTMLInputElement>('#brands input:checked')?.value as Brand | undefined;

function choiceOf(brand: Brand, index: number): HTMLElement {
  const id = `brand-${brand}`;
  const radio = make('input', {
    type: 'radio',
    name: 'card-brand',
    id,
    value: brand,
    'data-testid': id,
    checked: index === 0,
  });
  return make('div', { class: 'choice' }, radio, make('label', { for: id }, BRAND_NAMES[brand] ?? brand));
}
