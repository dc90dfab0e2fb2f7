import { orderKey, TOPICS } from '@tranche/contracts';
import type { BatchingProducer, ConsumedRecord, ProducerRecord } from '@tranche/kafka';
import { createLogger, ServiceLifetime } from '@tranche/service-kit';
import { aDoubtfulOrder, journalEntry } from '../../test/journal.js';
import { databaseOf, ownSchema, postgresOfTests } from '../../test/postgres.js';
import { BatchStore } from '../fold/batch.store.js';
import { readExportColumns } from '../export/platform-export.js';
import { foldBatch, journalRow, type Entry } from '../fold/journal-fold.js';
import { JobRows } from '../fold/job-rows.js';
import type { GatewayClient } from '../gateway/gateway.client.js';
import type { OperationsConfig } from '../operations.config.js';
import { ExportRows } from './export-rows.store.js';
import { JobPlans } from './job-plans.service.js';
import { Jobs } from './jobs.service.js';
import { JobsStore } from './jobs.store.js';

const ROWS = 100_000;
const TEMPLATE = 'o-template';
const COPIES_AT_ONCE = 5_000;
const merchant = 'shop-fr';
const at = '2026-03-01T10:05:00.000Z';
const exportColumns = readExportColumns('orderId=O,transactionId=T,operation=W,amount=A,execCode=E,at=D');
const alice = { operator: { person: 'alice', role: 'operator' as const }, authorization: 'Bearer of-alice' };

/** Each kind is planted at every order whose number leaves this rest by 1,000. */
const PLANTED = { 'only-there': 1, 'only-here': 2, 'other-amount': 3, 'other-outcome': 4 } as const;
type Verdict = keyof typeof PLANTED;
const VERDICTS = Object.keys(PLANTED) as Verdict[];
const plantedAt = (number: number): Verdict | undefined => VERDICTS.find((one) => number % 1_000 === PLANTED[one]);
const all = Array.from({ length: ROWS }, (_, number) => ({ orderId: `o-${number}`, planted: plantedAt(number) }));

function entriesOf(orderId: string): Entry[] {
  const done = journalEntry(
    {
      ...{ record: 'EVIDENCE', rulesVersion: 1, merchant, orderId, at, source: 'notification', operation: 'authorize' },
      ...{ result: 'succeeded', answer: { transactionId: `T-${orderId}`, execCode: '0000', amount: 25_000 } },
      ...{ commandId: `command-of-${orderId}`, attempt: 1 },
    },
    0,
  );
  return [...aDoubtfulOrder(merchant, orderId), done];
}

it('an export of about 100,000 rows is compared: each planted difference is found, and none is invented', async () => {
  const server = await postgresOfTests();
  const database = databaseOf(server.url, ownSchema());
  try {
    await database.migrate();
    const batches = new BatchStore(database);
    const store = new JobsStore(database);
    const { sql } = database;
    const entries = entriesOf(TEMPLATE).map((entry, index) => ({ ...entry, offset: BigInt(index) }));
    await batches.write({ topic: TOPICS.journal.name, partition: 0 }, 0n, async (stateOf) => {
      const known = await stateOf([]);
      const { stored } = foldBatch(entries, known, (entry) => entry);
      return { rows: stored.map(journalRow), orders: known, next: BigInt(entries.length) };
    });
    // Copies of one order that the fold made.
    const ours = all.filter(({ planted }) => planted !== 'only-there').map(({ orderId }) => orderId);
    for (let from = 0; from < ours.length; from += COPIES_AT_ONCE)
      await sql`
      insert into orders (key, merchant, order_id, partition, status, currency, amount, began_at, moved_at, last_offset, names, state)
      select replace(key, ${TEMPLATE}, id), merchant, id, partition, status, currency, amount, began_at, moved_at, last_offset,
        '{}', replace(state::text, ${TEMPLATE}, id)::jsonb
      from orders, unnest(${ours.slice(from, from + COPIES_AT_ONCE)}::text[]) as id where order_id = ${TEMPLATE}`;
    await sql`delete from orders where order_id = ${TEMPLATE}`;
    let offset = 0n;
    let last: Promise<unknown> = Promise.resolve();
    const producer = {
      send({ value, headers, key }: ProducerRecord) {
        const sent = last.then(async () => {
          const own = offset++;
          const record = { partition: 0, offset: own, key, value, headers, timestampMs: 0 } as unknown as ConsumedRecord;
          const make = async () => ({ ...(await new JobRows(database).fold([record])), next: own + 1n });
          await batches.write({ topic: TOPICS.jobs.name, partition: 0 }, own, make);
          return { partition: 0, offset: own };
        });
        last = sent.catch(() => undefined);
        return sent;
      },
    } as unknown as BatchingProducer;
    const config = { exportColumns, kafkaTopicPrefix: '' } as OperationsConfig;
    const gateway = {} as GatewayClient;
    const log = createLogger({ name: 'spec', destination: { write: () => undefined } });
    const plans = new JobPlans(config, database, gateway, new ExportRows(database));
    const jobs = new Jobs(config, store, plans, gateway, producer, new ServiceLifetime(), log);

    const lines = all.flatMap(({ orderId, planted }) => {
      if (planted === 'only-here') return [];
      const amount = planted === 'other-amount' ? 25_001 : 25_000;
      return [`${orderId};T-${orderId};authorization;${amount};${planted === 'other-outcome' ? '4001' : '0000'};${at}\r\n`];
    });
    const csv = `\uFEFFO;T;W;A;E;D\r\n${lines.join('')}`;
    const fromMs = performance.now();
    const job = await jobs.plan({ kind: 'reconcile', merchant, reason: 'a comparison of many rows', csv }, alice);
    console.log(`${lines.length} rows were compared with ${ours.length} orders in ${((performance.now() - fromMs) / 1000).toFixed(1)} s`);

    const wanted = Object.fromEntries(VERDICTS.map((one) => [one, all.filter(({ planted }) => planted === one).length]));
    expect(job).toMatchObject({ status: 'done', total: ROWS });
    expect(job.counts).toEqual({ ...wanted, matched: all.filter(({ planted }) => planted === undefined).length });
    for (const verdict of VERDICTS) {
      const found = (await store.items(job.id, { verdict, limit: 500 })).items.map(({ key }) => key);
      const keys = all.filter(({ planted }) => planted === verdict).map(({ orderId }) => orderKey(merchant, orderId));
      expect(found.toSorted()).toEqual(keys.toSorted());
    }
  } finally {
    await database.onApplicationShutdown();
    await server.close();
  }
}, 900_000); // prettier-ignore
