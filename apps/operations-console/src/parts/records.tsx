import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Published } from '../text/published.js';

export interface Column<T> {
  name: string;
  of: (row: T) => ReactNode;
  isNumber?: boolean;
}

/** A list of rows as a table; on a phone each row is a card. */
export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}) {
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

export function OrderLink({ merchant, orderId }: { merchant?: string | undefined; orderId?: string | undefined }) {
  if (merchant === undefined || orderId === undefined) return <span className="none">{merchant ?? 'none named'}</span>;
  return (
    <Link data-row href={`/orders/${encodeURIComponent(merchant)}/${encodeURIComponent(orderId)}`}>
      <Published text={orderId} shown={40} isPressable={false} /> <small>{merchant}</small>
    </Link>
  );
}
