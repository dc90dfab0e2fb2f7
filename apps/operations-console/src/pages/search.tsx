import { useOrders, type OrdersQuery } from '../api/reads.js';
import { useSettled, useTitle } from '../parts/hooks.js';
import { Choice, Field } from '../parts/fields.js';
import { Status, When } from '../parts/parts.js';
import { dayOf, merchantOf, useFilter } from '../parts/query.js';
import { OrderLink, PagedTable } from '../parts/records.js';
import { amountOf, money, spaced } from '../text/format.js';

const STATUSES = Object.fromEntries(
  [
    ...['', 'in_doubt', 'in_progress', 'redirect_required', 'pending', 'authorized', 'captured', 'partly_refunded'],
    ...['refunded', 'voided', 'refused', 'rejected', 'not_executed', 'given_up', 'expired', 'external', 'frozen'],
  ].map((status) => [status, spaced(status) || 'any']),
);

/** Finds orders by what a person has in hand: a number, its beginning, a TRANSACTIONID, or the id of a command. */
export function Search() {
  useTitle('Search');
  const [given, set] = useFilter();
  const query = useSettled(JSON.stringify(queryOf(given)), 200);
  const asked = useOrders(JSON.parse(query) as OrdersQuery);
  return (
    <>
      <h1>Search</h1>
      <div className="search-line">
        <input
          data-search
          autoFocus
          type="search"
          aria-label="Order, its beginning, merchant/order, TRANSACTIONID or id of a command"
          placeholder="Order, its beginning, merchant/order, TRANSACTIONID or id of a command"
          value={given('q')}
          maxLength={160}
          onChange={({ target }) => set('q', target.value)}
        />
      </div>
      <div className="filters" role="group" aria-label="Filter">
        <Field isInline label="Merchant" size={12} value={given('merchant')} onText={(text) => set('merchant', text)} />
        <Choice
          className="inline"
          label="Status"
          of={STATUSES}
          value={given('status')}
          onChoice={(status) => set('status', status)}
        />
        <Field
          isInline
          label="Amount"
          placeholder="12.50 EUR, or 1250"
          size={16}
          aria-invalid={given('amount') !== '' && amountOf(given('amount')) === undefined}
          value={given('amount')}
          onText={(text) => set('amount', text)}
        />
        <Field isInline label="Changed since" type="date" value={given('from')} onText={(text) => set('from', text)} />
      </div>
      <PagedTable
        {...{ asked, label: 'Orders', one: 'order' }}
        rowsOf={({ orders }) => orders}
        keyOf={({ merchant, orderId }) => `${merchant}/${orderId}`}
        empty="No order is found. A beginning is enough: the first characters of its number."
        columns={[
          { name: 'Order', of: (row) => <OrderLink {...row} /> },
          { name: 'Status', of: ({ status }) => <Status status={status} /> },
          { name: 'Last change', of: ({ movedAt }) => <When at={movedAt} /> },
          {
            name: 'Amount',
            isNumber: true,
            of: ({ amount, currency }) => amount !== undefined && money(amount, currency),
          },
        ]}
      />
    </>
  );
}

function queryOf(given: (name: string) => string): OrdersQuery {
  const [q, status, amount, from] = [given('q').trim(), given('status'), given('amount'), given('from')];
  return {
    ...(q !== '' && { q }),
    ...merchantOf(given('merchant')),
    ...(status !== '' && { status }),
    ...amountOf(amount),
    ...dayOf('from', from),
  };
}
