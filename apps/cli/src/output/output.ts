import { InvalidArgumentError, Option, type Command } from 'commander';
import { jsonText, printableInLine } from '../printable.js';

const FORMATS = ['table', 'json', 'jsonl', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export interface Column<T> {
  name: string;
  of: (row: T) => string | number | undefined;
}

/** `-o`, for every command that prints data. */
export const outputOption = (command: Command, fallback: Format = 'table'): Command =>
  command.addOption(
    new Option('-o, --output <format>', 'form of the data on stdout').argParser(format).default(fallback),
  );

function format(text: string): Format {
  const found = FORMATS.find((one) => one === text);
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${FORMATS.join(', ')}.`);
  return found;
}

export const say = (line: string): void => console.error(line);
const data = (text: string): void => console.log(text);

/** Prints rows. `whole` is what `-o json` prints, by default the rows. */
export function printRows<T>(
  output: Format,
  columns: readonly Column<T>[],
  rows: readonly T[],
  whole: unknown = rows,
): void {
  if (output === 'json') return data(jsonText(whole, 2));
  if (output === 'jsonl') return rows.forEach((row) => data(jsonText(row)));
  const header = columns.map(({ name }) => name);
  if (output === 'csv')
    return [header, ...rows.map((row) => columns.map(({ of }) => of(row)))].forEach((one) => data(csvLine(one)));
  if (rows.length > 0) data(tableText([header, ...rows.map((row) => columns.map(({ of }) => cell(of(row))))]));
}

/** Prints one thing: as a table a line for each field that is there. */
export function printOne(
  output: Format,
  fields: readonly (readonly [string, string | number | undefined])[],
  whole: unknown,
): void {
  const rows = fields.filter(([, value]) => value !== undefined && value !== '');
  const [first, second] = [0, 1] as const;
  if (output === 'json' || output === 'jsonl') return data(jsonText(whole, output === 'json' ? 2 : undefined));
  if (output === 'csv') return [['field', 'value'], ...rows].forEach((row) => data(csvLine(row)));
  data(tableText(rows.map((row) => [`${row[first]}:`, cell(row[second])])));
}

const cell = (value: string | number | undefined): string =>
  value === undefined ? '-' : printableInLine(String(value));

export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((all, row) => row.map((text, at) => Math.max(text.length, all[at] ?? 0)), []);
  return rows.map((row) => row.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  ').trimEnd()).join('\n'); // prettier-ignore
}

/** A text that begins like a formula would be calculated by a spreadsheet. */
function csvCell(value: string | number | undefined): string {
  if (typeof value === 'number') return String(value);
  const text = printableInLine(value ?? '');
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csvLine = (values: readonly (string | number | undefined)[]): string => values.map(csvCell).join(',');

/** Minor units with their currency. */
export function money(amount: number | null | undefined, currency = ''): string | undefined {
  if (amount === undefined || amount === null) return undefined;
  const digits = currencyDigits(currency);
  const text = (amount / 10 ** digits).toFixed(digits);
  return currency === '' ? `${amount} minor units` : `${text} ${currency}`;
}

function currencyDigits(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** Tells a time from now: `3h ago`, `in 2d`. */
export function relative(time: string | undefined, nowMs = Date.now()): string | undefined {
  if (time === undefined) return undefined;
  const seconds = (Date.parse(time) - nowMs) / 1_000;
  if (Number.isNaN(seconds)) return time;
  const [unit, size] = UNITS.find(([, of]) => Math.abs(seconds) >= of) ?? UNITS[3];
  const count = `${Math.floor(Math.abs(seconds) / size)}${unit}`;
  return seconds < 0 ? `${count} ago` : `in ${count}`;
}
