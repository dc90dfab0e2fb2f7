/** Texts of amounts and times. All are in English and in the browser's time zone. */

const digitsOf = new Map<string, number>();
function decimals(currency: string): number {
  const known = digitsOf.get(currency);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  digitsOf.set(currency, digits);
  return digits;
}

/** An amount in minor units. A currency that no one knows is written as it came. */
export function money(amount: number | null | undefined, currency: string | undefined): string {
  if (amount === null || amount === undefined) return 'not known';
  if (currency === undefined || !/^[A-Z]{3}$/.test(currency)) return `${amount} minor units ${currency ?? ''}`.trim();
  const digits = decimals(currency);
  const value = (amount / 10 ** digits).toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${value} ${currency}`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** The two largest units: `2 d 3 h`, `15 min`, `0.3 s`. */
export function duration(ms: number): string {
  const seconds = Math.abs(ms) / 1_000;
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  let rest = Math.round(seconds);
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { text: `${count} ${unit}`, count };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  return parts.slice(first, first + 2).filter(({ count }) => count > 0).map(({ text }) => text).join(' '); // prettier-ignore
}

/** `in 2 h 5 min`, `4 min ago`. */
export function fromNow(at: string | number, nowMs: number): string {
  const ms = (typeof at === 'string' ? Date.parse(at) : at) - nowMs;
  if (Math.abs(ms) < 1_000) return 'now';
  return ms > 0 ? `in ${duration(ms)}` : `${duration(ms)} ago`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const ZONE = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });

export const clock = (at: string | number): string => CLOCK.format(new Date(at));

/** The time alone today, else with the day. */
export function moment(at: string | number, nowMs: number): string {
  const date = new Date(at);
  const now = new Date(nowMs);
  if (date.toDateString() === now.toDateString()) return CLOCK.format(date);
  const day = date.getFullYear() === now.getFullYear() ? DAY : YEAR;
  return `${day.format(date)}, ${CLOCK.format(date)}`;
}

/** A sentence of a service, with its times as people say them and its codes as words. */
export const humane = (text: string, nowMs = Date.now()): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) => moment(at, nowMs))
    .replaceAll(/"([a-z_]+)"/g, (_, code: string) => `“${spaced(code)}”`);

export const whole = (at: string | number): string => new Date(at).toISOString();
export const zone = (): string =>
  ZONE.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? 'local time';

/** `2 entries`. */
export const count = (number: number, one: string, several = one.replace(/y$/, 'ie') + 's'): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : several}`;

/** `order_in_doubt` as `order in doubt`. */
export const spaced = (code: string): string => code.replaceAll('_', ' ');

/** `1,250.50`, or `1.250,50` as it is written elsewhere. */
const WRITTEN = [/^(\d{1,3}(?:[, ']\d{3})*|\d+)(?:\.(\d{1,3}))?$/, /^(\d{1,3}(?:[. ']\d{3})*|\d+),(\d{1,2})$/];

/** Minor units of a typed amount; undefined where it is none. */
export function minorOf(text: string, currency: string | undefined): number | undefined {
  const digits = currency !== undefined && /^[A-Z]{3}$/.test(currency) ? decimals(currency) : 0;
  const typed = text.trim().replaceAll(/\s/g, ' ');
  const [, grouped, fraction = ''] = WRITTEN.map((form) => form.exec(typed)).find((match) => match !== null) ?? [];
  const units = grouped?.replaceAll(/\D/g, '') ?? '';
  if (units === '' || units.length > 12 || fraction.length > digits) return undefined;
  return Number(units) * 10 ** digits + Number(fraction.padEnd(digits, '0') || 0);
}

/** Reads an amount that a person looks for: `12.50 EUR`, `12,50` of any currency with two decimals, or minor units as `1250`. */
export function amountOf(text: string): { amount: number; currency?: string } | undefined {
  const [, number = '', code] = /^([\d., ']+)([a-z]{3})?$/i.exec(text.trim()) ?? [];
  if (code === undefined && /^\d{1,12}$/.test(number)) return { amount: Number(number) };
  const currency = code?.toUpperCase();
  const amount = minorOf(number, currency ?? 'EUR');
  return amount === undefined ? undefined : { amount, ...(currency !== undefined && { currency }) };
}
