import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Published } from '../text/published.js';
import { Answer, Empty, PartOf, type Asked, type Parts } from './parts.js';

export interface Column<T> {
  name: string;
  of: (row: T) => ReactNode;
  isNumber?: boolean;
}
interface TableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string | number;
}

/** A list of rows as a table; on a phone each row is a card. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    <table className="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" data-number={isNumber}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, of, isNumber }) => (
              <td key={name} data-name={name} data-number={isNumber}>
                {of(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PagedTableProps<P, T> extends Omit<TableProps<T>, 'rows'> {
  asked: Asked<P> & Parts;
  rowsOf: (page: P) => readonly T[];
  /** One row. */
  one: string;
  empty: string;
}

/** A list that comes by pages, in each of its states. */
export function PagedTable<P, T>({ asked, rowsOf, one, empty, ...table }: PagedTableProps<P, T>) {
  return (
    <Answer of={asked} what={table.label.toLowerCase()}>
      {(page) => {
        const rows = rowsOf(page);
        if (rows.length === 0) return <Empty>{empty}</Empty>;
        return (
          <>
            <Table {...table} rows={rows} />
            <PartOf parts={asked} shown={rows.length} of={one} />
          </>
        );
      }}
    </Answer>
  );
}

export function OrderLink({ merchant, orderId }: { merchant?: string | undefined; orderId?: string | undefined }) {
  if (merchant === undefined || orderId === undefined) return <span className="none">{merchant ?? 'none named'}</span>;
  return (
    <Link data-row href={orderPath(merchant, orderId)}>
      <Published text={orderId} shown={40} isPressable={false} /> <small>{merchant}</small>
    </Link>
  );
}

export const orderPath = (merchant: string, orderId: string): string =>
  `/orders/${encodeURIComponent(merchant)}/${encodeURIComponent(orderId)}`;
