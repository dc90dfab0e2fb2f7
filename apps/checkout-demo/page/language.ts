import { kept } from './kept.js';
import { byId, make } from './elements.js';
import { LANGUAGES, type Language, type TextKey } from './texts.js';
import { isLanguage, languageFor, localeFor, text } from './wording.js';
import { money } from './money.js';

const chosen = kept.language();
let current: Language = isLanguage(chosen) ? chosen : languageFor(navigator.languages);
const listeners: (() => void)[] = [];

export const language = (): Language => current;
export const t = (key: TextKey, values?: Record<string, string>): string => text(current, key, values);
const locale = (): string => localeFor(current, navigator.languages);
export const price = (amount: number): string => money(amount, 'EUR', locale());
/** For a field: without the currency, and without groups, which `minorUnits` does not read. */
export const decimal = (amount: number): string =>
  new Intl.NumberFormat(locale(), { minimumFractionDigits: 2, useGrouping: false }).format(amount / 100);
export const dateText = (date: Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(locale(), options).format(date);
export const listText = (parts: string[]): string => new Intl.ListFormat(locale()).format(parts);

export function inEveryLanguage(render: () => void): void {
  listeners.push(render);
  render();
}

export function offerLanguages(): void {
  const select = byId<HTMLSelectElement>('language');
  for (const [code, name] of Object.entries(LANGUAGES))
    select.append(make('option', { value: code, lang: code }, name));
  select.value = current;
  select.addEventListener('change', () => {
    if (!isLanguage(select.value)) return;
    current = select.value;
    kept.setLanguage(current);
    for (const render of listeners) render();
  });
  inEveryLanguage(fixedTexts);
}

export function fixedTexts(): void {
  document.documentElement.lang = current;
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]'))
    element.textContent = t(element.dataset.text as TextKey);
}
