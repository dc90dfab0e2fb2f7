import { parseArgs } from 'node:util';
import type { Quarantined } from '../quarantine-record.js';

export interface QuarantineOptions {
  command: 'list' | 'reverify';
  json: boolean;
  dryRun: boolean;
  /** Our name of the merchant. */
  merchant?: string;
  /** RFC 3339. */
  since?: string;
}

export const USAGE = `npm run quarantine -- list     [--merchant NAME] [--since TIME] [--json]
npm run quarantine -- reverify [--merchant NAME] [--since TIME] [--json] [--dry-run]

list      what is open in quarantine: a line per notification
reverify  verifies each again with the keys of MERCHANTS_FILE and publishes what is genuine now,
          which closes it
--since   a date (2027-01-31), a time (2027-01-31T10:00:00Z), or how long ago (90m, 24h, 7d)`;

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws Error with one line for the operator if the arguments are wrong. */
export function quarantineOptions(args: readonly string[], nowMs: number): QuarantineOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      merchant: { type: 'string' },
      since: { type: 'string' },
      json: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const [command, ...more] = positionals;
  if (command !== 'list' && command !== 'reverify')
    throw new Error(command === undefined ? 'what shall be done?' : `there is no ${command}`);
  if (more.length > 0) throw new Error(`${more.join(' ')} is too much`);
  if (command === 'list' && values['dry-run']) throw new Error('--dry-run belongs to reverify');
  return {
    command,
    json: values.json,
    dryRun: values['dry-run'],
    ...(values.merchant === undefined ? {} : { merchant: values.merchant }),
    ...(values.since === undefined ? {} : { since: sinceOf(values.since, nowMs) }),
  };
}

function sinceOf(text: string, nowMs: number): string {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  // Date.parse reads February 31 as March 3, so we compare the day with its own round trip.
  const day = text.slice(0, 10);
  const isDay = isTime && new Date(Date.parse(day) || 0).toISOString().startsWith(day);
  const ms = unit === undefined ? (isDay ? Date.parse(text) : NaN) : nowMs - Number(count) * (UNIT_MS[unit] ?? NaN);
  if (Number.isNaN(ms)) throw new Error(`--since ${text} is neither a date, a time with its zone, nor 90m, 24h or 7d`);
  return new Date(ms).toISOString();
}

/** One notification with all its repeats. Of its parameters we show only the order, because the others hold personal data. */
interface ListedNotification {
  id: string;
  reason: string;
  why?: string;
  merchant?: string;
  orderId?: string;
  firstAt: string;
  lastAt: string;
  from: string[];
  count: number;
  altered: boolean;
}

const SHOWN_ADDRESSES = 3;
const SHOWN_TEXT = 40;
const CONTROL = /\p{C}/gu;

/** Groups by content hash and reason, sorted by first arrival. */
export async function listOf(
  records: AsyncIterable<Quarantined> | Iterable<Quarantined>,
): Promise<ListedNotification[]> {
  const listed = new Map<string, ListedNotification>();
  for await (const { id, reason, why, merchant, from, receivedAt, isAltered, parameters } of records) {
    const known = listed.get(`${id} ${reason}`);
    if (known === undefined) {
      const orderId = parameters.find(([name]) => name === 'ORDERID')?.[1];
      const about = {
        ...(why === undefined ? {} : { why }),
        ...(merchant === undefined ? {} : { merchant }),
        ...(orderId === undefined ? {} : { orderId }),
      };
      listed.set(`${id} ${reason}`, {
        id,
        reason,
        ...about,
        firstAt: receivedAt,
        lastAt: receivedAt,
        from: [from],
        count: 1,
        altered: isAltered,
      });
    } else {
      known.count++;
      known.altered ||= isAltered;
      if (receivedAt < known.firstAt) known.firstAt = receivedAt;
      if (receivedAt > known.lastAt) known.lastAt = receivedAt;
      if (!known.from.includes(from)) known.from.push(from);
    }
  }
  return [...listed.values()].sort((a, b) => (a.firstAt < b.firstAt ? -1 : a.firstAt > b.firstAt ? 1 : 0));
}

export function tableOf(list: readonly ListedNotification[]): string {
  const rows = list.map((one) => [
    one.id.slice(0, 16),
    one.reason + (one.why === undefined ? '' : `: ${shown(one.why)}`) + (one.altered ? ' (altered)' : ''),
    one.merchant ?? '–',
    shown(one.orderId ?? '–'),
    one.firstAt,
    one.lastAt,
    one.from.slice(0, SHOWN_ADDRESSES).join(' ') +
      (one.from.length > SHOWN_ADDRESSES ? ` +${one.from.length - SHOWN_ADDRESSES}` : ''),
    String(one.count),
  ]);
  const table = [['id', 'reason', 'merchant', 'order', 'first', 'last', 'from', 'count'], ...rows];
  // A spread into Math.max would fail: the list may be longer than the maximum number of arguments.
  const widths = table[0]!.map((_, column) => table.reduce((width, row) => Math.max(width, row[column]!.length), 0));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One line of JSON. JSON escapes only the first 32 control characters, and others could steer the operator's terminal, too. */
export function jsonLineOf(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(CONTROL, (sign) => sign.split('').map(escaped).join(''));
}

/** The text comes from an unknown sender: control characters could steer the operator's terminal. */
function shown(text: string): string {
  return text.slice(0, SHOWN_TEXT).replace(CONTROL, '·');
}
