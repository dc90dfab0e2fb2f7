import { customerLimits, type Method } from '@tranche/contracts';

/** Parts of a command about the customer, as far as the shop has them. */
interface Customer {
  readonly client?: object;
  readonly billing?: object;
  readonly shipping?: object;
}

/**
 * A change to a text of the customer. It names no value, so that it may be logged.
 * `composed`: Unicode's composed form (NFC). `spaces`: line breaks and repeated spaces became one space. `capitals`: of a country.
 * `e164`: a phone in international form. `cut`: shortened to the interface's limit. `left_out`: was empty.
 */
export interface TextChange {
  /** For example `billing.firstName`. */
  readonly path: string;
  readonly change: 'composed' | 'spaces' | 'capitals' | 'e164' | 'cut' | 'left_out';
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
 * first name and 38 or 50 of an address, which many real ones exceed. What it can't fit (a phone that it does not understand, an e-mail
 * address with + for method B) stays as it is, and publishing refuses it with the reason.
 */
export function fitCustomer<T extends Customer>(method: Method, customer: T): Fitted<T> {
  const limits = customerLimits(method);
  const changes: TextChange[] = [];
  const fitted: { client?: object; billing?: object; shipping?: object } = { ...customer };
  for (const part of ['client', 'billing', 'shipping'] as const) {
    const given = customer[part];
    if (given !== undefined) fitted[part] = fittedPart(part, given, limits[part], changes);
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
    if (typeof value !== 'string') {
      fitted[name] = value;
      continue;
    }
    const path = `${part}.${name}`;
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
    if (PHONES.has(name)) become('e164', internationalPhone(text, country));
    if (MAY_BE_CUT.has(name)) become('cut', cut(text, limits[name]));
    if (text === '') changes.push({ path, change: 'left_out' });
    else fitted[name] = text;
  }
  return fitted;
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

/** Calling codes, and national numbers: what follows the code is in the group. */
const CALLING: Readonly<Record<string, readonly [code: string, national: RegExp]>> = {
  ...{ FR: ['33', /^0([1-9]\d{8})$/], ES: ['34', /^([5-9]\d{8})$/], PT: ['351', /^([29]\d{8})$/] },
  ...{ BE: ['32', /^0([1-9]\d{7,8})$/], NL: ['31', /^0([1-9]\d{8})$/], LU: ['352', /^([24-9]\d{5,8})$/] },
  ...{ DE: ['49', /^0([1-9]\d{5,11})$/], AT: ['43', /^0([1-9]\d{5,11})$/], CH: ['41', /^0([1-9]\d{8})$/] },
  ...{ IT: ['39', /^(0\d{5,10}|3\d{8,9})$/], MC: ['377', /^(\d{8})$/], AD: ['376', /^(\d{6})$/] },
  ...{ GB: ['44', /^0([1-9]\d{8,9})$/], IE: ['353', /^0([1-9]\d{7,8})$/] },
  ...{ GP: ['590', /^0(\d{9})$/], MQ: ['596', /^0(\d{9})$/], GF: ['594', /^0(\d{9})$/] },
  ...{ RE: ['262', /^0(\d{9})$/], YT: ['262', /^0(\d{9})$/] },
};

/** `06 12 34 56 78` of France becomes `+33612345678`. Returns the text as it is if that needs a guess. */
function internationalPhone(text: string, country: unknown): string {
  const compact = text.replace(/\(0\)|[\s().\/-]/g, '');
  if (/^(?:\+|00)[1-9]\d+$/.test(compact)) return compact.replace(/^00/, '+');
  const [code, national] = (typeof country === 'string' ? CALLING[country.trim().toUpperCase()] : undefined) ?? [];
  const number = national?.exec(compact)?.[1];
  return number === undefined ? text : `+${code}${number}`;
}
