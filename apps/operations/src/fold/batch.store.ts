import { Injectable } from '@nestjs/common';
import type { OrderState } from '@tranche/order-journal';
import { Database, type Fragment, type Sql } from '../database/database.service.js';
import { attentionOf } from './attention.js';
import { columnsOf } from './journal-fold.js';
import type { RecordRow } from './stored-rows.js';

export interface Place {
  topic: string;
  partition: number;
}

/** Another process wrote meanwhile: it goes on at `next`. */
export class MovedOnError extends Error {
  override name = 'MovedOnError';
  constructor(readonly next: bigint) {
    super(`Another instance has written up to ${next}`);
  }
}

export interface Written {
  rows: RecordRow[];
  /** States after the batch; none for topics that are only listed. */
  orders?: ReadonlyMap<string, OrderState>;
  /** A further part of the statement, of a topic with tables of its own. */
  also?: (sql: Sql) => Fragment;
  next: bigint;
}

/** Older rows are never shown. */
export const CALLS_KEPT_HOURS = 2;

const HALVES = /[\0\p{Surrogate}]/gu;
/** JSON of PostgreSQL holds neither NUL nor half of a surrogate pair. Rows are one parameter of a statement. */
export const jsonText = (value: unknown): string => {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d)/.test(text)) return text;
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? one.replace(HALVES, '\uFFFD') : one));
};

/** A time that can't be read is the beginning of time, so that it stops nothing. */
const timeText = (text: string | undefined): string => {
  const ms = Date.parse(text ?? '');
  return new Date(Number.isNaN(ms) ? 0 : ms).toISOString();
};

/** Writes what was read of Kafka. A batch is one statement, which compares its position and moves it (docs/decisions/0111). */
@Injectable()
export class BatchStore {
  constructor(private readonly database: Database) {}

  async positions(): Promise<Map<string, bigint>> {
    const rows = await this.database.sql<{ topic: string; partition: number; next: string }[]>`
      select topic, partition, next from positions`;
    return new Map(rows.map(({ topic, partition, next }) => [`${topic}/${partition}`, BigInt(next)]));
  }

  /** @throws MovedOnError where the position is not `from`: nothing was written */
  async write(
    { topic, partition }: Place,
    from: bigint,
    make: (stateOf: (keys: readonly string[]) => Promise<Map<string, OrderState>>) => Promise<Written>,
  ): Promise<Written> {
    const { sql } = this.database;
    const written = await make((keys) => this.#statesOf(keys));
    const { rows, orders = new Map<string, OrderState>(), also, next } = written;
    // The states that were read are those of `from`, or the position has moved, and nothing is written.
    const [moved] = await sql`
      with moved as (
        insert into positions (topic, partition, next) values (${topic}, ${partition}, ${String(next)})
        on conflict (topic, partition) do update set next = excluded.next where positions.next = ${String(from)}
        returning next
      ),
      ${insertRecords(sql, { topic, partition }, rows)},
      ${putOrders(sql, partition, orders)},
      ${putAttention(sql, orders)}
      ${also ? sql`, ${also(sql)}` : sql``}
      select next from moved`;
    if (moved !== undefined) return written;
    const positions = await this.positions();
    throw new MovedOnError(positions.get(`${topic}/${partition}`) ?? from);
  }

  /** Forgets a partition of the journal, whose log lost records that were not read: what is left is folded anew. */
  async rebuild({ topic, partition }: Place, next: bigint): Promise<void> {
    const place = `topic = '${topic}' and partition = ${partition}`;
    await this.database.atomically(
      `select 1 from positions where ${place} for update`,
      `delete from attention where key in (select key from orders where partition = ${partition})`,
      `delete from orders where partition = ${partition}`,
      `delete from records where ${place} and "offset" >= ${next}`,
      `insert into positions (topic, partition, next) values ('${topic}', ${partition}, ${next})
       on conflict (topic, partition) do update set next = excluded.next`,
    );
  }

  async #statesOf(keys: readonly string[]): Promise<Map<string, OrderState>> {
    const rows = await this.database.sql<{ key: string; state: OrderState }[]>`
      select key, state from orders where key = any(${[...new Set(keys)]})`;
    return new Map(rows.map(({ key, state }) => [key, state]));
  }

  /** Deletes some of what is older than is kept. Resolves to the number of rows. */
  async forget(keepDays: number, most = 5_000): Promise<number> {
    const { sql } = this.database;
    const orders = await sql`
      delete from orders where key in (
        select key from orders
        where moved_at < now() - make_interval(days => ${keepDays})
          and not exists (select 1 from attention where attention.key = orders.key)
        limit ${most})`;
    const records = await sql`
      delete from records where (topic, partition, "offset") in (
        select topic, partition, "offset" from records
        where at < now() - make_interval(days => ${keepDays})
          and not exists (select 1 from orders where orders.key = records.key)
        limit ${most})`;
    await sql`
      with gone as (
        delete from jobs where created_at < now() - make_interval(days => ${keepDays}) returning id
      ) delete from job_items where job in (select id from gone)`;
    await sql`delete from export_rows where made_at < now() - interval '1 day'`;
    await sql`delete from calls where minute < now() - make_interval(hours => ${CALLS_KEPT_HOURS})`;
    return orders.count + records.count;
  }
}

// Parts of the statement; each does nothing where the position was another one.

const insertRecords = (sql: Sql, { topic, partition }: Place, rows: readonly RecordRow[]): Fragment => sql`
  noted as (
    insert into records (topic, partition, "offset", key, merchant, at, kind, hash, body)
    select ${topic}, ${partition}::int, t.*
    from json_to_recordset(${jsonText(rows.map((row) => ({ ...row, offset: String(row.offset), at: timeText(row.at) })))}::text::json)
      as t("offset" bigint, key text, merchant text, at timestamptz, kind text, hash text, body jsonb)
    where exists (select from moved)
  )`;

function putOrders(sql: Sql, partition: number, orders: ReadonlyMap<string, OrderState>): Fragment {
  const known: object[] = [];
  // The journal forgot these: the next record begins anew, and what was known stays to be looked at.
  const forgotten: object[] = [];
  for (const [key, state] of orders) {
    const { merchant, orderId: order_id, beganAt, movedAt, lastOffset: last_offset } = state;
    const columns = columnsOf(state);
    const times = { began_at: beganAt && timeText(beganAt), moved_at: timeText(movedAt) };
    if (columns === undefined) forgotten.push({ key, state });
    else known.push({ key, merchant, order_id, ...columns, ...times, last_offset, state });
  }
  return sql`
  put as (
    insert into orders (key, merchant, order_id, partition, status, currency, amount, began_at, moved_at, last_offset, names, state)
    select key, merchant, order_id, ${partition}::int, status, currency, amount, began_at, moved_at, last_offset, names, state
    from json_to_recordset(${jsonText(known)}::text::json)
      as t(key text, merchant text, order_id text, status text, currency text, amount bigint, began_at timestamptz,
        moved_at timestamptz, last_offset bigint, names text[], state jsonb)
    where exists (select from moved)
    on conflict (key) do update set
      status = excluded.status, currency = excluded.currency, amount = excluded.amount, began_at = excluded.began_at,
      moved_at = excluded.moved_at, last_offset = excluded.last_offset, names = excluded.names, state = excluded.state,
      changed = pg_current_xact_id()
  ), emptied as (
    update orders set state = t.state, changed = pg_current_xact_id()
    from json_to_recordset(${jsonText(forgotten)}::text::json) as t(key text, state jsonb)
    where orders.key = t.key and exists (select from moved)
  )`;
}

function putAttention(sql: Sql, orders: ReadonlyMap<string, OrderState>): Fragment {
  const rows = [...orders].flatMap(([key, order]) =>
    attentionOf(order).map(({ since, openFrom, actBy, urgentAt, ...one }) => ({
      ...{ key, ...one, merchant: order.merchant, order_id: order.orderId, act_by: actBy },
      ...{ since: timeText(since), open_from: timeText(openFrom), urgent_at: timeText(urgentAt) },
    })),
  );
  return sql`
  wanted as (
    select * from json_to_recordset(${jsonText(rows)}::text::json)
      as t(key text, id text, kind text, merchant text, order_id text, since timestamptz, open_from timestamptz,
        act_by timestamptz, urgent_at timestamptz, amount bigint, currency text, body jsonb)
    where exists (select from moved)
  ), gone as (
    delete from attention where key = any(${[...orders.keys()]}) and exists (select from moved)
      and (key, kind, id) not in (select key, kind, id from wanted)
  ), listed as (
    insert into attention (key, id, kind, merchant, order_id, since, open_from, act_by, urgent_at, amount, currency, body)
    select * from wanted
    on conflict (key, kind, id) do update set
      since = excluded.since, open_from = excluded.open_from, act_by = excluded.act_by, urgent_at = excluded.urgent_at,
      amount = excluded.amount, currency = excluded.currency, body = excluded.body
  )`;
}
