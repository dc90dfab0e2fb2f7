import { useState } from 'react';
import { useRecords, type RecordsPath } from '../api/reads.js';
import type { Schema } from '../api/client.js';
import { useTitle } from '../parts/hooks.js';
import { Field } from '../parts/fields.js';
import { When } from '../parts/parts.js';
import { dayOf, merchantOf, useFilter } from '../parts/query.js';
import { OrderLink, PagedTable, type Column } from '../parts/records.js';
import { Fields, flat } from '../order/record.js';
import { spaced } from '../text/format.js';
import { Published } from '../text/published.js';

type Row = Schema['Records']['entries'][number];

const text = ({ body }: Row, name: string) => {
  const value = body[name];
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
};
/** An empty cell is not shown on a phone. */
const said = (row: Row, ...names: string[]) => {
  const found = names.map((name) => text(row, name)).find((one) => one !== '');
  return found && <Published text={found} />;
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
    columns={[at, order, kind('Why'), { name: 'Says', of: (row) => said(row, 'message') }, todo, all]}
  />
);
export const Quarantine = () => (
  <Records
    path="/v1/quarantine"
    title="Quarantine"
    about="Notifications that were not believed: forged, or made with a key that we do not have. They count for nothing."
    columns={[
      at,
      { name: 'Merchant', of: (row) => row.merchant ?? 'none named' },
      kind('Why'),
      { name: 'Says', of: (row) => said(row, 'why') },
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
    isAudit
    columns={[
      at,
      { name: 'Who', of: (row) => said(row, 'operator', 'person') },
      kind('Action'),
      order,
      { name: 'Came to', of: (row) => said(row, 'result', 'outcome') },
      all,
    ]}
  />
);

interface RecordsProps {
  path: RecordsPath;
  title: string;
  about: string;
  /** The entries that change something are shown, unless a person asks for all; who and when can be asked for. */
  isAudit?: true;
  columns: readonly Column<Row>[];
}

function Records({ path, title, about, isAudit, columns }: RecordsProps) {
  useTitle(title);
  const [of, set] = useFilter();
  const [merchant, kindOf, isAll] = [of('merchant'), of('kind'), of('all') !== ''];
  const asked = useRecords(path, {
    ...merchantOf(merchant),
    ...(isAudit && { deeds: isAll ? 'false' : 'true', ...personOf(of('person')) }),
    ...(isAudit && { ...dayOf('from', of('from')), ...dayOf('to', of('to')) }),
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
        <Field
          isInline
          label={isAudit ? 'Action' : 'Why'}
          placeholder={isAudit ? 'resolution.submit' : undefined}
          size={18}
          value={kindOf}
          onText={(text) => set('kind', text)}
        />
        {isAudit && (
          <>
            <Field isInline label="Who" size={12} value={of('person')} onText={(text) => set('person', text)} />
            <Field isInline label="Since" type="date" value={of('from')} onText={(text) => set('from', text)} />
            <Field isInline label="Until" type="date" value={of('to')} onText={(text) => set('to', text)} />
            <label className="inline">
              <input
                type="checkbox"
                checked={isAll}
                onChange={({ target }) => set('all', target.checked ? 'yes' : '')}
              />{' '}
              also looks and refusals
            </label>
          </>
        )}
      </div>
      <PagedTable
        {...{ asked, columns, label: title, one: 'record' }}
        rowsOf={({ entries }) => entries}
        keyOf={(row) => `${row.partition}/${row.offset}`}
        empty={`None${['merchant', 'kind', 'person', 'from', 'to'].some((name) => of(name) !== '') ? ' of this kind' : ''}.`}
      />
    </>
  );
}

const personOf = (text: string): { person?: string } =>
  /^[\x21-\x7e]{1,128}$/.test(text.trim()) ? { person: text.trim() } : {};

function Whole({ row }: { row: Row }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="link"
        aria-expanded={isOpen}
        title={`Partition ${row.partition}, offset ${row.offset}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? 'Hide' : 'Show'}
      </button>
      {isOpen && <Fields of={flat(row.body).map(([name, value]) => ({ name, value }))} />}
    </>
  );
}
