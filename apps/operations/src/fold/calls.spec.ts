import type { OrderState } from '@tranche/order-journal';
import { aDoubtfulOrder } from '../../test/journal.js';
import { databaseOf, ownSchema, postgresOfTests } from '../../test/postgres.js';
import { CallsController } from '../api/calls.controller.js';
import type { Database } from '../database/database.service.js';
import { BatchStore, MovedOnError } from './batch.store.js';
import { callsOf, putCalls } from './calls.js';
import { foldBatch, journalRow } from './journal-fold.js';

const MINUTE_MS = 60_000;
let server: Awaited<ReturnType<typeof postgresOfTests>>;
let database: Database;
beforeAll(async () => {
  server = await postgresOfTests();
  database = databaseOf(server.url, ownSchema());
  await database.migrate();
}, 60_000);
afterAll(async () => {
  await database.onApplicationShutdown();
  await server.close();
});

/** An order whose call ended in doubt so long ago. */
function folded(orderId: string, agoMs: number) {
  const orders = new Map<string, OrderState>();
  const { stored } = foldBatch(aDoubtfulOrder('shop-fr', orderId), orders, (entry) => entry);
  const at = new Date(Date.now() - agoMs).toISOString();
  const records = stored.map((one) => ({ ...one, record: { ...one.record, at } }));
  return { records, orders, calls: callsOf(records, orders, Date.now()) };
}

function write(partition: number): Promise<unknown> {
  const { records, orders, calls } = folded(`order-${partition}`, 7 * MINUTE_MS);
  const made = { rows: records.map(journalRow), orders, next: 2n };
  const place = { topic: 'payments.journal.v1', partition };
  return new BatchStore(database).write(place, 0n, () =>
    Promise.resolve({ ...made, also: (sql) => putCalls(sql, partition, calls) }),
  );
}

const told = (merchants?: string[]) =>
  new CallsController(database).calls({ person: 'alice', role: 'viewer', merchants });

it('an answer is counted once, also where its batch comes again, and shown to operators of its merchant', async () => {
  await write(1);
  await expect(write(1)).rejects.toThrow(MovedOnError);
  await write(2);
  const { rails } = await told();
  const numbers = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0];
  expect(rails).toContainEqual({ rail: 'partner-a', results: [{ result: 'in_doubt', total: 2, numbers }] });
  expect(rails).toContainEqual({ rail: 'card', results: [] });
  expect((await told(['shop-es'])).rails.flatMap(({ results }) => results)).toEqual([]);
  expect(await told(['shop-fr'])).toEqual(await told());
});

it('what is older than two hours is not counted, and goes', async () => {
  expect(folded('order-3', 121 * MINUTE_MS).calls).toEqual([]);
  await database.sql`insert into calls values (now() - interval '121 minutes', 'card', 'shop-fr', 'refused', 1, 1)`;
  await new BatchStore(database).forget(400);
  const [left] = await database.sql`select count(*)::int as number from calls where rail = 'card'`;
  expect(left).toEqual({ number: 0 });
});
