import { useState } from 'react';
import { useRecords, type RecordsPath } from '../api/reads.js';
import type { Schema } from '../api/client.js';
import { useTitle } from '../parts/hooks.js';
import { Field } from '../parts/fields.js';
import { When } from '../parts/parts.js';
import { merchantOf, useFilter } from '../parts/query.js';
import { OrderLink, PagedTable, type Column } from '../parts/records.js';
import { flat } from '../order/record.js';
import { spaced } from '../text/format.js';
import { Published } from '../text/published.js';

type Row = Schema['Records']['entries'][number];

const text = ({ body }: Row, name: string) => {
  const value = (body as Record<string, unknown>)[name];
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
};
const at: Column<Row> = { name: 'When', of: (row) => <When at={row.at} /> };
const order: Column<Row> = { name: 'Order', of: (row) => <OrderLink merchant={row.merchant} orderId={row.orderId} /> };
const kind = (name: string): Column<Row> => ({
  name,
  of: (row) => <Published text={spaced(row.kind).replaceAll('.', ' ')} shown={60} />,
});
const todo: Column<Row> = { name: 'To do', of: (row) => <Published text={row.todo ?? ''} shown={300} /> };
const all: Column<Row> = { name: 'Record', of: (row) => <Whole row={row} /> };

export const DeadLetters = () => (
  <Records
    path="/v1/dead-letters"
    title="Dead letters"
    about="Commands that were not taken. What was asked was not done; the shop was not told."
    columns={[
      at,
      order,
      kind('Why'),
      { name: 'Says', of: (row) => <Published text={text(row, 'message')} /> },
      todo,
      all,
    ]}
  />
);
export const Quarantine = () => (
  <Records
    path="/v1/quarantine"
    title="Quarantine"
    about="Notifications that were not believed. A wrong key, or a forgery."
    columns={[
      at,
      { name: 'Merchant', of: (row) => row.merchant ?? 'none named' },
      kind('Why'),
      { name: 'Says', of: (row) => <Published text={text(row, 'why')} /> },
      todo,
      all,
    ]}
  />
);
export const Audit = () => (
  <Records
    path="/v1/audit"
    title="Audit"
    about="What operators did at the gateway, the newest first."
    hasDeeds
    columns={[
      at,
      { name: 'Who', of: (row) => <Published text={text(row, 'operator') || text(row, 'person')} /> },
      kind('Action'),
      order,
      { name: 'Came to', of: (row) => <Published text={text(row, 'result') || text(row, 'outcome')} /> },
      all,
    ]}
  />
);

interface RecordsProps {
  path: RecordsPath;
  title: string;
  about: string;
  /** The entries that change something are shown, unless a person asks for all. */
  hasDeeds?: true;
  columns: readonly Column<Row>[];
}

function Records({ path, title, about, hasDeeds, columns }: RecordsProps) {
  useTitle(title);
  const [of, set] = useFilter();
  const [merchant, kindOf, isAll] = [of('merchant'), of('kind'), of('all') !== ''];
  const asked = useRecords(path, {
    ...merchantOf(merchant),
    ...(hasDeeds && { deeds: isAll ? 'false' : 'true' }),
    ...(/^[a-z][a-z0-9_.-]{0,63}$/.test(kindOf) && { kind: kindOf }),
  });
  return (
    <>
      <h1>{title}</h1>
      <p className="about">{about}</p>
      <div className="filters" role="group" aria-label="Filter">
        <Field
          isInline
          data-search
          label="Merchant"
          size={14}
          value={merchant}
          onText={(text) => set('merchant', text)}
        />
        <Field isInline label="Why" size={18} value={kindOf} onText={(text) => set('kind', text)} />
        {hasDeeds && (
          <label className="inline">
            <input type="checkbox" checked={isAll} onChange={({ target }) => set('all', target.checked ? 'yes' : '')} />{' '}
            also looks and refusals
          </label>
        )}
      </div>
      <PagedTable
        {...{ asked, columns, label: title, one: 'record' }}
        rowsOf={({ entries }) => entries}
        keyOf={(row) => `${row.partition}/${row.offset}`}
        empty={`None${merchant || kindOf ? ' of this kind' : ''}.`}
      />
    </>
  );
}

function Whole({ row }: { row: Row }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {row.partition}/{row.offset}
      </button>
      {isOpen && (
        <dl className="fields">
          {flat(row.body).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Published text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
