/** Separators that people type. These functions convert typed card data to the interface's formats and leave unreadable text unchanged. */

const BETWEEN = /[\s\u00a0-]+/g;

/** `4970 1012 0004 0016` becomes `4970101200040016`. */
export function readNumber(typed: string): string {
  const digits = typed.replace(BETWEEN, '');
  return /^\d+$/.test(digits) ? digits : typed;
}

/** `12/29`, `1229`, `12/2029` and `12-29` become `12-29`. */
export function readExpiry(typed: string): string {
  const [, month, year] = EXPIRY.map((form) => form.exec(typed.trim())).find((found) => found !== null) ?? [];
  return month === undefined || year === undefined ? typed : `${month.padStart(2, '0')}-${year}`;
}

const EXPIRY = [/^(\d{1,2})(?:\s*[/.-]\s*|\s+)(?:20)?(\d\d)$/, /^(\d\d)(?:20)?(\d\d)$/];

/** Groups digits in fours. Text with other characters is returned unchanged. */
export const inFours = (typed: string): string =>
  /[^\d\s]/.test(typed) ? typed : typed.replace(/\s/g, '').replace(/(\d{4})(?=\d)/g, '$1 ');

/** `1229` becomes `12/29`, from the third digit on. */
export const withSlash = (typed: string): string => typed.replace(/^(\d\d)(\d{1,4})$/, '$1/$2');

export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

export const BRAND_NAMES: Readonly<Record<string, string>> = {
  cb: 'CB',
  visa: 'Visa',
  vpay: 'V Pay',
  electron: 'Visa Electron',
  mastercard: 'Mastercard',
  maestro: 'Maestro',
};

export const cardName = ({ brand = '', lastFour }: { brand?: string; lastFour: string }): string =>
  `${BRAND_NAMES[brand.toLowerCase()] ?? brand} •••• ${lastFour}`.trim();
