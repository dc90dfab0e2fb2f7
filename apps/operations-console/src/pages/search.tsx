import { useOrders, type OrdersQuery } from '../api/reads.js';
import { useSettled, useTitle } from '../parts/hooks.js';
import { Answer, Empty, More, Status, When } from '../parts/parts.js';
import { merchantOf, useFilter } from '../parts/query.js';
import { OrderLink, Table } from '../parts/records.js';
import { money, spaced } from '../text/format.js';

const STATUSES = [
  ...[
    'in_doubt',
    'in_progress',
    'redirect_required',
    'pending',
    'authorized',
    'captured',
    'partly_refunded',
    'refunded',
  ],
  ...['voided', 'refused', 'rejected', 'not_executed', 'given_up', 'expired', 'external', 'frozen'],
];

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
        <label className="inline">
          Merchant
          <input value={given('merchant')} size={12} onChange={({ target }) => set('merchant', target.value.trim())} />
        </label>
        <label className="inline">
          Status
          <select value={given('status')} onChange={({ target }) => set('status', target.value)}>
            <option value="">any</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {spaced(status)}
              </option>
            ))}
          </select>
        </label>
        <label className="inline">
          Amount in minor units
          <input
            value={given('amount')}
            size={9}
            inputMode="numeric"
            onChange={({ target }) => set('amount', target.value.trim())}
          />
        </label>
        <label className="inline">
          Moved since
          <input type="date" value={given('from')} onChange={({ target }) => set('from', target.value)} />
        </label>
      </div>
      <Answer of={asked} what="orders">
        {({ pages }) => {
          const rows = pages.flatMap(({ orders }) => orders);
          if (rows.length === 0)
            return <Empty>No order is found. A beginning is enough: the first characters of its number.</Empty>;
          return (
            <>
              <Table
                label="Orders"
                rows={rows}
                keyOf={({ merchant, orderId }) => `${merchant}/${orderId}`}
                columns={[
                  { name: 'Order', of: (row) => <OrderLink {...row} /> },
                  { name: 'Status', of: ({ status }) => <Status status={status} /> },
                  { name: 'Moved', of: ({ movedAt }) => <When at={movedAt} /> },
                  {
                    name: 'Amount',
                    isNumber: true,
                    of: ({ amount, currency }) => (amount === undefined ? '' : money(amount, currency)),
                  },
                ]}
              />
              <More
                next={asked.hasNextPage ? () => void asked.fetchNextPage() : undefined}
                shown={rows.length}
                of="order"
                isBusy={asked.isFetchingNextPage}
              />
            </>
          );
        }}
      </Answer>
    </>
  );
}

function queryOf(given: (name: string) => string): OrdersQuery {
  const [q, status, amount, from] = [given('q').trim(), given('status'), given('amount'), given('from')];
  return {
    ...(q !== '' && { q }),
    ...merchantOf(given('merchant')),
    ...(status !== '' && { status }),
    ...(/^\d{1,12}$/.test(amount) && { amount: Number(amount) }),
    ...(/^\d{4}-\d\d-\d\d$/.test(from) && { from: new Date(`${from}T00:00:00`).toISOString() }),
  };
}
