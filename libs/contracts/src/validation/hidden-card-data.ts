import { companyIn, isSiret, withoutBusinessNumbers } from './business-numbers.js';
import { holdsCardData, plainDigits } from './card-data.js';
import { isCardNumber } from './card-numbers.js';

/**
 * Searches unverified input before we store it in quarantine, dead letters or logs (docs/decisions/0073). It reads a text as a person or
 * a program might: with resolved escapes, digits of any script, any characters but letters between the digits, and an expiry date after
 * them. Its findings are masked, not refused, so a wrong finding costs no payment.
 */
export function holdsHiddenCardData(text: string): boolean {
  return isFound(text, plainText(text));
}

/** Masks all such numbers except their last four digits and removes named CVVs, in linear time. */
export function withoutHiddenCardData(text: string): string {
  const plain = plainText(text);
  if (!isFound(text, plain)) return text;
  // Numbers come first: the CVV rule could otherwise remove the first digits of a card number.
  const isOfCompany = companyIn(plain);
  const masked = plain.replace(SPREAD_NUMBERS, (run) => maskedRun(run, isOfCompany)).replace(CVV, '(withheld)');
  // A number may be found in the text as it came, or behind an IBAN, and not in its runs of digits: then all digits go.
  return masked === plain || holdsCardData(masked) ? masked.replace(/\d/g, 'X') : masked;
}

/** Names of a card's cryptogram, or their beginnings, in the interface's languages. */
const CRYPTOGRAM_WORDS = [
  'cvv|cvc|(?<!\\p{L})(?:csc|cvn|cvd|cid)(?!\\p{L})|cryptogram|kryptogram|pr[uü]f(?:nummer|ziffer)',
  'security[\\W_]{0,3}code|verification[\\W_]{0,3}(?:value|code|number)|code[\\W_]{0,3}(?:de[\\W_]{0,3})?s[ée]curit[ée]',
  'c[oó]digo[\\W_]{0,3}(?:de[\\W_]{0,3})?seguridad|codice[\\W_]{0,3}(?:di[\\W_]{0,3})?sicurezza|beveiligingscode',
].join('|');
const CVV = new RegExp(`(?:${CRYPTOGRAM_WORDS})2?\\D{0,20}\\d{3,4}(?!\\d)`, 'giu');
const NAMED_CVV = new RegExp(CVV, 'iu');

const TWELVE_DIGITS = /\d(?:[^\p{L}\p{N}]{0,4}\d){11}/u;
const SPREAD_NUMBERS = /\d+(?:[^\p{L}\p{N}]{1,4}\d+)*/gu;

function isFound(text: string, plain: string): boolean {
  if (NAMED_CVV.test(plain) || holdsCardData(plain) || (text !== plain && holdsCardData(text))) return true;
  const rest = withoutBusinessNumbers(plain);
  if (!TWELVE_DIGITS.test(rest)) return false;
  const isOfCompany = companyIn(plain);
  return (rest.match(SPREAD_NUMBERS) ?? []).some((run) => cardEndIn(run, isOfCompany) !== undefined);
}

/** Masks everything except the last four digits of the card number, so that an expiry date in the run is masked too. */
function maskedRun(run: string, isOfCompany: () => boolean): string {
  const end = cardEndIn(run, isOfCompany);
  if (end === undefined) return run;
  let seen = 0;
  return run.replace(/\d/g, (digit) => (++seen > end - 4 && seen <= end ? digit : 'X'));
}

const SCHEMES_BEGIN = /[2-69]/;
const MIN_CARD = 14;
const MAX_CARD = 19;
/** Maximum digits directly after a number: MMYY, YYMM or MM20YY, and a CVV. */
const GLUED = 10;
const EXPIRY = /^(?:(?:0[1-9]|1[0-2])(?:20)?[2-4]\d|[2-4]\d(?:0[1-9]|1[0-2]))(?:\d{3,4})?$/;
const MONTH = /^(?:0[1-9]|1[0-2])$/;
const YEAR = /^(?:20)?[2-4]\d$/;

/** Number of digits up to the end of the first card number of a run; undefined if there is none. */
function cardEndIn(run: string, isOfCompany: () => boolean): number | undefined {
  const { digits, ends } = digitsOf(run);
  for (let first = 0; first < ends.length; first++) {
    const from = ends[first - 1] ?? 0;
    if (!SCHEMES_BEGIN.test(digits.charAt(from))) continue;
    for (let last = first; last < ends.length; last++) {
      const end = ends[last]!;
      const isBusiness = last === first && isSiret(digits.slice(from, end), isOfCompany);
      if (!isBusiness && isCardNumber(digits, from, end, end - from >= MIN_CARD)) return end;
      const before = last === first ? from : ends[last - 1]!;
      if (end - from > MAX_CARD + GLUED) break;
      for (let cut = Math.max(before + 1, from + MIN_CARD); cut < end && cut <= from + MAX_CARD; cut++)
        if (isCardNumber(digits, from, cut) && isExpiry(digits.slice(cut, end), digits.slice(end, ends[last + 1])))
          return cut;
      if (end - from >= MAX_CARD) break;
    }
  }
  return undefined;
}

/** The digits of a run without separators, and the end index of each group. */
function digitsOf(run: string): { digits: string; ends: number[] } {
  const groups = run.split(/\D+/);
  let end = 0;
  return { digits: groups.join(''), ends: groups.map((group) => (end += group.length)) };
}

/** In `…12/29` the year is in the next group. */
const isExpiry = (rest: string, next: string) => EXPIRY.test(rest) || (MONTH.test(rest) && YEAR.test(next));

const WRITTEN_OTHERWISE = /[\\%&]|[^\0-\x7f]/;
const ESCAPES =
  /\\{1,8}(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|[bfnrtv/"])|((?:%[0-9a-f]{2})+)|&(?:#(\d{1,7});?|#x([0-9a-f]{1,6});?|nbsp;?|[a-z][a-z0-9]{1,30};)/gi;
/** Several programs in a row may each have escaped the text. */
const ROUNDS = 3;

function plainText(text: string): string {
  if (!WRITTEN_OTHERWISE.test(text)) return text;
  let plain = text;
  for (let round = 0; round < ROUNDS; round++) {
    const next = plain.replace(ESCAPES, unescaped);
    if (next === plain) break;
    plain = next;
  }
  return plainDigits(plain);
}

function unescaped(all: string, ...[unicode, braced, byte, percent, decimal, hex]: (string | undefined)[]): string {
  if (percent !== undefined) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString('utf8');
  const point = decimal === undefined ? parseInt(unicode ?? braced ?? byte ?? hex ?? '', 16) : Number(decimal);
  if (Number.isNaN(point)) return all.endsWith('"') ? '"' : ' ';
  return point <= 0x10ffff ? String.fromCodePoint(point) : ' ';
}

const CRYPTOGRAM_NAME =
  /cvv|cvc|[ck]ryptogram|securitycode|verification(?:value|code|number)|code(?:de)?securite|codigo(?:de)?seguridad|codice(?:di)?sicurezza|pruf(?:nummer|ziffer)|beveiligingscode|^(?:card|cc|cb|custom|my)?(?:csc|cvn|cvd|cid|cvx|cav)2?$/;

/** Matches all spellings, for example `CARDCVV`, `card[cvc]`, `securityCode` or `verification_value`. */
export function isCryptogramName(name: string): boolean {
  return CRYPTOGRAM_NAME.test(
    name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]/g, ''),
  );
}
