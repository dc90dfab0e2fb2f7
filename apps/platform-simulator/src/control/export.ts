import type { Ledger } from './ledger.store.js';

const COLUMNS = ['ORDERID', 'TRANSACTIONID', 'OPERATIONTYPE', 'AMOUNT', 'EXECCODE', 'DATE'] as const;

/** Differences that a test or an exercise plants in the export, each at an operation of its own. */
export const PLANTED = ['missing', 'extra', 'amount', 'outcome'] as const;
export type Planted = (typeof PLANTED)[number];

/**
 * The back office's export of an account's operations: CSV with `;` and a byte order mark.
 * @param plant the first operations of the ledger get these differences, in this order
 */
export function exportOf(ledger: Ledger, identifier: string, plant: readonly Planted[]): string {
  const rows = ledger.read({ identifier }).operations.map((one) => ({
    ORDERID: one.orderId ?? '',
    TRANSACTIONID: one.transactionId,
    OPERATIONTYPE: one.operationType,
    AMOUNT: String(one.amount ?? ''),
    EXECCODE: one.finalExecCode,
    DATE: one.time,
  }));
  const altered = rows.flatMap((row, at) => {
    const what = plant[at];
    if (what === 'missing') return [];
    if (what === 'extra')
      return [row, { ...row, ORDERID: `${row.ORDERID}-planted`, TRANSACTIONID: `X${row.TRANSACTIONID.slice(1)}` }];
    if (what === 'amount') return [{ ...row, AMOUNT: String(Number(row.AMOUNT) + 1) }];
    if (what === 'outcome') return [{ ...row, EXECCODE: row.EXECCODE === '0000' ? '4001' : '0000' }];
    return [row];
  });
  const quoted = (text: string) => (/[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [[...COLUMNS], ...altered.map((row) => COLUMNS.map((column) => row[column]))];
  return `\uFEFF${lines.map((fields) => `${fields.map(quoted).join(';')}\r\n`).join('')}`;
}
