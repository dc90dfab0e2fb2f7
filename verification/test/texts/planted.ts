import type { Random } from '../../simulation/random.js';
import { digits, grouped, padded, withLuhn } from './check-digits.js';

interface Issued {
  first: readonly string[];
  lengths: readonly number[];
  /** Lengths that articles and orders have, too: such a number stands in groups, or behind a word for a card. */
  rareLengths?: readonly number[];
}

const from = (shortest: number) => Array.from({ length: 20 - shortest }, (_, at) => shortest + at);

/** First digits of cards by scheme, written independently of the ranges in use. */
const ISSUED: Readonly<Record<string, Issued>> = {
  Visa: { first: ['4'], lengths: [16, 18, 19], rareLengths: [13] },
  Mastercard: { first: ['51', '52', '53', '54', '55', '2221', '2300', '2699', '2720'], lengths: [16] },
  'American Express': { first: ['34', '37'], lengths: [15] },
  'Diners Club': { first: ['36'], lengths: from(14) },
  'Diners Club, of 16': { first: ['300', '305', '3095', '38', '39'], lengths: from(16), rareLengths: [14, 15] },
  JCB: { first: ['3528', '3550', '3589'], lengths: from(16) },
  Discover: { first: ['6011', '644', '649', '65'], lengths: from(16) },
  UnionPay: { first: ['62', '810', '817'], lengths: from(16) },
  'Maestro, best known': { first: ['5018', '5020', '5038', '5893', '6304', '6759', '6761', '6762', '6763'], lengths: from(12) }, // prettier-ignore
  Maestro: { first: ['50', '56', '57', '58', '6'], lengths: from(16), rareLengths: [12, 13, 14, 15] },
  Mir: { first: ['2200', '2204'], lengths: from(16) },
  'Troy, Dankort, RuPay, Bancontact': { first: ['9792', '5019', '60', '6703'], lengths: [16] },
};

/** Around a card: bare, in sentences of both markets, beside dates, amounts, phones and order numbers, in JSON. */
const NAMED: readonly ((card: string, random: Random) => string)[] = [
  (card) => `ma carte est le ${card}, merci`,
  (card) => `mi tarjeta: ${card}.`,
  (card) => `paid with card ${card} thanks`,
  (card) => `CARTE BANCAIRE N° ${card}`,
  (card, r) => `Commande ${digits(r, 8)} du 2027-03-01, carte ${card}, appelez le 06 12 34 56 78`,
];
const AROUND: typeof NAMED = [
  ...NAMED,
  (card) => card,
  (card) => `(${card})`,
  (card) => `no ${card} exp 12/29`,
  (card, r) => JSON.stringify({ basket: r.below(1e6), note: card }),
  (card) => `12 ${card} 34`,
  (card) => `${card}\n12 rue des Lilas`,
];

/** Hyphens, dashes and a minus sign, with spaces around them or without; spaces and those that do not break. */
const DASHES: readonly string[] = ['-', ' - ', '\u2010', '\u2011', '\u2013', ' \u2013 ', '\u2014', '\u2212'];
const SPACES: readonly string[] = [' ', '  ', '\u00a0', '\u202f'];

/** Six spellings. */
const SPELLINGS: readonly ((card: string, random: Random) => string)[] = [
  (card) => card,
  (card, r) => grouped(card, groupsOf(card), r.pick(SPACES)),
  (card, r) => grouped(card, groupsOf(card), r.pick(DASHES)),
  (card, r) => grouped(card, groupsOf(card), r.pick(['.', '_'])),
  (card, r) => grouped(card, isInHalves(card) ? [8] : groupsOf(card), r.pick([...SPACES, ...DASHES])),
  (card, r) => [...card].join(r.pick([' ', '-'])),
];

function groupsOf(card: string): readonly number[] {
  if (card.length === 15 && card.startsWith('3')) return [4, 6, 5];
  if (card.length === 14 && card.startsWith('3')) return [4, 6, 4];
  return [4, 4, 4, 4];
}

/** Two groups of eight may be a date and a number. */
const isInHalves = (card: string) => card.length === 16 && !/^(?:2\d|30)(?:0[1-9]|1[0-2])20/.test(card);

/** Zeros of four scripts: Latin, full-width, Arabic, Persian. */
const ZEROS = [0x30, 0xff10, 0x0660, 0x06f0];
const inScript = (text: string, zero: number) =>
  text.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));

/** Every length of every scheme. */
export const SORTS = Object.entries(ISSUED).flatMap(([scheme, { lengths, rareLengths = [] }]) => [
  ...lengths.map((length) => ({ name: `${scheme} of ${length}`, scheme, length, isRare: false })),
  ...rareLengths.map((length) => ({ name: `${scheme} of ${length}`, scheme, length, isRare: true })),
]);

/** A card number, inside a text; the spellings and scripts take turns. */
export function planted({ scheme, length, isRare }: (typeof SORTS)[number], random: Random, turn: number): string {
  const begin = random.pick(ISSUED[scheme]!.first);
  const rest = length - begin.length - 1;
  const card = withLuhn(begin + padded(random, 10 ** rest, rest));
  const spelling = turn % SPELLINGS.length;
  const written = inScript(
    SPELLINGS[spelling]!(card, random),
    ZEROS[Math.floor(turn / SPELLINGS.length) % ZEROS.length]!,
  );
  return random.pick(isRare && spelling === 0 ? NAMED : AROUND)(written, random);
}
