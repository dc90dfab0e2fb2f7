import type { MaskedCard } from './transaction.js';

export interface Card {
  readonly code: string;
  readonly validityDate: string;
  readonly fullName: string;
}

const BRANDS: readonly [shape: RegExp, brand: string][] = [
  [/^4/, 'visa'],
  [/^(5[1-5]|2[2-7])/, 'mastercard'],
  [/^(50|5[6-9]|6)/, 'maestro'],
];

export function maskedCard({ code, validityDate, fullName }: Card, country: string): MaskedCard {
  return { number: maskedNumber(code), validityDate, fullName, type: brandOf(code), country };
}

export const maskedNumber = (code: string): string => 'X'.repeat(code.length - 4) + code.slice(-4);

export const brandOf = (code: string): string => BRANDS.find(([shape]) => shape.test(code))?.[1] ?? 'cb';

/** `MM-YY` counts to the end of its month. */
export function isCardExpired(validityDate: string, nowMs: number): boolean {
  const [month, year] = validityDate.split('-').map(Number);
  return nowMs >= Date.UTC(2000 + (year ?? 0), month ?? 0, 1);
}
