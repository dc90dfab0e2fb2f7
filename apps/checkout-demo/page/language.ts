import { byId, make } from './elements.js';
import { kept } from './kept.js';
import { money } from './money.js';
import { isLanguage, languageFor, LANGUAGES, text, type Language, type TextKey } from './texts.js';

const chosen = kept.language();
let current: Language = isLanguage(chosen) ? chosen : languageFor(navigator.languages);
const listeners: (() => void)[] = [];

/** English writes dates as in Europe, where the shop sells. */
const LOCALES: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR', es: 'es-ES' };

export const language = (): Language => current;
export const t = (key: TextKey, values?: Record<string, string>): string => text(current, key, values);
export const price = (amount: number): string => money(amount, LOCALES[current]);
export const dateText = (date: Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(LOCALES[current], options).format(date);
export const listText = (parts: string[]): string => new Intl.ListFormat(LOCALES[current]).format(parts);

/** For a field: without the currency, and without groups, which `minorUnits` does not read. */
export const decimal = (amount: number): string =>
  new Intl.NumberFormat(LOCALES[current], { minimumFractionDigits: 2, useGrouping: false }).format(amount / 100);

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
