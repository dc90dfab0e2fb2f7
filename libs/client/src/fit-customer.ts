import { customerLimits, type Method } from '@tranche/contracts';

/** Parts of a command about the customer, as far as the shop has them. */
interface Customer {
  readonly client?: object | null;
  readonly billing?: object | null;
  readonly shipping?: object | null;
}

/**
 * A change to a text of the customer. It names no value, so that it may be logged.
 * `title`: `Mr`, `Mme` and the like became the interface's; `ipv4`: an IPv4 address in the form of IPv6 (`::ffff:`) became plain.
 * `composed`: Unicode's composed form (NFC). `spaces`: line breaks and repeated spaces became one space. `capitals`: of a country.
 * `e164`: a phone in international form. `cut`: shortened to the interface's limit. `left_out`: was empty or null, or is a phone that
 * does not fit the numbering plan of its country.
 */
export interface TextChange {
  /** For example `billing.firstName`. */
  readonly path: string;
  readonly change: 'composed' | 'spaces' | 'capitals' | 'title' | 'ipv4' | 'e164' | 'cut' | 'left_out';
}

export interface Fitted<T> {
  readonly customer: T;
  readonly changes: readonly TextChange[];
}

/** People's names and places may be shortened. A shortened code, phone, e-mail address or id would be another one. */
const MAY_BE_CUT: ReadonlySet<string> = new Set([
  ...['firstName', 'lastName', 'companyName', 'address', 'city', 'userAgent'],
]);
const PHONES: ReadonlySet<string> = new Set(['phone', 'mobilePhone']);

/**
 * Fits names, addresses and phones of a customer to the limits of a method, and says what it changed: the platform takes 15 characters of a
 * first name and 38 or 50 of an address, which many real ones exceed. A phone is read by the numbering plan of its country, and left out if it does not
 * fit. One customer object serves every method: what a method has no place for is taken and not sent. What it can't fit (an e-mail address with + for method B) stays as it is, and publishing refuses it with the reason.
 */
export function fitCustomer<T extends Customer>(method: Method, customer: T): Fitted<T> {
  const limits = customerLimits(method);
  const changes: TextChange[] = [];
  const fitted: { -readonly [Part in keyof Customer]: Customer[Part] } = { ...customer };
  for (const part of ['client', 'billing', 'shipping'] as const) {
    const given = customer[part];
    if (given === null) {
      delete fitted[part];
      changes.push({ path: part, change: 'left_out' });
    } else if (typeof given === 'object') fitted[part] = fittedPart(part, given, limits[part], changes);
  }
  return { customer: fitted as T, changes };
}

function fittedPart(
  part: string,
  given: object,
  limits: Readonly<Record<string, number>>,
  changes: TextChange[],
): object {
  const fitted: Record<string, unknown> = {};
  const { country } = given as { country?: unknown };
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    const path = `${part}.${name}`;
    if (typeof value !== 'string') {
      if (value === null) changes.push({ path, change: 'left_out' });
      else fitted[name] = value;
      continue;
    }
    let text = value;
    const become = (change: TextChange['change'], next: string) => {
      if (next !== text) changes.push({ path, change });
      text = next;
    };
    // An id, an e-mail address and a user agent are what they are.
    if (part !== 'client') {
      become('composed', text.normalize('NFC'));
      become('spaces', text.replace(/\s+/g, ' ').trim());
    }
    if (name === 'country') become('capitals', text.toUpperCase());
    if (name === 'title') become('title', titleOf(text));
    if (name === 'ip') become('ipv4', text.replace(/^::ffff:(?=\d+\.)/i, ''));
    if (PHONES.has(name)) {
      const phone = internationalPhone(text, country);
      if (phone !== undefined) become('e164', phone);
      else text = '';
    }
    if (MAY_BE_CUT.has(name)) become('cut', cut(text, limits[name]));
    if (text === '') changes.push({ path, change: 'left_out' });
    else fitted[name] = text;
  }
  return fitted;
}

const TITLES: ReadonlyMap<string, string> = new Map([
  ...['mr', 'm', 'monsieur', 'sr'].map((title) => [title, 'mr'] as const),
  ...['mrs', 'mme', 'madame', 'sra'].map((title) => [title, 'mrs'] as const),
  ...['miss', 'mlle', 'mademoiselle', 'srta'].map((title) => [title, 'miss'] as const),
]);

/** A title in the interface's form, as `Mr.`, `M.` or `Mme` of people's; any other stays, and is refused with the reason. */
function titleOf(text: string): string {
  return TITLES.get(text.toLowerCase().replace(/\.$/, '')) ?? text;
}

/** Ends between two words where that keeps at least half of the text, else between two characters. */
function cut(text: string, limit: number | undefined): string {
  if (limit === undefined || [...text].length <= limit) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if ([...kept, ...segment].length > limit) break;
    kept += segment;
  }
  const endsWord = BETWEEN_WORDS.test(text.charAt(kept.length));
  const words = withoutEnd(endsWord ? kept : withoutEnd(kept, (sign) => !BETWEEN_WORDS.test(sign)));
  return [...words].length * 2 >= limit ? words : withoutEnd(kept);
}

const BETWEEN_WORDS = /[\s,;-]/;

function withoutEnd(text: string, goes = (sign: string) => BETWEEN_WORDS.test(sign)): string {
  let end = text.length;
  while (end > 0 && goes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Calling code, the 0 in front of national numbers where there is one, and the national number after it. */
type Plan = readonly [code: string, trunk: '0' | '', national: RegExp];

/**
 * One plan with France: its first digits say which calling code a number has, wherever its owner lives. Some numbers (0947, 0976) are of
 * several overseas departments, and those of 0700 are machines'.
 */
const FRANCE: readonly Plan[] = [
  ['590', '0', /^(?:590|69[01])\d{6}$/],
  ['594', '0', /^[56]94\d{6}$/],
  ['596', '0', /^(?:596|69[67])\d{6}$/],
  ['262', '0', /^(?:26[239]|639|69[23])\d{6}$/],
  ['33', '0', /^(?!26[239]|508|59[046]|639|69[0-467]|700|947|976)[1-9]\d{8}$/],
];

const PLANS: Readonly<Record<string, readonly Plan[]>> = {
  ...Object.fromEntries(['FR', 'GP', 'MQ', 'GF', 'RE', 'YT', 'BL', 'MF'].map((country) => [country, FRANCE])),
  ES: [['34', '', /^[5-9]\d{8}$/]],
  PT: [['351', '', /^[29]\d{8}$/]],
  BE: [['32', '0', /^(?:4[5-9]\d{7}|(?!4[5-9])[1-9]\d{7})$/]],
  NL: [['31', '0', /^[1-9]\d{8}$/]],
  LU: [['352', '', /^[24-9]\d{5,8}$/]],
  DE: [['49', '0', /^[1-9]\d{5,11}$/]],
  AT: [['43', '0', /^[1-9]\d{5,11}$/]],
  CH: [['41', '0', /^[1-9]\d{8}$/]],
  IT: [['39', '', /^(?:0\d{5,10}|3\d{8,9})$/]],
  MC: [['377', '', /^\d{8}$/]],
  AD: [['376', '', /^\d{6}$/]],
  GB: [['44', '0', /^[1-357-9]\d{9}$/]],
  // Mobiles and Dublin. The other areas have numbers of several lengths.
  IE: [['353', '0', /^(?:8[35-9]|1)\d{7}$/]],
};

/** `06 12 34 56 78` of France becomes `+33612345678`. Returns undefined if the country has no such number. */
function internationalPhone(text: string, country: unknown): string | undefined {
  const compact = text.replace(/[\s./\p{Pd}\p{Cf}]/gu, '').replace(/^00/, '+');
  if (compact.startsWith('+')) return withoutTrunk(compact.slice(1));
  const plans = (typeof country === 'string' ? PLANS[country.trim().toUpperCase()] : undefined) ?? [];
  const number = compact.replace(/[()]/g, '');
  const plan = plans.find(
    ([, trunk, national]) => number.startsWith(trunk) && national.test(number.slice(trunk.length)),
  );
  return plan === undefined ? undefined : `+${plan[0]}${number.slice(plan[1].length)}`;
}

/** European calling codes, and a 0 behind them. No number begins so, except those of Italy (39) and San Marino (378). */
const EUROPEAN_WITH_ZERO = /^(?:3[0-46]|4[013-9]|35\d|37[0-7]|38\d|42\d)0/;

/** A number after `+`. People write the 0 of their national numbers there, in parentheses or without: it is no part of it, except in Italy. */
function withoutTrunk(written: string): string | undefined {
  const number = written.replace(/[()]/g, '');
  if (!/^[1-9]\d{6,14}$/.test(number)) return undefined;
  const plan = Object.values(PLANS)
    .flat()
    .find(([code, trunk]) => trunk !== '' && number.startsWith(code + trunk));
  if (plan === undefined) {
    const hasZero = EUROPEAN_WITH_ZERO.test(number) || (written.includes('(0)') && !number.startsWith('39'));
    return hasZero ? undefined : `+${number}`;
  }
  const national = number.slice(plan[0].length + 1);
  return plan[2].test(national) ? `+${plan[0]}${national}` : undefined;
}
