import type { Brand } from '@tranche/card-encryption';
import { BRAND_NAMES, inFours, readExpiry, readNumber, withSlash } from './card-entry.js';
import { byId, make, show } from './elements.js';
import { errorOf, gridOf, type EntryField } from './entry-fields.js';
import type { Shop } from './shop-api.js';

type CardEncryption = typeof import('@tranche/card-encryption');

/** The shop serves the package beside the page, because a browser cannot resolve its name in node_modules. */
const LIBRARY = '/card-encryption/index.js';

export const cardLibrary = (): Promise<CardEncryption> => import(LIBRARY) as Promise<CardEncryption>;

/** These inputs get no `name`, so a form that the browser submits by itself contains no card data. */
const CARD: readonly EntryField[] = [
  { name: 'card-number', autocomplete: 'cc-number', inputmode: 'numeric', isWide: true },
  { name: 'card-expiry', autocomplete: 'cc-exp', inputmode: 'numeric' },
  { name: 'card-cvv', autocomplete: 'cc-csc', inputmode: 'numeric' },
  { name: 'card-name', autocomplete: 'cc-name', isWide: true },
];

const CARD_DATA = ['card-number', 'card-expiry', 'card-cvv'];

/** In a French shop a card may carry the brand CB too, so its holder chooses. In other shops the page asks only if the tokenizer refuses the brand. */
let isOfCb = false;
let areAllOffered = false;
let offered: readonly Brand[] = [];

/** So many digits say what the card is. Before them a choice would come and go. */
const CHOICE_FROM_DIGITS = 8;

const entered = (name: string): string => byId<HTMLInputElement>(name).value;

export function drawCardFields(market: Shop['market']): void {
  byId('card').append(gridOf(CARD), make('p', { class: 'hint safe', 'data-text': 'cardHint' }));
  byId('card-number').after(make('span', { id: 'card-scheme', class: 'beside', 'data-testid': 'card-scheme' }));
  byId('card-expiry').parentElement?.before(brandChoice());
  isOfCb = market === 'FR';
  retypedAs('card-number', inFours);
  retypedAs('card-expiry', withSlash);
  // If the library can't be loaded, no brand is offered: the attempt to pay shows the error.
  byId('card-number').addEventListener('input', () => {
    areAllOffered = false;
    void showBrands().catch(() => undefined);
  });
}

/** In the formats of the interface; text that cannot be read is returned as typed. */
export function enteredCard() {
  const brand = document.querySelector<HTMLInputElement>('#brands input:checked')?.value;
  return {
    cardCode: readNumber(entered('card-number')),
    cardValidityDate: readExpiry(entered('card-expiry')),
    cardCvv: entered('card-cvv').trim(),
    selectedBrand: brand as Brand | undefined,
  };
}

export const enteredCardName = (): string => entered('card-name');

export function forgetCard(): void {
  for (const name of CARD_DATA) byId<HTMLInputElement>(name).value = '';
  offerBrands([]);
}

/** Offers the brands of the number as it is once the library is there. */
export async function showBrands(): Promise<void> {
  const { brandsOfNumber } = await cardLibrary();
  const number = readNumber(entered('card-number'));
  const isOfTwo = isOfCb && number.length >= CHOICE_FROM_DIGITS;
  offerBrands(
    brandsOfNumber(number).filter((brand, index) => index === 0 || areAllOffered || (isOfTwo && brand === 'cb')),
  );
}

/** The tokenizer has refused the brand of this number: it may have any other. */
export async function offerAllBrands(): Promise<void> {
  areAllOffered = true;
  await showBrands();
}

/** Hidden until the first digits say which brands the card may have. */
function brandChoice(): HTMLElement {
  const id = 'card-brand';
  const attributes = { id, class: 'field wide', 'data-testid': id, 'aria-describedby': `error-${id}`, hidden: true };
  return make('fieldset', attributes, make('legend', { 'data-text': id }), make('div', { id: 'brands' }), errorOf(id));
}

/** Before the card is encrypted. One brand is no choice; of several, the scheme's own is selected until the person selects another one. */
function offerBrands(brands: readonly Brand[]): void {
  if (brands.join() === offered.join()) return;
  offered = brands;
  const choices = brands.map((value, index) => {
    const id = `brand-${value}`;
    const attributes = { id, value, 'data-testid': id, checked: index === 0 };
    const radio = make('input', { type: 'radio', name: 'card-brand', ...attributes });
    return make('div', { class: 'choice' }, radio, make('label', { for: id }, BRAND_NAMES[value] ?? value));
  });
  byId('brands').replaceChildren(...choices);
  show(byId('card-brand'), brands.length > 1);
  byId('card-scheme').textContent = BRAND_NAMES[brands[0] ?? ''] ?? '';
}

/** Writes a field anew while a person types, with the caret after the same digit; not during composition, which it would break. */
function retypedAs(name: string, format: (typed: string) => string): void {
  const field = byId<HTMLInputElement>(name);
  field.addEventListener('input', (event) => {
    const text = format(field.value);
    if (text === field.value || event.isComposing) return;
    const caret = format(field.value.slice(0, field.selectionStart ?? field.value.length)).length;
    field.value = text;
    field.setSelectionRange(caret, caret);
  });
}
