import { BRAND_NAMES } from './card-entry.js';
import { byId, make, show } from './elements.js';

/** Hidden until the tokenizer reports that the card has several brands. */
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

let offered: readonly string[] = [];

export const areOffered = (brands: readonly string[]): boolean => brands.join() === offered.join();

/** The first brand is selected until the person selects another one. */
export function offerBrands(brands: readonly string[]): void {
  offered = brands;
  byId('brands').replaceChildren(...brands.map(choiceOf));
  show(byId('card-brand'), true);
  byId(`brand-${brands[0] ?? ''}`).focus();
}

/** Called when the card changes, because another card has other brands. */
export function forgetBrands(): void {
  offered = [];
  show(byId('card-brand'), false);
}

export const chosenBrand = (): string | undefined =>
  document.querySelector<HTMLInputElement>('#brands input:checked')?.value;

function choiceOf(brand: string, index: number): HTMLElement {
  const id = `brand-${brand}`;
  const radio = make('input', {
    type: 'radio',
    name: 'card-brand',
    id,
    value: brand,
    'data-testid': id,
    checked: index === 0,
  });
  return make('div', { class: 'method' }, radio, make('label', { for: id }, BRAND_NAMES[brand] ?? brand));
}
