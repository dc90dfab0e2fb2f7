import { LANGUAGES, TEXTS, type Language, type TextKey } from './texts.js';

export function text(language: Language, key: TextKey, values: Record<string, string> = {}): string {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** Returns the most exact text: for this field and fault, else for the fault, else a general one. */
export function faultText(language: Language, field: string, code: string): string {
  const keys = [`fault.${field}.${code}`, `fault.${field.replace(/^ship-/, '')}.${code}`, `fault.${code}`];
  const key = keys.find((one): one is TextKey => one in TEXTS.en);
  const most = MOST[field] ?? MOST[field.replace(/^ship-/, '')];
  if (key === 'fault.length' && most !== undefined) return text(language, 'fault.most', { most: String(most) });
  return text(language, key ?? 'fault.format');
}

/** Characters that a field takes (the interface's limits). */
const MOST: Readonly<Record<string, number>> = {
  ...{ firstName: 15, lastName: 15, 'ship-lastName': 30 },
  ...{ companyName: 50, address: 38, city: 32 },
};

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(LANGUAGES, value);
}

export function languageFor(wanted: readonly string[]): Language {
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}

const LOCALES: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR', es: 'es-ES' };

/** The reader's own variant of the language, such as en-IE. Without one, English writes dates as in Europe, where the shop sells. */
export function localeFor(language: Language, wanted: readonly string[]): string {
  return wanted.find((tag) => tag.toLowerCase().startsWith(`${language}-`)) ?? LOCALES[language];
}
