import { CARD_RANGES } from '@tranche/contracts';
import type { Random } from '../../simulation/random.js';
import { digits, grouped, padded, withLuhn } from './check-digits.js';

/** First digits of cards by scheme, written independently of the ranges in use. */
const FIRST: Readonly<Record<string, readonly [first: readonly string[], lengths: readonly number[]]>> = {
  Visa: [['4'], [16, 19]],
  Mastercard: [['51', '52', '53', '54', '55', '2221', '2300', '2699', '2720'], [16]],
  'American Express': [['34', '37'], [15]],
  'Diners Club': [
    ['300', '305', '3095', '36', '38', '39'],
    [14, 16, 19],
  ],
  JCB: [
    ['3528', '3550', '3589'],
    [16, 17, 18, 19],
  ],
  Discover: [
    ['6011', '644', '649', '65'],
    [16, 17, 18, 19],
  ],
  UnionPay: [['62'], [16, 17, 18, 19]],
  Maestro: [
    ['5018', '5020', '5038', '5893', '6304', '6759', '6761', '6762', '6763'],
    [12, 13, 14, 15, 16, 17, 18, 19],
  ],
  'Maestro and national': [['50', '56', '57', '58', '59', '60', '63', '67', '69', '2200', '9792'], [16]],
  'Maestro of 19 digits': [['67'], [18, 19]],
};

/** Around a card: bare, in sentences of both markets, beside dates, amounts, phones and order numbers, in JSON. */
const AROUND: readonly ((card: string, random: Random) => string)[] = [
  (card) => card,
  (card) => `ma carte est le ${card}, merci`,
  (card) => `mi tarjeta: ${card}.`,
  (card) => `paid with card ${card} thanks`,
  (card, r) => `Commande ${digits(r, 8)} du 2027-03-01, carte ${card}, appelez le 06 12 34 56 78`,
  (card) => `(${card})`,
  (card) => `no ${card} exp 12/29`,
  (card, r) => JSON.stringify({ basket: r.below(1e6), note: card }),
  (card) => `12 ${card} 34`,
  (card) => `${card}\n12 rue des Lilas`,
];

export interface Planted {
  readonly scheme: string;
  readonly text: string;
}

export const SCHEMES: readonly string[] = CARD_RANGES.map(({ scheme }) => scheme);

/** A card number of the scheme, in one of the ways in which cards are written, inside a text. */
export function planted(scheme: string, random: Random): string {
  const [first, lengths] = FIRST[scheme]!;
  const begin = random.pick(first);
  const length = random.pick(lengths);
  const rest = length - begin.length - 1;
  const card = withLuhn(begin + padded(random, 10 ** rest, rest));
  const written = random.chance(0.2) ? card : grouped(card, groupsOf(card, random), random.pick(SEPARATORS));
  return random.pick(AROUND)(written, random);
}

/** Hyphens, dashes and a minus sign, with spaces around them or without; spaces and those that do not break, one or two. */
const SEPARATORS: readonly string[] = [
  ...[' ', '  ', '\u00a0', '\u202f', '-', ' - ', '\u2010', '\u2011', '\u2013', ' \u2013 ', '\u2014', '\u2212'],
  ...['.', '_'],
];

function groupsOf(card: string, random: Random): readonly number[] {
  if (card.length === 15) return [4, 6, 5];
  if (card.length === 14) return [4, 6, 4];
  // Diners Club cards are never written in two groups.
  const isInTwo = card.length === 16 && !card.startsWith('30') && random.chance(0.2);
  return isInTwo ? [8] : [4, 4, 4, 4];
}
