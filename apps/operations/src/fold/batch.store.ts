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
  next: bigint;
}

type Value = string | number | bigint | null | undefined;
/** One parameter of a statement, which casts it: texts of PostgreSQL hold no NUL. */
const column = <T>(rows: readonly T[], of: (row: T) => Value): (string | null)[] =>
  rows.map((row) => of(row)?.toString().replaceAll('\0', '\uFFFD') ?? null);

/** JSON of PostgreSQL holds neither NUL nor half of a surrogate pair. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'string' ? one.replace(/[\0\p{Surrogate}]/gu, '\uFFFD') : one,
  );

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
    const { rows, orders = new Map<string, OrderState>(), next } = written;
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
    return orders.count + records.count;
  }
}

// Parts of the statement; each does nothing where the position was another one.

const insertRecords = (sql: Sql, { topic, partition }: Place, rows: readonly RecordRow[]): Fragment => sql`
  noted as (
    insert into records (topic, partition, "offset", key, merchant, at, kind, hash, body)
    select ${topic}, ${partition}::int, "offset"::bigint, key, merchant, at::timestamptz, kind, hash, body::jsonb
    from unnest(
      ${column(rows, ({ offset }) => offset)}::text[],
      ${column(rows, ({ key }) => key)}::text[],
      ${column(rows, ({ merchant }) => merchant)}::text[],
      ${column(rows, ({ at }) => timeText(at))}::text[],
      ${column(rows, ({ kind }) => kind)}::text[],
      ${column(rows, ({ hash }) => hash)}::text[],
      ${column(rows, ({ body }) => jsonText(body))}::text[]
    ) as t("offset", key, merchant, at, kind, hash, body)
    where exists (select from moved)
  )`;

function putOrders(sql: Sql, partition: number, orders: ReadonlyMap<string, OrderState>): Fragment {
  const all = [...orders].map(([key, state]) => ({ key, state, columns: columnsOf(state) }));
  const known = all.flatMap(({ columns, ...row }) => (columns === undefined ? [] : [{ ...row, ...columns }]));
  // The journal forgot these: the next record begins anew, and what was known stays to be looked at.
  const forgotten = all.filter(({ columns }) => columns === undefined);
  return sql`
  put as (
    insert into orders (key, merchant, order_id, partition, status, currency, amount, began_at, moved_at, last_offset, names, state)
    select key, merchant, order_id, ${partition}::int, status, currency, amount::bigint, began_at::timestamptz,
      moved_at::timestamptz, last_offset::bigint, array(select jsonb_array_elements_text(names::jsonb)), state::jsonb
    from unnest(
      ${column(known, ({ key }) => key)}::text[],
      ${column(known, ({ state }) => state.merchant)}::text[],
      ${column(known, ({ state }) => state.orderId)}::text[],
      ${column(known, ({ status }) => status)}::text[],
      ${column(known, ({ currency }) => currency)}::text[],
      ${column(known, ({ amount }) => amount)}::text[],
      ${column(known, ({ state: { beganAt } }) => (beganAt === undefined ? null : timeText(beganAt)))}::text[],
      ${column(known, ({ state }) => timeText(state.movedAt))}::text[],
      ${column(known, ({ state }) => state.lastOffset)}::text[],
      ${column(known, ({ names }) => jsonText(names))}::text[],
      ${column(known, ({ state }) => jsonText(state))}::text[]
    ) as t(key, merchant, order_id, status, currency, amount, began_at, moved_at, last_offset, names, state)
    where exists (select from moved)
    on conflict (key) do update set
      status = excluded.status, currency = excluded.currency, amount = excluded.amount, began_at = excluded.began_at,
      moved_at = excluded.moved_at, last_offset = excluded.last_offset, names = excluded.names, state = excluded.state,
      updated_at = now()
  ), emptied as (
    update orders set state = t.state::jsonb, updated_at = now()
    from unnest(
      ${column(forgotten, ({ key }) => key)}::text[],
      ${column(forgotten, ({ state }) => jsonText(state))}::text[]
    ) as t(key, state)
    where orders.key = t.key and exists (select from moved)
  )`;
}

function putAttention(sql: Sql, orders: ReadonlyMap<string, OrderState>): Fragment {
  const rows = [...orders].flatMap(([key, order]) => attentionOf(order).map((one) => ({ key, order, ...one })));
  return sql`
  wanted as (
    select key, id, kind, merchant, order_id, since::timestamptz, open_from::timestamptz, act_by::timestamptz,
      urgent_at::timestamptz, amount::bigint, currency, body::jsonb
    from unnest(
      ${column(rows, ({ key }) => key)}::text[],
      ${column(rows, ({ id }) => id)}::text[],
      ${column(rows, ({ kind }) => kind)}::text[],
      ${column(rows, ({ order }) => order.merchant)}::text[],
      ${column(rows, ({ order }) => order.orderId)}::text[],
      ${column(rows, ({ since }) => timeText(since))}::text[],
      ${column(rows, ({ openFrom }) => timeText(openFrom))}::text[],
      ${column(rows, ({ actBy }) => actBy)}::text[],
      ${column(rows, ({ urgentAt }) => timeText(urgentAt))}::text[],
      ${column(rows, ({ amount }) => amount)}::text[],
      ${column(rows, ({ currency }) => currency)}::text[],
      ${column(rows, ({ body }) => jsonText(body))}::text[]
    ) as t(key, id, kind, merchant, order_id, since, open_from, act_by, urgent_at, amount, currency, body)
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
