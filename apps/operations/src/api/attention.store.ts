import { Injectable } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { compact } from '@tranche/runtime';
import { Database } from '../database/database.service.js';
import { isOpen } from '../fold/stored-rows.js';
import { pageOf, placeOf } from './cursor.js';
import type { AttentionQuery } from './queries.js';

/** Dead letters, until the audit says that one was published again, and the quarantine, until it was verified again: for as long as Kafka keeps them. */
const LISTED_DAYS = 35;
const GROUPED = {
  dead_letters: TOPICS.commandsDeadLetter.name,
  quarantine: TOPICS.notificationsQuarantine.name,
};

export interface AttentionItem {
  kind: string;
  /** Absent where it is about several. */
  id?: string;
  merchant?: string;
  orderId?: string;
  since?: string;
  actBy?: string;
  amount?: number;
  currency?: string;
  about: object;
}

interface Listed {
  key: string;
  id: string;
  kind: string;
  merchant: string;
  order_id: string;
  since: Date;
  act_by: Date | null;
  urgent: string;
  began: string;
  money: string;
  amount: string | null;
  currency: string | null;
  body: object;
}

/** Sorts the queue: by a column, and a field of the last row says where the next page begins. */
const SORTED = {
  urgency: { column: 'urgent_at', type: 'timestamptz', place: 'urgent', isDescending: false },
  age: { column: 'since', type: 'timestamptz', place: 'began', isDescending: false },
  amount: { column: 'money', type: 'bigint', place: 'money', isDescending: true },
} as const;

@Injectable()
export class AttentionStore {
  constructor(private readonly database: Database) {}

  /** @param visible the merchants; undefined for all */
  async page(
    { kind, minAmount, sort, limit, cursor }: AttentionQuery,
    visible: readonly string[] | undefined,
  ): Promise<{ items: AttentionItem[]; next?: string }> {
    const { sql } = this.database;
    const { column, type, place, isDescending } = SORTED[sort];
    const after = placeOf(cursor, 4);
    const comparison = isDescending ? sql`<` : sql`>`;
    const behind = after
      ? sql`and (${sql(column)}, key, kind, id) ${comparison} (${after[0]!}::text::${sql.unsafe(type)}, ${after[1]!}, ${after[2]!}, ${after[3]!})`
      : sql``;
    const direction = isDescending ? sql`desc` : sql`asc`;
    const rows = await sql<Listed[]>`
      select key, id, kind, merchant, order_id, since, act_by, urgent_at::text as urgent, since::text as began,
        money::text, amount, currency, body
      from (select *, coalesce(amount, 0) as money from attention) as attention
      where open_from <= now() and ${this.database.ofMerchants(visible)}
        ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
        ${minAmount === undefined ? sql`` : sql`and amount >= ${minAmount}`}
        ${behind}
      order by ${sql(column)} ${direction}, key ${direction}, kind ${direction}, id ${direction}
      limit ${limit + 1}`;
    const found = pageOf(rows, limit, (last) => [last[place], last.key, last.kind, last.id]);
    return compact({ items: found.page.map(itemOf), next: found.next });
  }

  /** Numbers by kind, with the oldest and the sum by currency. */
  async counts(visible: readonly string[] | undefined) {
    const { sql } = this.database;
    const ofOrders = await sql<{ kind: string; number: number; oldest: Date; sums: Record<string, number> | null }[]>`
      select kind, sum(number)::int as number, min(oldest) as oldest,
        jsonb_object_agg(currency, amount) filter (where currency is not null) as sums
      from (
        select kind, currency, count(*) as number, min(since) as oldest, sum(coalesce(amount, 0)) as amount
        from attention where open_from <= now() and ${this.database.ofMerchants(visible)}
        group by kind, currency
      ) as each group by kind order by kind`;
    return ofOrders.map(({ oldest, sums, ...count }) =>
      compact({ ...count, oldest: oldest.toISOString(), amounts: sums ?? undefined }),
    );
  }

  /** Dead letters that were not replayed, and what is open in quarantine, by merchant and reason. */
  async groups(visible: readonly string[] | undefined): Promise<(AttentionItem & { number: number })[]> {
    const { sql } = this.database;
    const rows = await sql<{ topic: string; merchant: string; kind: string; number: number; oldest: Date }[]>`
      select topic, merchant, kind, count(*)::int as number, min(at) as oldest from records
      where topic = any(${Object.values(GROUPED)}) and at > now() - make_interval(days => ${LISTED_DAYS})
        and ${this.database.ofMerchants(visible)} and ${isOpen(sql)}
        and not (topic = ${GROUPED.dead_letters} and partition || '-' || "offset" in (
          select replace(substring(body ->> 'deadLetter' from '[0-9]+/[0-9]+$'), '/', '-') from records
          where topic = ${TOPICS.operationsAudit.name} and kind = 'command.replay' and body ->> 'result' = 'done'
            and body ->> 'deadLetter' ~ '[0-9]+/[0-9]+$'))
      group by topic, merchant, kind order by 5 limit 200`;
    return rows.map(({ topic, merchant, kind, number, oldest }) => ({
      kind: topic === GROUPED.quarantine ? 'quarantine' : 'dead_letters',
      ...(merchant !== '' && { merchant }),
      ...{ since: oldest.toISOString(), number, about: { reason: kind, number } },
    }));
  }
}

const itemOf = ({
  kind,
  id,
  merchant,
  order_id: orderId,
  since,
  act_by,
  amount,
  currency,
  body,
}: Listed): AttentionItem =>
  compact({
    ...{ kind, id, merchant, orderId, since: since.toISOString(), actBy: act_by?.toISOString() },
    ...{ amount: amount === null ? undefined : Number(amount), currency: currency ?? undefined, about: body },
  });
