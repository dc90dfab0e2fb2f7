import type { Random } from '../../simulation/random.js';

/** `count` random digits; the first one is not 0. */
export const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, (_, at) => (at === 0 ? 1 + random.below(9) : random.below(10))).join('');

/** A number from 0 up to, but without, `below`, with leading zeros. Drawn digit by digit where `below` is the power of ten of `width`. */
export const padded = (random: Random, below: number, width: number): string =>
  below === 10 ** width
    ? Array.from({ length: width }, () => random.below(10)).join('')
    : String(random.below(below)).padStart(width, '0');

/** `text` and its Luhn digit. */
export function withLuhn(text: string): string {
  const sum = [...text].reverse().reduce((all, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return all + (value > 9 ? value - 9 : value);
  }, 0);
  return `${text}${(10 - (sum % 10)) % 10}`;
}

/** `text` and the check digit of GS1, which EANs and ISBNs have. */
export function withGs1(text: string): string {
  const sum = [...text].reverse().reduce((all, digit, at) => all + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return `${text}${(10 - (sum % 10)) % 10}`;
}

/** The number of a parcel of UPS. */
export function parcelOfUps(random: Random): string {
  const signs = Array.from({ length: 15 }, (_, at) =>
    at < 6 && random.chance(0.3) ? 10 + random.below(26) : random.below(10),
  );
  const sum = signs.reduce((all, sign, at) => all + (sign > 9 ? (sign - 8) % 10 : sign) * (at % 2 === 0 ? 1 : 2), 0);
  return `1Z${signs.map((sign) => sign.toString(36).toUpperCase()).join('')}${(10 - (sum % 10)) % 10}`;
}

/** An IBAN with its check digits (ISO 7064, mod 97). */
export function iban(country: string, account: string): string {
  const value = [...`${account}${country}00`].map((sign) => String(parseInt(sign, 36))).join('');
  return `${country}${String(98n - (BigInt(value) % 97n)).padStart(2, '0')}${account}`;
}

/** French companies: SIREN numbers begin with 3 to 9; few establishments of a company have a number above 9. */
export const siren = (random: Random): string => withLuhn(String(3 + random.below(7)) + padded(random, 10_000_000, 7));
export const siret = (random: Random): string => {
  const establishment = random.chance(0.95) ? 1 + random.below(9) : 1 + random.below(99);
  return withLuhn(siren(random) + String(establishment).padStart(4, '0'));
};

export const vat = (company: string): string =>
  `FR${String((12 + 3 * (Number(company) % 97)) % 97).padStart(2, '0')}${company}`;

/** Inserts `separator` between groups of these lengths; the last length takes the rest. */
export function grouped(text: string, lengths: readonly number[], separator = ' '): string {
  const groups: string[] = [];
  let at = 0;
  for (const length of lengths) groups.push(text.slice(at, (at += length)));
  if (at < text.length) groups.push(text.slice(at));
  return groups.filter(Boolean).join(separator);
}
