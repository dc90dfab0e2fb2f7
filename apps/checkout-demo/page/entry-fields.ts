import { byId, make } from './elements.js';
import { inEveryLanguage, language, t } from './language.js';
import { kept } from './kept.js';
import type { TextKey } from './texts.js';

interface EntryField {
  name: TextKey;
  autocomplete: string;
  type?: 'email' | 'tel';
  inputmode?: 'numeric';
  hint?: TextKey;
  options?: readonly string[];
  isWide?: boolean;
}

const CONTACT: readonly EntryField[] = [
  { name: 'firstName', autocomplete: 'given-name' },
  { name: 'lastName', autocomplete: 'family-name' },
  { name: 'email', autocomplete: 'email', type: 'email' },
  { name: 'mobilePhone', autocomplete: 'tel', type: 'tel', hint: 'phoneHint' },
];

const COUNTRIES = ['FR', 'BE', 'ES', 'LU'] as const;
const DELIVERY: readonly EntryField[] = [
  { name: 'address', autocomplete: 'street-address', isWide: true },
  { name: 'postalCode', autocomplete: 'postal-code' },
  { name: 'city', autocomplete: 'address-level2' },
  { name: 'country', autocomplete: 'country', options: COUNTRIES },
];

const BRANDS = ['', 'cb', 'visa', 'vpay', 'electron', 'mastercard', 'maestro'] as const;
const BRAND_NAMES = ['', 'CB', 'Visa', 'V Pay', 'Visa Electron', 'Mastercard', 'Maestro'];
/** No `name`: a browser that sent the form by itself would send nothing of the card. */
const CARD: readonly EntryField[] = [
  { name: 'card-number', autocomplete: 'cc-number', inputmode: 'numeric', hint: 'numberHint', isWide: true },
  { name: 'card-expiry', autocomplete: 'cc-exp', hint: 'expiryHint' },
  { name: 'card-cvv', autocomplete: 'cc-csc', inputmode: 'numeric', hint: 'cvvHint' },
  { name: 'card-name', autocomplete: 'cc-name' },
  { name: 'card-brand', autocomplete: 'off', options: BRANDS },
];

/** An invented customer, so that the demonstration needs no typing. */
const EXAMPLE: Record<string, string> = {
  firstName: 'Jeanne',
  lastName: 'Martin',
  email: 'jeanne.martin@example.com',
  mobilePhone: '+33 6 12 34 56 78',
  address: '12 rue des Lilas',
  postalCode: '75011',
  city: 'Paris',
  country: 'FR',
};

export function drawEntryFields(): void {
  byId('contact').append(gridOf(CONTACT));
  byId('delivery').append(gridOf(DELIVERY));
  byId('card').append(gridOf(CARD));
  const values = { ...EXAMPLE, ...kept.customer() };
  for (const { name } of [...CONTACT, ...DELIVERY]) entry(name).value = values[name] ?? '';
  inEveryLanguage(optionTexts);
}

export function enteredCustomer(): Record<string, string> {
  return Object.fromEntries([...CONTACT, ...DELIVERY].map(({ name }) => [name, entry(name).value]));
}

/** As typed: nothing is formatted or cut (interface, Card data). */
export function enteredCard() {
  return {
    cardCode: entry('card-number').value,
    cardValidityDate: entry('card-expiry').value,
    cardCvv: entry('card-cvv').value,
    selectedBrand: entry('card-brand').value,
  };
}

export const enteredCardName = (): string => entry('card-name').value;

export function forgetCard(): void {
  for (const name of ['card-number', 'card-expiry', 'card-cvv']) entry(name).value = '';
}

const entry = (name: string): HTMLInputElement | HTMLSelectElement => byId<HTMLInputElement>(name);

function gridOf(fields: readonly EntryField[]): HTMLElement {
  return make('div', { class: 'fields' }, ...fields.map(fieldOf));
}

function fieldOf({ name, autocomplete, type, inputmode, hint, options, isWide }: EntryField): HTMLElement {
  const attributes = {
    id: name,
    'data-testid': name,
    autocomplete,
    required: true,
    'aria-describedby': `error-${name} hint-${name}`,
  };
  const control =
    options === undefined
      ? make('input', { ...attributes, type: type ?? 'text', inputmode, spellcheck: 'false', autocapitalize: 'off' })
      : make('select', attributes, ...options.map((value) => make('option', { value })));
  return make(
    'div',
    { class: isWide ? 'field wide' : 'field' },
    make('label', { for: name, 'data-text': name }),
    control,
    make('span', { id: `hint-${name}`, class: 'hint', 'data-text': hint, hidden: hint === undefined }),
    make('p', { id: `error-${name}`, 'data-testid': `error-${name}`, class: 'error', hidden: true }),
  );
}

function optionTexts(): void {
  const names = new Intl.DisplayNames(language(), { type: 'region' });
  for (const option of byId('country').querySelectorAll('option'))
    option.textContent = names.of(option.value) ?? option.value;
  byId('card-brand')
    .querySelectorAll('option')
    .forEach((option, index) => (option.textContent = BRAND_NAMES[index] || t('chooseBrand')));
}
