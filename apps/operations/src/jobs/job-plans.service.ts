import { Injectable } from '@nestjs/common';
import { orderKey, TOPICS, type JobItem, type JobKind } from '@tranche/contracts';
import { assertMerchant, type OperatorIdentity } from '@tranche/operators';
import { Problem } from '@tranche/service-kit';
import { visibleTo } from '../api/operator.guard.js';
import { Database, type Fragment, type Sql } from '../database/database.service.js';
import { GatewayClient } from '../gateway/gateway.client.js';
import { OperationsConfig } from '../operations.config.js';
import { ExportRows } from './export-rows.store.js';
import { readExport, type ExportRow } from '../export/platform-export.js';
import { compareOrder, ownOf, rowTexts, type OurOperation } from './comparison.js';

export interface JobAsked {
  kind: JobKind;
  reason: string;
  merchant?: string;
  ids?: string[];
  csv?: string;
}
interface Planned {
  merchants: string[];
  /** In parts, so that a large plan is never in memory as a whole. */
  parts: AsyncIterable<Omit<JobItem, 'number'>[]>;
}

/** Orders that one statement reads, and dead letters of one plan. */
const ORDERS_AT_ONCE = 2_000;
const MOST_LETTERS = 1_000;
/** Questions to the gateway at a time. */
const ASKED_AT_ONCE = 8;
const REASON_LENGTH = 500;

interface Letter {
  partition: number;
  offset: string;
  merchant: string;
}
interface OrderRow {
  key: string;
  /** Those of the export. */
  rows: ExportRow[];
  operations: OurOperation[];
}
interface Doubt extends OrderRow {
  id: string;
  amount: string | null;
  body: { commandId: string; operation: string };
}

/** Makes plans: what is to be done with each item, and why. What the gateway judges, it is asked. */
@Injectable()
export class JobPlans {
  constructor(
    private readonly config: OperationsConfig,
    private readonly database: Database,
    private readonly gateway: GatewayClient,
    private readonly exported: ExportRows,
  ) {}

  /** @throws Problem 400, 403 or 422 before anything was begun */
  async plan(
    job: string,
    asked: JobAsked,
    operator: OperatorIdentity,
    authorization: string | undefined,
  ): Promise<Planned> {
    const { kind, merchant, ids, csv } = asked;
    const isReplay = kind === 'replay';
    const wrong = isReplay
      ? [...(csv === undefined ? [] : ['csv']), ...((ids ?? merchant) ? [] : ['ids'])]
      : [
          ...(csv === undefined ? ['csv'] : []),
          ...(merchant === undefined ? ['merchant'] : []),
          ...(ids ? ['ids'] : []),
        ];
    if (wrong.length > 0) throw wrongFields(kind, wrong);
    if (isReplay) return this.#replay(asked, operator, authorization);
    assertMerchant(operator, merchant!);
    await this.exported.take(job, readExport(csv!, merchant!, this.config.exportColumns));
    const parts = kind === 'reconcile' ? this.#compare(job, merchant!) : this.#doubts(job, asked, authorization);
    return { merchants: [merchant!], parts };
  }

  /** Once the parts were read, or an error came. What stays here is deleted a day later. */
  async dropRows(job: string): Promise<void> {
    await this.exported.drop(job).catch(() => undefined);
  }

  async #replay(
    { ids, merchant, reason }: JobAsked,
    operator: OperatorIdentity,
    authorization: string | undefined,
  ): Promise<Planned> {
    const { sql } = this.database;
    const topic = TOPICS.commandsDeadLetter.name;
    const visible = visibleTo(operator, merchant);
    const letters = await sql<Letter[]>`
      select partition, "offset", merchant from records
      where topic = ${topic} and ${this.database.ofMerchants(visible)}
        ${ids === undefined ? sql`` : sql`and partition || '-' || "offset" = any(${ids})`}
      order by at, partition, "offset" limit ${MOST_LETTERS + 1}`;
    const unknown = (ids ?? []).filter(
      (id) => !letters.some(({ partition, offset }) => `${partition}-${offset}` === id),
    );
    if (unknown.length > 0) throw wrongFields('replay', ['ids'], `There is no dead letter ${unknown.slice(0, 20).join(', ')}.`); // prettier-ignore
    if (letters.length > MOST_LETTERS) throw wrongFields('replay', ['ids'], `More than ${MOST_LETTERS} dead letters: name those that are meant.`); // prettier-ignore
    const judge = async ({ partition, offset }: Letter) => {
      const body = { topic, partition, offset, reason };
      const { status, said } = await this.#ask('/v1/replays?dryRun=true', body, authorization);
      const verdict = status === 200 ? String(said.verdict) : 'refused';
      return {
        key: `${partition}-${offset}`,
        verdict,
        why: String(status === 200 ? said.why : (said.detail ?? said.code)),
      };
    };
    return { merchants: [...new Set(letters.map((one) => one.merchant))], parts: inParts(letters, judge) };
  }

  /** Each order of the export, and then the orders that it does not have. */
  async *#compare(job: string, merchant: string): Planned['parts'] {
    const { sql } = this.database;
    const period = await this.exported.period(job);
    if (period === undefined) return;
    const prefix = orderKey(merchant, '');
    const compared = (rows: OrderRow[]) =>
      rows.flatMap(({ key, rows, operations }) => compareOrder(rows, operations, period).map((one) => ({ key, ...one })));
    yield* pages((last?: OrderRow) => sql<OrderRow[]>`
      select ${prefix} || order_id as key, json_agg(body order by line) as rows,
        coalesce((select ${OPERATIONS(sql)} from orders where key = ${prefix} || export_rows.order_id), '[]') as operations
      from export_rows where job = ${job} and order_id > ${last?.key.slice(prefix.length) ?? ''}
      group by order_id order by order_id limit ${ORDERS_AT_ONCE}`, compared);
    // '0' is the sign behind '/': the keys between are those of the merchant. A subselect and no join, because PostgreSQL does not know yet how many rows there are.
    yield* pages((last?: OrderRow) => sql<OrderRow[]>`
      select key, '[]'::json as rows, ${OPERATIONS(sql)} as operations from orders
      where key > ${last?.key ?? prefix} and key < ${`${merchant}0`} and moved_at >= ${period.from}::text::timestamptz
        and (select line from ${ROWS_OF_ORDER(sql, job)} limit 1) is null
      order by key limit ${ORDERS_AT_ONCE}`, compared);
  } // prettier-ignore

  /** Each doubt of the merchant, with its row of the export as evidence. */
  async *#doubts(job: string, { merchant, reason }: JobAsked, authorization: string | undefined): Planned['parts'] {
    const { sql } = this.database;
    const judge = async (doubt: Doubt) => {
      const { key, id, rows, operations, body } = doubt;
      const own = rows.filter((row) => ownOf(row, rows, operations)?.commandId === body.commandId);
      const [row] = own;
      if (row === undefined || own.length > 1) return { key, verdict: 'unclear', why: whyUnclear(rows, doubt) };
      if (row.outcome === 'open') return { key, verdict: 'unclear', why: `It still waits there (${row.execCode}).` };
      const said = resolutionOf(row, doubt, reason);
      const about = { operationId: id, said: JSON.stringify(said), ...rowTexts(row) };
      const answer = await this.#ask(`/v1/operations/${id}/resolve?dryRun=true`, said, authorization);
      if (answer.status !== 200) return { key, verdict: 'refused', why: String(answer.said.detail), about };
      const second = answer.said.approval as { why: string } | undefined;
      return second
        ? { key, verdict: 'propose', why: `A second person must approve: ${second.why}.`, about }
        : { key, verdict: 'resolve', why: `The platform has ${row.outcome} (${row.execCode}).`, about };
    };
    yield* pages((last?: Doubt) => sql<Doubt[]>`
      select attention.key, id, attention.amount, attention.body, ${OPERATIONS(sql)} as operations,
        (select coalesce(json_agg(export_rows.body order by line), '[]') from ${ROWS_OF_ORDER(sql, job)}) as rows
      from attention join orders using (key)
      where attention.merchant = ${merchant!} and kind = 'doubt' and (attention.key, id) > (${last?.key ?? ''}, ${last?.id ?? ''})
      order by attention.key, id limit ${ASKED_AT_ONCE}`, (doubts) => Promise.all(doubts.map(judge)));
  } // prettier-ignore

  async #ask(url: string, body: object, authorization: string | undefined) {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await this.gateway.pass({ method: 'POST', url, headers, body });
    return { status: answer.status, said: JSON.parse(answer.body) as Record<string, unknown> };
  }
}

/** Pages of a statement until one is empty, and what is made of each. */
async function* pages<T, R>(read: (last: T | undefined) => Promise<T[]>, make: (rows: T[]) => R[] | Promise<R[]>): AsyncGenerator<R[]> {
  for (let rows = await read(undefined); rows.length > 0; rows = await read(rows.at(-1))) yield await make(rows);
} // prettier-ignore

const ROWS_OF_ORDER = (sql: Sql, job: string): Fragment => sql`
  export_rows where job = ${job} and export_rows.order_id = orders.order_id`;

/** Selects what is compared of the operations of an order, made elsewhere or not. */
const OPERATIONS = (sql: Sql): Fragment => sql`(
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'operation', one->'operation', 'commandId', one->'commandId', 'transactionId', one->'transactionId', 'amount', one->'amount',
    'state', coalesce(one->'end', one->'phase', one->'result'), 'endedAt', one->'endedAt'))), '[]')
  from jsonb_array_elements((state->'operations') || (state->'external')) as one
  where one->>'end' is distinct from 'rejected'
)`;

const whyUnclear = (rows: readonly ExportRow[], { body: { operation } }: Doubt): string =>
  rows.some((row) => row.operation === operation)
    ? `The export has rows of this order, and none of them is surely this ${operation}.`
    : `The export has no ${operation} of this order, which proves nothing: it may lag.`;

function resolutionOf(row: ExportRow, doubt: Doubt, reason: string) {
  const { line, operation, transactionId, amount, execCode, at } = row;
  const evidence = `; export, line ${line}: ${operation} ${transactionId} ${amount ?? ''} EXECCODE ${execCode} ${at}`;
  const isOther = row.outcome === 'succeeded' && amount !== undefined && amount > 0 && String(amount) !== doubt.amount;
  return {
    ...{ outcome: row.outcome, transactionId, execCode, ...(isOther && { amount }) },
    reason: `${reason.slice(0, REASON_LENGTH - evidence.length)}${evidence}`,
  };
}

function* chunks<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

async function* inParts<T, R>(all: readonly T[], make: (one: T) => Promise<R>): AsyncGenerator<R[]> {
  for (const part of chunks(all, ASKED_AT_ONCE)) yield await Promise.all(part.map(make));
}

function wrongFields(kind: string, fields: readonly string[], detail?: string): Problem {
  const needs =
    kind === 'replay'
      ? 'takes ids or a merchant, and no csv'
      : 'needs a merchant and the csv of the export, and no ids';
  return new Problem({
    status: 400,
    code: 'invalid_request',
    detail: detail ?? `A job of kind ${kind} ${needs}.`,
    faults: fields.map((path) => ({ path, code: 'format', message: detail ?? `a job of kind ${kind} ${needs}` })),
  });
}
