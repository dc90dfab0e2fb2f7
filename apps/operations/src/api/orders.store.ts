import { Injectable } from '@nestjs/common';
import { orderKey, parseOrderKey, TOPICS } from '@tranche/contracts';
import type { OrderState } from '@tranche/order-journal';
import { compact } from '@tranche/runtime';
import { Problem } from '@tranche/service-kit';
import { Database, type Fragment } from '../database/database.service.js';
import { closingOf, isDeed, isOpen } from '../fold/stored-rows.js';
import { pageOf, placeOf } from './cursor.js';
import { todoOf } from './todo.js';
import type { AuditQuery, OrdersQuery, QuarantineQuery, RecordsQuery } from './queries.js';

interface ListedOrder {
  key: string;
  merchant: string;
  order_id: string;
  status: string;
  currency: string | null;
  amount: string | null;
  moved_at: Date;
  moved: string;
}

interface KeptOrder {
  state: OrderState;
  partition: number;
  status: string;
  movedAt: string;
  /** Position of the order's partition: all records before are in the state. */
  next: string;
}

export interface KeptRecord {
  topic: string;
  partition: number;
  offset: string;
  at: string;
  kind: string;
  hash: string | null;
  body: Record<string, unknown>;
}

/** Sorts behind every text that an orderId goes on with: orderIds are compared by their bytes. */
const LAST = '\u{10FFFF}';
/** Changes of one read. */
const MOST_CHANGES = 5_000;
/** Records of one order that are shown at most. */
const RECORDS_OF_ORDER = 5_000;

@Injectable()
export class OrdersStore {
  constructor(private readonly database: Database) {}

  async search(query: OrdersQuery, visible: readonly string[] | undefined) {
    const { q, status, amount, currency, from, to, limit, cursor } = query;
    const { sql } = this.database;
    const after = placeOf(cursor, 2);
    const rows = await sql<ListedOrder[]>`
      select key, merchant, order_id, status, currency, amount, moved_at, moved_at::text as moved from orders
      where ${this.database.ofMerchants(visible)}
        ${q === undefined ? sql`` : sql`and key = any(array(${this.#found(q, visible)}))`}
        ${status === undefined ? sql`` : sql`and status = ${status}`}
        ${amount === undefined ? sql`` : sql`and amount = ${amount}`}
        ${currency === undefined ? sql`` : sql`and currency = ${currency}`}
        ${from === undefined ? sql`` : sql`and moved_at >= ${from}::text::timestamptz`}
        ${to === undefined ? sql`` : sql`and moved_at <= ${to}::text::timestamptz`}
        ${after ? sql`and (moved_at, key) < (${after[0]!}::text::timestamptz, ${after[1]!})` : sql``}
      order by moved_at desc, key desc limit ${limit + 1}`;
    const { page, next } = pageOf(rows, limit, ({ moved, key }) => [moved, key]);
    return compact({ orders: page.map(listedOrder), next });
  }

  /** Keys of the orders that the text names, or that begin with it; a beginning finds so many at most. */
  #found(q: string, visible: readonly string[] | undefined): Fragment {
    const { sql } = this.database;
    const named = parseOrderKey(q) ? [q] : [];
    return sql`
      select key from orders where key = any(${named})
      union select key from orders where names @> array[${q}]::text[]
      union (select key from orders where order_id >= ${q} and order_id < ${q + LAST} and ${this.database.ofMerchants(visible)} limit 1000)`;
  }

  /** @throws Problem 404 */
  async order(merchant: string, orderId: string): Promise<KeptOrder> {
    const { sql } = this.database;
    const [row] = await sql<{ state: OrderState; partition: number; status: string; moved_at: Date; next: string }[]>`
      select state, orders.partition, status, moved_at, next from orders
      join positions on positions.topic = ${TOPICS.journal.name} and positions.partition = orders.partition
      where key = ${keyOf(merchant, orderId)}`;
    if (!row) throw unknownOrder();
    const { state, partition, status, moved_at: movedAt, next } = row;
    return { state, partition, status, movedAt: movedAt.toISOString(), next };
  }

  /** All that is kept of an order, the oldest first; of the journal in its own order. */
  async recordsOf(merchant: string, orderId: string): Promise<KeptRecord[]> {
    const { sql } = this.database;
    const rows = await sql<(Omit<KeptRecord, 'at'> & { at: Date })[]>`
      select topic, partition, "offset", at, kind, hash, body from records
      where key = ${keyOf(merchant, orderId)} order by topic, partition, "offset" limit ${RECORDS_OF_ORDER}`;
    return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
  }

  /** A page of one topic's records, the newest first; of the quarantine, those that are closed or those that are open; of the audit, all or deeds. */
  async listed(
    topic: string,
    query: RecordsQuery | QuarantineQuery | AuditQuery,
    visible: readonly string[] | undefined,
  ) {
    const { sql } = this.database;
    const { kind, orderId, merchant, limit, cursor, person, from, to }: RecordsQuery & Partial<AuditQuery> = query;
    const isClosed = 'closed' in query && query.closed === 'true';
    const isDeeds = 'deeds' in query && query.deeds === 'true';
    const after = placeOf(cursor, 3);
    const ofOrder = orderId !== undefined && merchant !== undefined ? orderKey(merchant, orderId) : undefined;
    const rows = await sql<
      {
        partition: number;
        offset: string;
        key: string | null;
        merchant: string;
        at: Date;
        moment: string;
        kind: string;
        body: object;
        closed: object | null;
      }[]
    >`
      select partition, "offset", key, merchant, at, at::text as moment, kind, body,
        ${isClosed ? sql`(select closing.body from ${closingOf(sql)} limit 1)` : sql`null`} as closed from records
      where topic = ${topic} and ${this.database.ofMerchants(visible)}
        and ${isClosed ? sql`exists (select from ${closingOf(sql)})` : isOpen(sql)}
        ${isDeeds ? sql`and ${isDeed(sql)}` : sql``}
        ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
        ${person === undefined ? sql`` : sql`and body ->> 'operator' = ${person}`}
        ${from === undefined ? sql`` : sql`and at >= ${from}::text::timestamptz`}
        ${to === undefined ? sql`` : sql`and at <= ${to}::text::timestamptz`}
        ${ofOrder === undefined ? sql`` : sql`and key = ${ofOrder}`}
        ${ofOrder === undefined && orderId !== undefined ? sql`and key like ${`%/${orderId.replace(/[\\%_]/g, String.raw`\$&`)}`}` : sql``}
        ${after ? sql`and (at, partition, "offset") < (${after[0]!}::text::timestamptz, ${after[1]!}::text::int, ${after[2]!}::text::bigint)` : sql``}
      order by at desc, partition desc, "offset" desc limit ${limit + 1}`;
    const { page, next } = pageOf(rows, limit, (last) => [last.moment, String(last.partition), last.offset]);
    const entries = page.map(({ key, at, moment: _moment, ...entry }) => {
      const id = `${entry.partition}-${entry.offset}`;
      return compact({
        ...{ id, ...entry, merchant: entry.merchant || undefined, at: at.toISOString() },
        ...{ orderId: parseOrderKey(key ?? '')?.orderId, closed: entry.closed ?? undefined },
        todo: todoOf(topic, { ...entry, id }),
      });
    });
    return compact({ entries, next });
  }

  /**
   * Orders that changed behind a place, and the next place; from now on without one. A change is told once every transaction that began
   * before it has ended, so none is told later that would lie before the place.
   */
  async changedBehind(place: readonly string[] | undefined): Promise<{ place: string[]; orders: ChangedOrder[] }> {
    const { sql } = this.database;
    const [snapshot] = await sql<{ oldest: string }[]>`select pg_snapshot_xmin(pg_current_snapshot())::text as oldest`;
    const { oldest } = snapshot!;
    const rows = place
      ? await sql<(ListedOrder & { last_offset: string; changed: string })[]>`
          select key, merchant, order_id, status, currency, amount, moved_at, moved_at::text as moved, last_offset,
            changed::text from orders
          where (changed, key) > (${place[0]!}::text::xid8, ${place[1]!}) and changed < ${oldest}::text::xid8
          order by orders.changed, key limit ${MOST_CHANGES}`
      : [];
    const last = rows.length < MOST_CHANGES ? undefined : rows.at(-1)!;
    return {
      place: last ? [last.changed, last.key] : [oldest, ''],
      orders: rows.map((row) => ({ ...listedOrder(row), lastOffset: row.last_offset })),
    };
  }

  /** Merchants for which people decided or proposed something since the place: no order need have changed by it. */
  async decidedBehind(place: readonly string[] | undefined): Promise<{ place: string[]; merchants: string[] }> {
    const { sql } = this.database;
    const topic = TOPICS.operationsAudit.name;
    const positions = await sql<{ partition: number; next: string }[]>`
      select partition, next::text from positions where topic = ${topic} order by partition`;
    const next = positions.map((one) => one.next);
    if (place?.length !== next.length) return { place: next, merchants: [] };
    const moved = positions.filter((one, index) => one.next !== place[index]);
    const rows = await Promise.all(
      moved.map(
        ({ partition }) => sql<{ merchant: string }[]>`
          select distinct merchant from records where topic = ${topic} and partition = ${partition}
            and "offset" >= ${place[positions.findIndex((one) => one.partition === partition)]!}::text::bigint
            and kind not like '%.read'`,
      ),
    );
    return { place: next, merchants: rows.flat().map(({ merchant }) => merchant) };
  }
}

const listedOrder = ({ merchant, order_id: orderId, status, currency, amount, moved_at }: ListedOrder) =>
  compact({
    ...{ merchant, orderId, status, movedAt: moved_at.toISOString() },
    ...{ currency: currency ?? undefined, amount: amount === null ? undefined : Number(amount) },
  });

export type ChangedOrder = ReturnType<typeof listedOrder> & { lastOffset: string };

export const unknownOrder = (): Problem =>
  new Problem({ status: 404, code: 'order_unknown', detail: 'Nothing is kept of this order.' });

function keyOf(merchant: string, orderId: string): string {
  const key = orderKey(merchant, orderId);
  if (parseOrderKey(key) === undefined) throw unknownOrder();
  return key;
}
