import { Injectable } from '@nestjs/common';
import { orderKey, TOPICS, type JobItem, type JobKind } from '@tranche/contracts';
import { assertMerchant, type OperatorIdentity } from '@tranche/operators';
import { Problem } from '@tranche/service-kit';
import { visibleTo } from '../api/operator.guard.js';
import { Database } from '../database/database.service.js';
import { GatewayClient } from '../gateway/gateway.client.js';
import { OperationsConfig } from '../operations.config.js';
import { compareOrder, onlyHere, ownOf, rowTexts, type Compared, type OurOperation } from './comparison.js';
import { readExport, type ExportRow } from '../export/platform-export.js';

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
interface Doubt {
  key: string;
  id: string;
  order_id: string;
  amount: string | null;
  body: { commandId: string; operation: string };
}
interface OrderRow {
  order_id: string;
  operations: OurOperation[];
}

/** Makes plans: what is to be done with each item, and why. What the gateway judges, it is asked. */
@Injectable()
export class JobPlans {
  constructor(
    private readonly config: OperationsConfig,
    private readonly database: Database,
    private readonly gateway: GatewayClient,
  ) {}

  /** @throws Problem 400, 403 or 422 before anything was begun */
  async plan(asked: JobAsked, operator: OperatorIdentity, authorization: string | undefined): Promise<Planned> {
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
    const orders = readExport(csv!, merchant!, this.config.exportColumns);
    const parts = kind === 'reconcile' ? this.#compare(merchant!, orders) : this.#doubts(asked, orders, authorization);
    return { merchants: [merchant!], parts };
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
  async *#compare(merchant: string, orders: ReadonlyMap<string, ExportRow[]>): Planned['parts'] {
    const times = [...orders.values()].flat().map(({ at }) => at).sort(); // prettier-ignore
    const period = { from: times[0] ?? '', to: times.at(-1) ?? '' };
    const item = (orderId: string) => (compared: Compared) => ({ key: orderKey(merchant, orderId), ...compared });
    for (const ids of chunks([...orders.keys()], ORDERS_AT_ONCE)) {
      const ours = await this.#ordersOf(merchant, ids);
      yield ids.flatMap((id) => compareOrder(orders.get(id)!, ours.get(id) ?? [], period).map(item(id)));
    }
    const { sql } = this.database;
    // '0' is the sign behind '/': the keys between are those of the merchant.
    let after = `${merchant}/`;
    while (true) {
      const rows = await sql<(OrderRow & { key: string })[]>`
        select key, order_id, ${OPERATIONS(sql)} as operations from orders
        where key > ${after} and key < ${`${merchant}0`} and moved_at >= ${period.from || 'infinity'}::text::timestamptz
        order by key limit ${ORDERS_AT_ONCE}`;
      yield rows
        .filter(({ order_id: id }) => !orders.has(id))
        .flatMap(({ order_id: id, operations }) =>
          operations
            .filter(
              ({ state, endedAt = '' }) => state === 'succeeded' && endedAt >= period.from && endedAt <= period.to,
            )
            .map((own) => item(id)(onlyHere(own))),
        );
      if (rows.length < ORDERS_AT_ONCE) return;
      after = rows.at(-1)!.key;
    }
  }

  /** Each doubt of the merchant, with its row of the export as evidence. */
  async *#doubts(
    { merchant, reason }: JobAsked,
    orders: ReadonlyMap<string, ExportRow[]>,
    authorization: string | undefined,
  ): Planned['parts'] {
    const { sql } = this.database;
    const doubts = await sql<Doubt[]>`
      select key, id, order_id, amount, body from attention where merchant = ${merchant!} and kind = 'doubt' order by key, id`;
    for (const some of chunks(doubts, ORDERS_AT_ONCE)) {
      const ours = await this.#ordersOf(merchant!, [...new Set(some.map((one) => one.order_id))]);
      yield* inParts(some, async (doubt) => {
        const rows = orders.get(doubt.order_id) ?? [];
        const all = ours.get(doubt.order_id) ?? [];
        const own = rows.filter((row) => ownOf(row, rows, all)?.commandId === doubt.body.commandId);
        const [row] = own;
        if (row === undefined || own.length > 1)
          return { key: doubt.key, verdict: 'unclear', why: whyUnclear(rows, doubt) };
        if (row.outcome === 'open')
          return { key: doubt.key, verdict: 'unclear', why: `It still waits there (${row.execCode}).` };
        const said = resolutionOf(row, doubt, reason);
        const about = { operationId: doubt.id, said: JSON.stringify(said), ...rowTexts(row) };
        const answer = await this.#ask(`/v1/operations/${doubt.id}/resolve?dryRun=true`, said, authorization);
        if (answer.status !== 200)
          return { key: doubt.key, verdict: 'refused', why: String(answer.said.detail), about };
        const second = answer.said.approval as { why: string } | undefined;
        return second
          ? { key: doubt.key, verdict: 'propose', why: `A second person must approve: ${second.why}.`, about }
          : { key: doubt.key, verdict: 'resolve', why: `The platform has ${row.outcome} (${row.execCode}).`, about };
      });
    }
  }

  async #ordersOf(merchant: string, ids: readonly string[]): Promise<Map<string, OurOperation[]>> {
    const { sql } = this.database;
    const rows = await sql<OrderRow[]>`
      select order_id, ${OPERATIONS(sql)} as operations from orders
      where key = any(${ids.map((id) => orderKey(merchant, id))})`;
    return new Map(rows.map(({ order_id: id, operations }) => [id, operations]));
  }

  async #ask(url: string, body: object, authorization: string | undefined) {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await this.gateway.pass({ method: 'POST', url, headers, body });
    return { status: answer.status, said: JSON.parse(answer.body) as Record<string, unknown> };
  }
}

/** Selects what is compared of the operations of an order, made elsewhere or not. */
const OPERATIONS = (sql: Database['sql']) => sql`(
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
