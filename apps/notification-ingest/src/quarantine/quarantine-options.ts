import { parseArgs } from 'node:util';

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

list      what is in quarantine: a line per notification
reverify  verifies each again with the keys of MERCHANTS_FILE and publishes what is genuine now
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
