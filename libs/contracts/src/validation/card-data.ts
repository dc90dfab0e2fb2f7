import { companyIn } from './business-numbers.js';
import { holdsCardNumber, isCardNumber } from './card-numbers.js';

/**
 * Card data must never enter Tranche: no message has a field for it, and a command that contains it is refused and not logged.
 *
 * Field names are compared without case and punctuation. Free texts are searched for card numbers (`card-numbers.ts`) and named CVVs. Ids,
 * phones, tokens, user agents and URLs are not searched: a wrong refusal of a valid orderId would cost a payment. README.md, "Card data",
 * gives the reasons and the remaining risk.
 */

/**
 * A merchant chooses what happens to free texts that contain a card number. `refuse`: the command is refused. `mask-in-logs`: it is accepted, for
 * shops whose references look like card numbers. Only logs, dead letters and the quarantine then leave the number out: it lies in the command
 * topic and, in EXTRADATA, also in the journal, the index, the events and the notifications (README.md, "Card data"). A named CVV is refused in both cases.
 */
export const TEXT_SCANS = ['refuse', 'mask-in-logs'] as const;
export type TextScan = (typeof TEXT_SCANS)[number];

const NAME_PARTS = [
  'cardcode',
  'cardnum',
  'cardno',
  'cvv',
  'cvc',
  'cryptogram',
  'securitycode',
  'cardvalidity',
  'cardexpir',
  'carddata',
];
const NAMES = new Set([
  'pan',
  'fpan',
  'dpan',
  'csc',
  'cvn',
  'ccn',
  'ccnumber',
  'ccnum',
  'creditcard',
  'primaryaccountnumber',
  'track1',
  'track2',
]);

export function isCardFieldName(name: string): boolean {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return NAMES.has(plain) || (plain !== 'cardnotpresent' && NAME_PARTS.some((part) => plain.includes(part)));
}

/**
 * Eleven digits or more: a masked number shows at most six digits at the start and four at the end. Between digits we allow one character
 * that may be a mask, such as `*`, or up to four separators.
 */
const UNMASKED = /\d(?:\D?\d|[\s.,:;_/-]{2,4}\d){10}/;

/** True if a value shows more digits than a masked card number. */
export const isUnmasked = (text: string): boolean => UNMASKED.test(text);

/** Replaces all digits but the last four by X, in linear time. */
export function maskedCode(value: string): string {
  let left = value.match(/\d/g)?.length ?? 0;
  return value.replace(/\d/g, (digit) => (left-- > 4 ? 'X' : digit));
}

/** Sizes and counts in names of articles: CVC is also heating and ventilation, and cryptograms are puzzles. */
const NO_UNIT = String.raw`(?!\w|[.,/x*-]\d|[ -]?(?:[x×*%°€$]|(?:[mck]?m[23²³]?|k?w|k?v|hz|l|kg|g|h|pa|bars?|eur|pi[eè]ces?|puzzles?|pages?)(?![a-zà-ÿ])))`;
const CVV_IN_TEXT = new RegExp(
  [
    String.raw`cvv2?(?:[\W_]{0,4}(?:is|was|est|es|code|number|n[o°]|value|visuel|du|de|client|s[eé]curit[eé])){0,3}[\W_]{0,4}\d{3,4}\b`,
    String.raw`\b(?:cvc2?|[ck]r[iy]ptogram(?:me?|m?a)?\b)[^\d:=]{0,20}?(?:[:=]|\b(?:is|est|es|code|visuel)\b|s[eé]curit[eé])[\W_]{0,3}\d{3,4}${NO_UNIT}`,
    // Codes of doors have four digits or more.
    String.raw`\bcode[\W_]{0,3}(?:de[\W_]{0,3})?s[eé]curit[eé][\W_]{0,4}(?:(?:is|est|n[o°])[\W_]{0,4})?\d{3}${NO_UNIT}`,
  ].join('|'),
  'i',
);
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * True if the text contains a card number or a named CVV. It decides about refusals, so it finds only usual spellings.
 * `hidden-card-data.ts` searches unverified input that we store. `isOfCompany`: SIRETs are to be expected, as beside a company's name.
 */
export function holdsCardData(text: string, { isOfCompany = false }: { isOfCompany?: boolean } = {}): boolean {
  const plain = searchable(text);
  return CVV_IN_TEXT.test(plain) || holdsCardNumber(plain, isOfCompany ? () => true : companyIn(plain));
}

/** True if the text contains a named CVV. */
export const holdsCvv = (text: string): boolean => CVV_IN_TEXT.test(searchable(text));

/** A text of ASCII alone is searched as it is, because `plainDigits` would only cost time. */
const searchable = (text: string): string => (NOT_ASCII.test(text) ? plainDigits(text) : text);

const INVISIBLE = /[\p{Cf}\p{M}]+/gu;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
/** All dashes and the minus sign. */
const DASHES = /[\p{Pd}\u2212]/gu;
const DIGIT = /^\p{Nd}$/u;
const digitOf = new Map<string, string>();

/** Converts digits of all scripts to ASCII, dashes to `-` and no-break spaces to spaces, and removes invisible characters. */
export function plainDigits(text: string): string {
  // Marks are removed first, because normalizing a long run of them takes more than linear time.
  const plain = text.replace(INVISIBLE, '').normalize('NFKC').replace(INVISIBLE, '');
  return plain.replace(OTHER_DIGITS, asciiDigit).replace(DASHES, '-');
}

/** Each script's digits are consecutive in Unicode, starting with zero. */
function asciiDigit(sign: string): string {
  const known = digitOf.get(sign);
  if (known !== undefined) return known;
  let zero = sign.codePointAt(0) ?? 0;
  const point = zero;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  const digit = String((point - zero) % 10);
  digitOf.set(sign, digit);
  return digit;
}

const MAX_DEPTH = 20;

/** Characters that are searched of all values of a message that do not belong there. */
export const MAX_SEARCHED = 65_536;
export interface SearchLimit {
  characters: number;
}

/**
 * Returns the path of the first card data ('' for the value itself), or undefined. Stops at 20 levels and where `left` is used up: the message is
 * refused anyway, and a longer search would keep the others waiting.
 */
export function findCardData(
  value: unknown,
  left: SearchLimit = { characters: MAX_SEARCHED },
  depth = 0,
): string | undefined {
  if (typeof value === 'string') return isFoundIn(value, left) ? '' : undefined;
  if (typeof value === 'number') return couldBeCardNumber(value) ? '' : undefined;
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return undefined;
  for (const [name, child] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : shownName(name);
    if (!Array.isArray(value) && isCardName(name, left)) return step;
    const below = findCardData(child, left, depth + 1);
    if (below !== undefined) return below === '' || below.startsWith('[') ? step + below : `${step}.${below}`;
  }
  return undefined;
}

/** True for a field name of card data, and for one that contains card data. */
export const isCardName = (name: string, left: SearchLimit): boolean => isCardFieldName(name) || isFoundIn(name, left);

function isFoundIn(text: string, left: SearchLimit): boolean {
  const searched = text.slice(0, left.characters);
  left.characters -= searched.length;
  return holdsCardData(searched);
}

/** JSON numbers of 17 digits or more lose precision, so the Luhn check cannot prove that they are not cards: they count as cards. */
export function couldBeCardNumber(value: number): boolean {
  if (!Number.isInteger(value) || value < 1e11 || value >= 1e19) return false;
  const digits = String(value);
  return !Number.isSafeInteger(value) || isCardNumber(digits, 0, digits.length);
}

const PLAIN_NAME = /^[A-Za-z_$@][\w$@ .:-]{0,39}$/;
const LONG_NUMBER = /\d(?:[ ._:-]?\d){7}/;

/** A field name that is safe to show in a path. Names come from outside and may contain card data. */
export function shownName(name: string): string {
  return PLAIN_NAME.test(name) && !LONG_NUMBER.test(name) ? name : '(name withheld)';
}
