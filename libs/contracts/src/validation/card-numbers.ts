import { isSiret, passesLuhn, withoutBusinessNumbers } from './business-numbers.js';

interface CardRange {
  scheme: string;
  first: string;
  lengths: readonly number[];
  /** Lengths that articles and orders have, too: such a number is a card only in groups as on a card, or behind a word for a card. */
  rareLengths?: readonly number[];
}

/**
 * First digits and lengths of card numbers that schemes issue (README.md, "Card data", names the sources). A number that passes the Luhn check
 * is a card number only if it has both: one number in ten passes by chance.
 */
const CARD_RANGES: readonly CardRange[] = [
  { scheme: 'Visa', first: '4', lengths: [16, 18, 19], rareLengths: [13] },
  { scheme: 'Mastercard', first: '5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720', lengths: [16] },
  { scheme: 'American Express', first: '3[47]', lengths: [15] },
  { scheme: 'Diners Club', first: '36', lengths: [14, 15, 16, 17, 18, 19] },
  { scheme: 'Diners Club, of 16', first: '30[0-5]|3095|3[89]', lengths: [16, 17, 18, 19], rareLengths: [14, 15] },
  { scheme: 'JCB', first: '352[89]|35[3-8]', lengths: [16, 17, 18, 19] },
  { scheme: 'Discover', first: '6011|64[4-9]|65', lengths: [16, 17, 18, 19] },
  { scheme: 'UnionPay', first: '62|81[0-7]', lengths: [16, 17, 18, 19] },
  { scheme: 'Maestro', first: '5018|5020|5038|5893|6304|6759|676[1-3]', lengths: [12, 13, 14, 15, 16, 17, 18, 19] },
  // Cards of single countries begin so, too: Dankort, RuPay, Bancontact, girocard.
  { scheme: 'Maestro, whole range', first: '50|5[6-9]|6', lengths: [16, 17, 18, 19], rareLengths: [12, 13, 14, 15] },
  { scheme: 'Mir', first: '220[0-4]', lengths: [16, 17, 18, 19] },
  { scheme: 'Troy', first: '9792', lengths: [16] },
];

const anyOf = (lengthsOf: (range: CardRange) => readonly number[]) =>
  new RegExp(
    `^(?:${CARD_RANGES.map(
      (range) =>
        `(?=${range.first})(?:${lengthsOf(range)
          .map((n) => `\\d{${n}}`)
          .join('|')})`,
    ).join('|')})$`,
  );
const ISSUED = anyOf(({ lengths }) => lengths);
const ISSUED_OR_RARE = anyOf(({ lengths, rareLengths = [] }) => [...lengths, ...rareLengths]);

/** True if the digits from `from` (inclusive) to `to` (exclusive) are a card number of a scheme. `isMarked`: groups or a word tell that it is a card. */
export function isCardNumber(digits: string, from: number, to: number, isMarked = false): boolean {
  if (to - from < 12 || to - from > 19 || !passesLuhn(digits, from, to)) return false;
  return (isMarked ? ISSUED_OR_RARE : ISSUED).test(digits.slice(from, to));
}

/** As cards are written: in one piece, in groups of four with any rest, as American Express and Diners Club do, in halves, or digit by digit. */
const AS_ON_A_CARD = /^(?:4(?: 4){1,3} [1-5]|4 6 [45]|6 13|8 8|1(?: 1){11,18})$/;
/** A date with the day first, and a number: some Mastercard and Diners Club numbers in two groups look so. */
const DAY_FIRST = /^(?:2\d|30)(?:0[1-9]|1[0-2])20\d\d/;
/**
 * Dashes may have a space on each side. `plainDigits` has made all dashes one. Slashes are left out: they part lists of models. The wide scan
 * (`hidden-card-data.ts`) takes each of these, too.
 */
const SEPARATOR = String.raw`\s{1,3}|\s?-\s?|[._]`;
const TWELVE_DIGITS = new RegExp(String.raw`\d(?:(?:${SEPARATOR})?\d){11}`);
const NUMBERS = new RegExp(String.raw`\d+(?:(?:${SEPARATOR})\d+)*`, 'g');
const GROUP = new RegExp(String.raw`(^|${SEPARATOR})(\d+)`, 'g');
/** Matches a word for a card right before its number. */
const CARD_BEFORE =
  /\b(?:cart[ae]|card|tarjeta|karte|kaart|maestro|visa|pan)\b\W*(?:(?:is|es|est|ist|le|la|the|de|n[ro°]?|num(?:[eé]ro|ber)|bank|bancaire|bancaria|bleue|maestro|visa)\b\W*){0,4}$/i;
const LONGEST_BEFORE = 48;

/** Says what the text around a number tells of it. */
interface Context {
  isOfCompany: () => boolean;
  isNamedCard: () => boolean;
}

/** True if the text contains a card number. `plain` comes from `plainDigits`. */
export function holdsCardNumber(plain: string, isOfCompany: () => boolean): boolean {
  if (!TWELVE_DIGITS.test(plain)) return false;
  const rest = withoutBusinessNumbers(plain);
  return [...rest.matchAll(NUMBERS)].some(({ 0: run, index }) => {
    const isNamedCard = () => CARD_BEFORE.test(rest.slice(Math.max(0, index - LONGEST_BEFORE), index));
    return hasCardGroups(run, { isOfCompany, isNamedCard });
  });
}

interface Group {
  digits: string;
  /** Sign between this group and the one before it, or a space; empty for the first one. */
  separator: string;
}

/** Searches a run of neighbouring groups for groups that are one card number. A card has one kind of separator throughout. */
function hasCardGroups(run: string, context: Context): boolean {
  const groups: Group[] = [...run.matchAll(GROUP)].map(([, between = '', digits = '']) => ({
    separator: between.length > 1 ? between.trim() || ' ' : between,
    digits,
  }));
  return groups.some((group, first) => {
    if (isWholeCard(group, context)) return true;
    const separator = groups[first + 1]?.separator;
    let digits = group.digits;
    let lengths = String(group.digits.length);
    for (let next = first + 1; next < groups.length && groups[next]!.separator === separator; next++) {
      digits += groups[next]!.digits;
      if (digits.length > 19) return false;
      lengths += ` ${groups[next]!.digits.length}`;
      if (digits.length >= 12 && AS_ON_A_CARD.test(lengths) && isCardNumber(digits, 0, digits.length, true))
        return lengths !== '8 8' || !DAY_FIRST.test(digits);
    }
    return false;
  });
}

/** Digits after a point are decimals, for example of a coordinate. */
function isWholeCard({ digits, separator }: Group, { isOfCompany, isNamedCard }: Context): boolean {
  if (separator === '.' || !isCardNumber(digits, 0, digits.length, true)) return false;
  return isNamedCard() || (isCardNumber(digits, 0, digits.length) && !isSiret(digits, isOfCompany));
}
