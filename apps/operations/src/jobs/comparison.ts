/** Compares the platform's rows of one order with what the journal knows of it. */
import type { OperationKind } from '@tranche/contracts';
import type { ExportRow } from '../export/platform-export.js';

/** An operation of an order, ours or one that was made elsewhere and reported. */
export interface OurOperation {
  operation?: OperationKind;
  /** Absent: made elsewhere. */
  commandId?: string;
  transactionId?: string;
  amount?: number;
  /** End, else phase. */
  state: string;
  endedAt?: string;
}

export interface Compared {
  verdict: 'matched' | 'only-there' | 'only-here' | 'other-amount' | 'other-outcome';
  why?: string;
  about: Record<string, string>;
}

/** @param from beginning of the export's time, and its end: what ended outside of it need not be there */
export function compareOrder(
  rows: readonly ExportRow[],
  ours: readonly OurOperation[],
  { from, to }: { from: string; to: string },
): Compared[] {
  const left = new Set(ours);
  const compared = rows.map((row) => {
    const own = ownOf(row, rows, left);
    if (own) left.delete(own);
    return compareRow(row, own);
  });
  const missing = [...left].filter(
    ({ state, endedAt }) => state === 'succeeded' && endedAt !== undefined && endedAt >= from && endedAt <= to,
  );
  return [...compared, ...missing.map(onlyHere)];
}

const onlyHere = (own: OurOperation): Compared => ({
  verdict: 'only-here',
  why: 'It succeeded here, and the export does not have it.',
  about: ourTexts(own),
});

/** The operation with the row's TRANSACTIONID; else the only one of its kind of which no TRANSACTIONID is known, if no other row may be it. */
export function ownOf(
  row: ExportRow,
  rows: readonly ExportRow[],
  ours: Iterable<OurOperation>,
): OurOperation | undefined {
  const all = [...ours];
  const named = all.find(({ transactionId }) => transactionId === row.transactionId);
  if (named) return named;
  const isFree = (one: ExportRow) => all.every(({ transactionId }) => transactionId !== one.transactionId);
  const unnamed = all.filter((one) => one.transactionId === undefined && one.operation === row.operation);
  const others = rows.filter((one) => one.operation === row.operation && isFree(one));
  return unnamed.length === 1 && others.length === 1 ? unnamed[0] : undefined;
}

function compareRow(row: ExportRow, own: OurOperation | undefined): Compared {
  const about = { ...rowTexts(row), ...(own && ourTexts(own)) };
  if (own === undefined) return { verdict: 'only-there', why: 'No operation here has this TRANSACTIONID.', about };
  const isOpen = row.outcome === 'open' && (own.state === 'pending' || own.state === 'redirect_required');
  // A payment that expired here was never approved: the platform calls that refused.
  const ends = row.outcome === 'refused' ? ['refused', 'expired', 'not_executed', 'given_up'] : [row.outcome];
  if (!isOpen && !ends.includes(own.state))
    return { verdict: 'other-outcome', why: `The platform has ${row.outcome} (${row.execCode}), here it is ${own.state}.`, about }; // prettier-ignore
  const differs = row.amount !== undefined && own.amount !== undefined && row.amount !== own.amount;
  if (differs && row.outcome === 'succeeded')
    return { verdict: 'other-amount', why: `The platform has ${row.amount}, here it is ${own.amount}.`, about };
  return { verdict: 'matched', about };
}

export const rowTexts = ({
  line,
  operation,
  transactionId,
  amount,
  execCode,
  at,
}: ExportRow): Record<string, string> => ({
  ...{ line: String(line), operation, transactionId, execCode, at },
  ...(amount !== undefined && { amount: String(amount) }),
});

const ourTexts = ({ operation, commandId, transactionId, amount, state, endedAt }: OurOperation) =>
  Object.fromEntries(
    Object.entries({
      ...{ ourOperation: operation, commandId, ourTransactionId: transactionId, ourAmount: amount, ourState: state, endedAt }, // prettier-ignore
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
