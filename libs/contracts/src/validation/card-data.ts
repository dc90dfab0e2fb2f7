/**
 * Card data must never enter Tranche: no message has a field for it, and a command that contains it is refused and not logged.
 *
 * Field names are compared without case and punctuation. Texts are searched for numbers of 12 to 19 digits, whole or in groups, that pass
 * the Luhn check. One number in ten passes it by chance, so the strictness depends on the kind of text:
 * - `prose`, typed by people (names, addresses, descriptions): every such number counts;
 * - `reference`, which normally contains identifiers, time-stamps and article numbers (extraData, metadata, articles): only numbers with
 * the prefix and length of a card scheme count;
 * - ids, phones, tokens, user agents and URLs are not searched: a wrong refusal of a valid orderId would cost a payment.
 * README.md, "Card data", gives the reasons and the remaining risk.
 */
export type TextKind = 'prose' | 'reference';

/** Search of DESCRIPTION, chosen by the merchant (docs/decisions/0044): `off` is for shops whose order numbers look like card numbers. */
export const CARD_SCANS = ['every', 'schemes', 'off'] as const;
export type CardScan = (typeof CARD_SCANS)[number];

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

const TWELVE_DIGITS = /\d(?:[ ._-]?\d){11}/;
const NUMBERS = /\d+(?:[ ._-]\d+)*/g;
const CVV_IN_TEXT = /(?:cvv|\bcvc)2?(?:[\W_]{0,4}(?:is|was|code|number|no|value)){0,2}[\W_]{0,4}\d{3,4}\b/i;
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * True if the text contains a card number or a named CVV. It decides about refusals, so it finds only usual spellings.
 * `hidden-card-data.ts` searches unverified input that we store.
 */
export function holdsCardData(text: string, kind: TextKind): boolean {
  const plain = NOT_ASCII.test(text) ? plainDigits(text) : text;
  if (CVV_IN_TEXT.test(plain)) return true;
  if (!TWELVE_DIGITS.test(plain)) return false;
  return (plain.match(NUMBERS) ?? []).some((number) => holdsCardNumber(number, kind));
}

/** Masks all card numbers in a plain text except their last four digits. */
export function withoutCardNumbers(plain: string, kind: TextKind): string {
  return plain.replace(NUMBERS, (number) =>
    holdsCardNumber(number, kind) ? number.replace(/\d(?=(?:\D*\d){4})/g, 'X') : number,
  );
}

const INVISIBLE = /[\p{Cf}\p{M}]+/gu;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
const DIGIT = /^\p{Nd}$/u;
const digitOf = new Map<string, string>();

/** Converts digits of all scripts to ASCII and no-break spaces to spaces, and removes invisible characters. */
export function plainDigits(text: string): string {
  // Marks are removed first, because normalizing a long run of them takes more than linear time.
  return text.replace(INVISIBLE, '').normalize('NFKC').replace(INVISIBLE, '').replace(OTHER_DIGITS, asciiDigit);
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

/** Joins neighbouring groups (`4111 1111 1111 1111`) but never splits one: a number of 24 digits is not a card number. */
function holdsCardNumber(number: string, kind: TextKind): boolean {
  const { digits, ends } = digitsOf(number);
  return ends.some((_end, first) => {
    const from = ends[first - 1] ?? 0;
    for (let last = first; last < ends.length && ends[last]! - from <= 19; last++)
      if (isCardNumber(digits, from, ends[last]!, kind)) return true;
    return false;
  });
}

/** The digits of a run without separators, and the end index of each group. */
export function digitsOf(run: string): { digits: string; ends: number[] } {
  const groups = run.split(/\D+/);
  let end = 0;
  return { digits: groups.join(''), ends: groups.map((group) => (end += group.length)) };
}

/** True if the digits from `from` (inclusive) to `to` (exclusive) are a card number. */
export function isCardNumber(digits: string, from: number, to: number, kind: TextKind): boolean {
  if (to - from < 12 || to - from > 19 || !passesLuhn(digits, from, to)) return false;
  return kind === 'prose' || SCHEME.test(digits.slice(from, to));
}

/** Visa, Mastercard (both series), American Express, Diners, JCB, Maestro and Discover: 14 to 19 digits. */
const SCHEME =
  /^(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,16}|35\d{14,17}|(?:5[06-9]|6\d)\d{12,17})$/;

function passesLuhn(digits: string, from: number, to: number): boolean {
  let sum = 0;
  let all = 0;
  for (let at = to - 1; at >= from; at--) {
    const digit = digits.charCodeAt(at) - 48;
    all += digit;
    sum += (to - at) % 2 === 1 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0 && all > 0;
}

const MAX_DEPTH = 20;

/** Returns the path of the first card data ('' for the value itself), or undefined. Stops at 20 levels: the message is refused anyway. */
export function findCardData(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return holdsCardData(value, 'prose') ? '' : undefined;
  if (typeof value === 'number') return couldBeCardNumber(value) ? '' : undefined;
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return undefined;
  for (const [name, child] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : shownName(name);
    if (!Array.isArray(value) && (isCardFieldName(name) || holdsCardData(name, 'prose'))) return step;
    const below = findCardData(child, depth + 1);
    if (below !== undefined) return below === '' || below.startsWith('[') ? step + below : `${step}.${below}`;
  }
  return undefined;
}

/** JSON numbers of 17 digits or more lose precision, so the Luhn check cannot prove that they are not cards: they count as cards. */
function couldBeCardNumber(value: number): boolean {
  if (!Number.isInteger(value) || value < 1e11 || value >= 1e19) return false;
  const digits = String(value);
  return !Number.isSafeInteger(value) || passesLuhn(digits, 0, digits.length);
}

const PLAIN_NAME = /^[A-Za-z_$@][\w$@ .:-]{0,39}$/;
const LONG_NUMBER = /\d(?:[ ._:-]?\d){7}/;

/** A field name that is safe to show in a path. Names come from outside and may contain card data. */
export function shownName(name: string): string {
  return PLAIN_NAME.test(name) && !LONG_NUMBER.test(name) ? name : '(name withheld)';
}
