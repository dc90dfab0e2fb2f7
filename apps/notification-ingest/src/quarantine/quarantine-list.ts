import type { Quarantined } from './quarantined.js';

/** One notification with all its repeats. Of its parameters we show only the order, because the others hold personal data. */
export interface ListedNotification {
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
