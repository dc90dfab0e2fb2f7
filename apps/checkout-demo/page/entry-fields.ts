import { byId, make, show } from './elements.js';
import type { Fault } from './shop-api.js';
import { inEveryLanguage, language, t } from './language.js';
import { kept } from './kept.js';
import type { Shop } from './shop-api.js';
import type { TextKey } from './texts.js';

export interface EntryField {
  name: string;
  /** Key of the label's text; `name` if absent. */
  text?: TextKey;
  autocomplete: string;
  type?: 'email' | 'tel' | 'date';
  isOptional?: boolean;
  inputmode?: 'numeric';
  hint?: TextKey;
  options?: readonly string[];
  isWide?: boolean;
}

const TITLES = ['', 'mrs', 'mr', 'miss'] as const;

const EMAIL: EntryField = { name: 'email', autocomplete: 'email', type: 'email', isWide: true };
const PHONE: EntryField = { name: 'mobilePhone', autocomplete: 'tel', type: 'tel', hint: 'phoneHint', isWide: true };
const TITLE: EntryField = { name: 'title', autocomplete: 'honorific-prefix', options: TITLES, isOptional: true };
const BIRTH: EntryField = { name: 'birthDate', autocomplete: 'bday', type: 'date', isOptional: true };
const COMPANY: EntryField = { name: 'companyName', autocomplete: 'organization', isOptional: true };
const NAMES: readonly EntryField[] = [
  { name: 'firstName', autocomplete: 'given-name' },
  { name: 'lastName', autocomplete: 'family-name' },
];
const PLACE: readonly EntryField[] = [
  { name: 'address', autocomplete: 'address-line1', isWide: true },
  { name: 'postalCode', autocomplete: 'postal-code' },
  { name: 'city', autocomplete: 'address-level2' },
  { name: 'country', autocomplete: 'country', options: ['FR', 'BE', 'ES', 'LU'], isWide: true },
];

/** Closed at first: few people give them. */
const MORE_OF_CONTACT = [TITLE, BIRTH];
const CUSTOMER = [EMAIL, PHONE, ...MORE_OF_CONTACT, ...NAMES, ...PLACE];

/** Delivery address, if it differs. Its names have a prefix, because the customer's address has the same fields. */
const SHIP_TO: readonly EntryField[] = [COMPANY, TITLE, ...NAMES, PHONE, ...PLACE].map((field) => ({
  ...field,
  name: `ship-${field.name}`,
  text: field.name as TextKey,
  autocomplete: `shipping ${field.autocomplete}`,
}));

/** An invented customer per market, so that the demonstration needs no typing. */
const EXAMPLES: Record<Shop['market'], Record<string, string>> = {
  FR: {
    firstName: 'Jeanne',
    lastName: 'Martin',
    email: 'jeanne.martin@example.com',
    mobilePhone: '+33 6 12 34 56 78',
    address: '12 rue des Lilas',
    postalCode: '75011',
    city: 'Paris',
    country: 'FR',
  },
  ES: {
    firstName: 'Carmen',
    lastName: 'Ruiz',
    email: 'carmen.ruiz@example.com',
    mobilePhone: '+34 612 34 56 78',
    address: 'Calle de la Luna 12',
    postalCode: '28004',
    city: 'Madrid',
    country: 'ES',
  },
};

export function drawEntryFields(market: Shop['market']): void {
  byId('contact').append(gridOf([EMAIL, PHONE]), more());
  byId('delivery').append(gridOf([...NAMES, ...PLACE]), elsewhere());
  byId('delivery').append(make('div', { id: 'ship-to', hidden: true }, gridOf(SHIP_TO)));
  const values = { ...EXAMPLES[market], ...kept.customer() };
  for (const { name } of [...CUSTOMER, ...SHIP_TO]) entry(name).value = values[name] ?? '';
  entry('ship-country').value ||= market;
  byId<HTMLInputElement>('ship-elsewhere').checked = values['ship-elsewhere'] === 'yes';
  byId<HTMLDetailsElement>('contact-more').open = MORE_OF_CONTACT.some(({ name }) => entry(name).value !== '');
  showShipTo();
  inEveryLanguage(optionTexts);
}

export function enteredCustomer(): Record<string, string> {
  return Object.fromEntries(CUSTOMER.map(({ name }) => [name, entry(name).value]));
}

export function enteredShipping(): Record<string, string> | undefined {
  if (!isElsewhere()) return undefined;
  return Object.fromEntries(SHIP_TO.map(({ name }) => [name.slice('ship-'.length), entry(name).value]));
}

export const enteredAll = (): Record<string, string> => ({
  ...enteredCustomer(),
  ...Object.fromEntries(SHIP_TO.map(({ name }) => [name, entry(name).value])),
  'ship-elsewhere': isElsewhere() ? 'yes' : '',
});

/** Empty fields that the chosen delivery needs. */
export const missingEntries = (): Fault[] =>
  [...CUSTOMER, ...(isElsewhere() ? SHIP_TO : [])]
    .filter(({ name, isOptional }) => isOptional !== true && entry(name).value.trim() === '')
    .map(({ name }) => ({ path: name, code: 'required' }));

/** Closes the address that was entered already to one line, which opens it again. */
export function foldAddress(): void {
  if (kept.customer() === undefined) return;
  const at = (name: string) => entry(isElsewhere() ? `ship-${name}` : name).value;
  const place = `${at('postalCode')} ${at('city')}`;
  byId('person-text').textContent = [`${at('firstName')} ${at('lastName')}`, at('address'), place].join(', ');
  show(byId('person-summary'), true);
  byId<HTMLDetailsElement>('person').open = false;
}

const isElsewhere = (): boolean => byId<HTMLInputElement>('ship-elsewhere').checked;
const showShipTo = (): void => show(byId('ship-to'), isElsewhere());

function elsewhere(): HTMLElement {
  const box = make('input', { type: 'checkbox', id: 'ship-elsewhere', 'data-testid': 'ship-elsewhere' });
  box.addEventListener('change', showShipTo);
  return make('p', { class: 'choice' }, box, make('label', { for: box.id, 'data-text': 'shipElsewhere' }));
}

const more = (): HTMLElement =>
  make(
    'details',
    { id: 'contact-more' },
    make('summary', { 'data-text': 'moreOfContact', 'data-testid': 'contact-more' }),
    gridOf(MORE_OF_CONTACT),
  );

const entry = (name: string): HTMLInputElement | HTMLSelectElement => byId<HTMLInputElement>(name);

export function gridOf(fields: readonly EntryField[]): HTMLElement {
  return make('div', { class: 'fields' }, ...fields.map(fieldOf));
}

function fieldOf({
  name,
  text,
  autocomplete,
  type,
  inputmode,
  hint,
  options,
  isWide,
  isOptional,
}: EntryField): HTMLElement {
  const attributes = {
    id: name,
    'data-testid': name,
    autocomplete,
    required: isOptional !== true,
    'aria-describedby': `error-${name}${hint === undefined ? '' : ` hint-${name}`}`,
  };
  const control =
    options === undefined
      ? make('input', { ...attributes, type: type ?? 'text', inputmode, spellcheck: 'false' })
      : make('select', attributes, ...options.map((value) => make('option', { value })));
  return make(
    'div',
    { class: isWide ? 'field wide' : 'field' },
    make('label', { for: name, 'data-text': text ?? name }),
    control,
    ...(hint === undefined ? [] : [make('span', { id: `hint-${name}`, class: 'hint', 'data-text': hint })]),
    errorOf(name),
  );
}

/** The place for the text of a fault. */
export const errorOf = (name: string): HTMLElement =>
  make('p', { id: `error-${name}`, 'data-testid': `error-${name}`, class: 'error', hidden: true });

function optionTexts(): void {
  const names = new Intl.DisplayNames(language(), { type: 'region' });
  for (const option of document.querySelectorAll<HTMLOptionElement>('#country option, #ship-country option'))
    option.textContent = names.of(option.value) ?? option.value;
  for (const option of document.querySelectorAll<HTMLOptionElement>('#title option, #ship-title option'))
    option.textContent = option.value === '' ? '–' : t(`title.${option.value}` as TextKey);
}
