/** What people type of a card, read into the exact formats of the interface before anything is encrypted; what can't be read stays as it is typed. */

const BETWEEN = /[\s\u00a0-]+/g;

/** `4970 1012 0004 0016` is 4970101200040016. */
export function readNumber(typed: string): string {
  const digits = typed.replace(BETWEEN, '');
  return /^\d+$/.test(digits) ? digits : typed;
}

/** `12/29`, `1229`, `12/2029` and `12-29` are 12-29. */
export function readExpiry(typed: string): string {
  const [, month, year] = EXPIRY.map((form) => form.exec(typed.trim())).find((found) => found !== null) ?? [];
  return month === undefined || year === undefined ? typed : `${month.padStart(2, '0')}-${year}`;
}

const EXPIRY = [/^(\d{1,2})(?:\s*[/.-]\s*|\s+)(?:20)?(\d\d)$/, /^(\d\d)(?:20)?(\d\d)$/];

/** Digits in groups of four, and where the caret is then: behind the same digit. Anything but digits and spaces is left alone. */
export function grouped(typed: string, caret: number): { text: string; caret: number } {
  if (/[^\d\s]/.test(typed)) return { text: typed, caret };
  const text = inFours(typed);
  return { text, caret: inFours(typed.slice(0, caret)).length };
}

const inFours = (typed: string): string => typed.replace(/\s/g, '').replace(/(\d{4})(?=\d)/g, '$1 ');

/** The check digit of a card number (ISO/IEC 7812). */
export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const SCHEMES: readonly [first: RegExp, name: string][] = [
  [/^4/, 'Visa'],
  [/^(?:5[1-5]|2[2-7])/, 'Mastercard'],
  [/^(?:50|5[6-9]|6)/, 'Maestro'],
];

/** For the eye only: which brands the card has is the tokenizer's to say. */
export const schemeOf = (typed: string): string =>
  SCHEMES.find(([first]) => first.test(typed.replace(BETWEEN, '')))?.[1] ?? '';

export const BRAND_NAMES: Readonly<Record<string, string>> = {
  cb: 'CB',
  visa: 'Visa',
  vpay: 'V Pay',
  electron: 'Visa Electron',
  mastercard: 'Mastercard',
  maestro: 'Maestro',
};

/** `Visa …1234`, as a person knows their card. */
export const cardName = ({ brand = '', lastFour }: { brand?: string; lastFour: string }): string =>
  `${BRAND_NAMES[brand.toLowerCase()] ?? brand} …${lastFour}`.trim();

/** BINBRANDS that the platform takes as SELECTEDBRAND, in its order. */
export function brandsOf(binBrands: readonly { brand: string }[] = []): string[] {
  const names = binBrands.map(({ brand }) => brand.toLowerCase());
  return [...new Set(names)].filter((brand) => Object.hasOwn(BRAND_NAMES, brand));
}
