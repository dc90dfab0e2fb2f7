import en from './texts-en.json' with { type: 'json' };
import es from './texts-es.json' with { type: 'json' };
import fr from './texts-fr.json' with { type: 'json' };

export const LANGUAGES = { en: 'English', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;
export type TextKey = keyof typeof en;
/** The payment methods that have a name. */
export type MethodId = TextKey extends infer Key ? (Key extends `method.${infer Id}` ? Id : never) : never;

/** A new language needs its code above and a file like texts-fr.json; the compiler lists missing texts. */
export const TEXTS: Record<Language, Record<TextKey, string>> = { en, fr, es };

export function text(language: Language, key: TextKey, values: Record<string, string> = {}): string {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** Returns the most exact text: for this field and fault, else for the fault, else a general one. */
export function faultText(language: Language, path: string, code: string): string {
  const field = path.replace(/^ship-/, '');
  const key = [`fault.${field}.${code}`, `fault.${code}`].find((one): one is TextKey => one in TEXTS.en);
  const most = MOST[path] ?? MOST[field];
  if (key === 'fault.length' && most !== undefined) return text(language, 'fault.most', { most: String(most) });
  return text(language, key ?? 'fault.format');
}

/** Characters that a field takes (the interface's limits). */
const MOST: Readonly<Record<string, number>> = {
  firstName: 15,
  lastName: 15,
  'ship-lastName': 30,
  companyName: 50,
  address: 38,
  city: 32,
};

export function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(LANGUAGES, value);
}

export function languageFor(wanted: readonly string[]): Language {
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';
}
