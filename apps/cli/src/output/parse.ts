import { InvalidArgumentError } from 'commander';
import { MERCHANT_PATTERN } from '@tranche/contracts';

/** Parsers of arguments: each says what the value must be. */
const matching =
  (pattern: RegExp, must: string) =>
  (text: string): string => {
    if (!pattern.test(text)) throw new InvalidArgumentError(`It must be ${must}.`);
    return text;
  };

export const merchantName = matching(MERCHANT_PATTERN, '1 to 32 lower-case letters, digits and hyphens');
export const reasonText = matching(
  /^[^\u0000-\u001f\u007f]{10,500}$/,
  '10 to 500 characters in one line; it is kept, so give no personal data',
);
export const jobReason = matching(
  /^[^\u0000-\u001f\u007f]{10,300}$/,
  '10 to 300 characters in one line; it is kept, so give no personal data',
);
export const transactionId = matching(/^[!#-[\]-~]{1,32}$/, 'a TRANSACTIONID, 1 to 32 visible characters');
export const execCode = matching(/^\d{4}$/, 'an EXECCODE of four digits');
export const scopeName = matching(/^(?:rail:[a-z-]{1,32}|merchant:[a-z0-9-]{1,32})$/, 'rail:NAME or merchant:NAME');

export const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
    return found;
  };

export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const isOne = /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most;
    if (!isOne) throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return Number(text);
  };

export const minorUnits = whole(1, 999_999_999_999);

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `30m`, `24h` or `7d`. */
function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0);
}

/** A time ahead: RFC 3339, or how long from now. */
export function timeAhead(text: string): string {
  const ahead = durationMs(text);
  const timeMs = ahead === undefined ? Date.parse(text) : Date.now() + ahead;
  if (!(timeMs > Date.now())) throw new InvalidArgumentError('It must be 30m, 24h, 7d or an RFC 3339 time to come.');
  return new Date(timeMs).toISOString();
}
