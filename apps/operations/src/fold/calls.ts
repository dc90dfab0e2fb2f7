/** Counts the platform's answers, by minute, rail, merchant and result. */
import { METHODS, type Rail } from '@tranche/contracts';
import { findOperation, keyOf, type OrderState, type StoredRecord } from '@tranche/order-journal';
import type { Fragment, Sql } from '../database/database.service.js';
import { CALLS_KEPT_HOURS, jsonText } from './batch.store.js';

const CALLS_KEPT_MS = CALLS_KEPT_HOURS * 3_600_000;

export interface Calls {
  minute: string;
  rail: Rail;
  merchant: string;
  result: string;
  number: number;
}

const resultOf = ({ record }: StoredRecord): string | undefined => {
  if (record.record === 'OUTCOME') return record.result;
  return record.record === 'IN_DOUBT' || record.record === 'NOT_EXECUTED' ? record.record.toLowerCase() : undefined;
};

/** @param orders the states behind the records, which name the rail */
export function callsOf(records: readonly StoredRecord[], orders: ReadonlyMap<string, OrderState>, nowMs: number): Calls[] {
  const calls = new Map<string, Calls>();
  for (const stored of records) {
    const result = resultOf(stored);
    const atMs = Date.parse(stored.record.at);
    const { merchant, commandId } = stored.record as { merchant: string; commandId?: string };
    const order = orders.get(keyOf(stored.record));
    const operation = order && findOperation(order, commandId ?? '');
    // Clocks of others may be ahead; a time that can't be read is no number.
    if (result === undefined || operation === undefined || !(Math.abs(nowMs - atMs) < CALLS_KEPT_MS)) continue;
    const { rail } = METHODS[operation.method];
    const minute = `${new Date(atMs).toISOString().slice(0, 16)}Z`;
    const key = [minute, rail, merchant, result].join(' ');
    const known = calls.get(key) ?? { minute, rail, merchant, result, number: 0 };
    calls.set(key, { ...known, number: known.number + 1 });
  }
  return [...calls.values()];
} // prettier-ignore

/** Each partition has rows of its own, so that none waits for another one. */
export const putCalls = (sql: Sql, partition: number, calls: readonly Calls[]): Fragment => sql`
  called as (
    insert into calls (minute, rail, merchant, result, partition, number)
    select minute, rail, merchant, result, ${partition}::int, number
    from json_to_recordset(${jsonText(calls)}::text::json) as t(minute timestamptz, rail text, merchant text, result text, number int)
    where exists (select from moved)
    on conflict (minute, rail, merchant, result, partition) do update set number = calls.number + excluded.number
  )`;
