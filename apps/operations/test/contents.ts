import { waitFor, type RunningApp } from '@tranche/testing';
import type postgres from 'postgres';
import { askAt } from './operations-stack.js';

/** Waits until the order is in PostgreSQL. A failure shows what the service said last. */
export async function untilKnown(app: RunningApp, merchant: string, orderId: string): Promise<void> {
  const isKnown = async () => (await askAt(app, 'alice', `orders/${merchant}/${orderId}`)).status === 200;
  try {
    await waitFor(isKnown, { what: `${orderId} in PostgreSQL` });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${app.logs.slice(-10).join('\n')}`, { cause: error });
  }
}

/** Compares two schemas up to the positions that both have: rows that were written twice, or are missing, differ. */
export async function expectSameContents(sql: postgres.Sql, one: string, other: string, least: number): Promise<void> {
  const [ours, theirs] = await Promise.all([positions(sql, one), positions(sql, other)]);
  const lesser = (mine: bigint, its = 0n) => (mine < its ? mine : its);
  const both = new Map([...ours].map(([place, next]) => [place, lesser(next, theirs.get(place))]));
  const [written, anew] = await Promise.all([contents(sql, one, both), contents(sql, other, both)]);
  expect(written.records).toEqual(anew.records);
  expect(written.orders.length).toBeGreaterThanOrEqual(least);
  const ofBoth = (mine: typeof written, its: typeof written) =>
    mine.orders.filter(({ key, last_offset: at }) =>
      its.orders.some((same) => same.key === key && same.last_offset === at),
    );
  expect(ofBoth(written, anew)).toEqual(ofBoth(anew, written));
}

async function contents(sql: postgres.Sql, of: string, upTo: ReadonlyMap<string, bigint>) {
  const orders = await sql<{ key: string; partition: number; last_offset: string; state: object }[]>`
    select key, partition, last_offset, state from ${sql(of)}.orders order by key`;
  const records = await sql<{ topic: string; partition: number; offset: string; key: string; body: object }[]>`
    select topic, partition, "offset", key, body from ${sql(of)}.records order by topic, partition, "offset"`;
  const isWithin = (topic: string, partition: number, offset: string) =>
    BigInt(offset) < (upTo.get(`${topic}/${partition}`) ?? 0n);
  return {
    orders: orders.filter((one) => isWithin('payments.journal.v1', one.partition, one.last_offset)),
    records: records.filter((one) => isWithin(one.topic, one.partition, one.offset)),
  };
}

async function positions(sql: postgres.Sql, of: string): Promise<Map<string, bigint>> {
  const rows = await sql<{ topic: string; partition: number; next: string }[]>`
    select topic, partition, next from ${sql(of)}.positions`;
  return new Map(rows.map(({ topic, partition, next }) => [`${topic}/${partition}`, BigInt(next)]));
}
