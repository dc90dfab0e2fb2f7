import { binOf, schemeOf } from './card-bins.js';
import type { MaskedCard } from './transaction.js';

export interface Card {
  readonly code: string;
  readonly validityDate: string;
  readonly fullName: string;
  readonly selectedBrand?: string;
}

/** CARDTYPE is the brand of the payment. CARDCOUNTRY is the issuer's country, else the merchant's. */
export function maskedCard(
  { code, validityDate, fullName, selectedBrand }: Card,
  merchantsCountry: string,
): MaskedCard {
  const bin = binOf(code);
  return {
    number: maskedNumber(code),
    validityDate,
    fullName,
    type: selectedBrand ?? schemeOf(bin),
    country: bin.country ?? merchantsCountry,
  };
}

export const maskedNumber = (code: string): string => 'X'.repeat(code.length - 4) + code.slice(-4);

/** A card is valid until the end of its month (`MM-YY`). */
export function isCardExpired(validityDate: string, nowMs: number): boolean {
  const [month, year] = validityDate.split('-').map(Number);
  return nowMs >= Date.UTC(2000 + (year ?? 0), month ?? 0, 1);
}

export function passesLuhn(code: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...code].reverse().entries()) {
    const weighted = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}
