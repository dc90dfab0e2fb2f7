import { InvalidArgumentError, type Command } from 'commander';
import { MERCHANT_PATTERN, parseOrderKey, REASON, reasonInWords } from '@tranche/contracts';
import { parseOperationId } from '@tranche/order-journal';

/** Parsers of arguments: each says what the value must be. */
const matching =
  (pattern: RegExp, must: string) =>
  (text: string): string => {
    if (!pattern.test(text)) throw new InvalidArgumentError(`It must be ${must}.`);
    return text;
  };

export const merchantName = matching(MERCHANT_PATTERN, '1 to 32 lower-case letters, digits and hyphens');
const reasonPattern = (most: number) => new RegExp(`^[^\\u0000-\\u001f\\u007f]{${REASON.least},${most}}$`, 'u');
const reasonOf = (most: number) =>
  matching(reasonPattern(most), `${reasonInWords(most)} in one line; it is kept, so give no personal data`);
const reasonText = reasonOf(REASON.most);
const jobReason = reasonOf(REASON.mostOfJob);
export const isReason = (text: string): boolean => reasonPattern(REASON.most).test(text);

/** `--reason`, which every decision needs. */
export const reasonOption = (command: Command, why: string, keptIn: string): Command =>
  command.requiredOption('--reason <text>', `${why}, ${reasonInWords()}; ${keptIn}`, reasonText);
export const jobReasonOption = (command: Command): Command =>
  command.requiredOption(
    '--reason <text>',
    `why, ${reasonInWords(REASON.mostOfJob)}; it is the reason of each item`,
    jobReason,
  );

const ORDER = 'merchant/order, the number of a row of the last list, or an id of a list';
/** An order that is no number of a row. */
export const orderNamed = (text: string) => (text.includes('/') ? parseOrderKey(text) : parseOperationId(text));
const orderText = (text: string): string => {
  if (!ROW.test(text) && orderNamed(text) === undefined) throw new InvalidArgumentError(`It must be ${ORDER}.`);
  return text;
};
/** `<order>`, as `Session.order` takes it. */
export const orderArgument = (command: Command): Command => command.argument('<order>', ORDER, orderText);
export const DEAD_LETTER = 'its id, as 3-42, or the number of a row of the last list of `tranche dead-letters`';
const LETTER = /^(\d{1,6})-(\d{1,19})$/;
export const deadLetterText = (text: string): string => {
  if (!ROW.test(text) && !LETTER.test(text)) throw new InvalidArgumentError(`It must be ${DEAD_LETTER}.`);
  return text;
};
/** The number of a row of the last list. */
export const ROW = /^[1-9]\d{0,4}$/;
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
