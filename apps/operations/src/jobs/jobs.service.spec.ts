import { orderKey, TOPICS, type JobRecord } from '@tranche/contracts';
import type { BatchingProducer, ConsumedRecord, ProducerRecord } from '@tranche/kafka';
import { createLogger, Problem, ServiceLifetime } from '@tranche/service-kit';
import { waitFor } from '@tranche/testing';
import { aDoubtfulOrder, journalEntry } from '../../test/journal.js';
import { databaseOf, ownSchema, postgresOfTests } from '../../test/postgres.js';
import { JobItemsQuery } from '../api/queries.js';
import type { Database } from '../database/database.service.js';
import { BatchStore } from '../fold/batch.store.js';
import { foldBatch, journalRow, type Entry } from '../fold/journal-fold.js';
import { LISTED } from '../fold/stored-rows.js';
import type { GatewayClient, PassedOn } from '../gateway/gateway.client.js';
import type { OperationsConfig } from '../operations.config.js';
import { ExportRows } from './export-rows.store.js';
import { JobPlans } from './job-plans.service.js';
import { Jobs } from './jobs.service.js';
import { JobRows } from '../fold/job-rows.js';
import { JobsStore } from './jobs.store.js';
import { readExportColumns } from '../export/platform-export.js';

const exportColumns = readExportColumns('orderId=Order,transactionId=Transaction,operation=What,amount=Amount,execCode=Code,at=Time'); // prettier-ignore
const HEADING = 'Order;Transaction;What;Amount;Code;Time';
const csvOf = (...rows: string[]) => `\uFEFF${[HEADING, ...rows].join('\r\n')}\r\n`;
const at = '2026-03-01T10:05:00.000Z';
const merchant = 'shop-fr';
const reason = 'evening comparison, ticket 814';
const alice = { operator: { person: 'alice', role: 'operator' as const }, authorization: 'Bearer of-alice' };
const bob = { operator: { person: 'bob', role: 'approver' as const }, authorization: 'Bearer of-bob' };

let server: Awaited<ReturnType<typeof postgresOfTests>>;
let database: Database;
let store: JobsStore;
let batches: BatchStore;
/** The topic of the jobs, read at once. */
let written: JobRecord[];
let asked: PassedOn[];
const stops: (() => void)[] = [];
let answer: (asked: PassedOn) => { status: number; body: object } | Promise<never>;

beforeAll(async () => {
  server = await postgresOfTests();
}, 60_000);
afterAll(() => server.close());
beforeEach(async () => {
  database = databaseOf(server.url, ownSchema());
  await database.migrate();
  store = new JobsStore(database);
  batches = new BatchStore(database);
  written = [];
  asked = [];
});
afterEach(async () => {
  stops.splice(0).forEach((stop) => stop());
  await last;
  await database.onApplicationShutdown();
});

let last: Promise<unknown> = Promise.resolve();
const producer = {
  send({ value, headers, key }: ProducerRecord) {
    const sent = last.then(async () => {
      const offset = BigInt(written.length);
      written.push(JSON.parse(value!.toString()) as JobRecord);
      const record = { partition: 0, offset, key, value, headers, timestampMs: 0 } as unknown as ConsumedRecord;
      const make = async () => ({ ...(await new JobRows(database).fold([record])), next: offset + 1n });
      await batches.write({ topic: TOPICS.jobs.name, partition: 0 }, offset, make);
      return { partition: 0, offset };
    });
    last = sent.catch(() => undefined);
    return sent;
  },
} as unknown as BatchingProducer;

/** An instance of the service, which shares the topic and PostgreSQL with the others. */
function instance() {
  const lifetime = new ServiceLifetime();
  const gateway = {
    async pass(request: PassedOn) {
      asked.push(request);
      const { status, body } = await answer(request);
      return { status, headers: {}, body: JSON.stringify(body) };
    },
  } as unknown as GatewayClient;
  const config = { exportColumns, kafkaTopicPrefix: '' } as OperationsConfig;
  const log = createLogger({ name: 'spec', destination: { write: () => undefined } });
  const jobs = new Jobs(
    config,
    store,
    new JobPlans(config, database, gateway, new ExportRows(database)),
    gateway,
    producer,
    lifetime,
    log,
  );
  stops.push(() => lifetime.stop(new Error('the spec ends it')));
  return { jobs };
}

async function orders(...entries: Entry[]): Promise<void> {
  const numbered = entries.map((entry, offset) => ({ ...entry, offset: BigInt(offset) }));
  await batches.write({ topic: TOPICS.journal.name, partition: 0 }, 0n, async (stateOf) => {
    const known = await stateOf([]);
    const { stored } = foldBatch(numbered, known, (entry) => entry);
    return { rows: stored.map(journalRow), orders: known, next: BigInt(numbered.length) };
  });
}
async function letters(number: number): Promise<void> {
  const { topic, rowOf } = LISTED.find((one) => one.topic === TOPICS.commandsDeadLetter)!;
  const rows = Array.from({ length: number }, (_, index) => rowOf({ partition: 0, offset: BigInt(index), key: orderKey(merchant, `o-${index}`), value: null, headers: {}, timestampMs: Date.now() } as unknown as ConsumedRecord)); // prettier-ignore
  await batches.write({ topic: topic.name, partition: 0 }, 0n, () => Promise.resolve({ rows, next: BigInt(number) }));
}
const succeeded = (orderId: string): Entry =>
  journalEntry(
    {
      ...{ record: 'EVIDENCE', rulesVersion: 1, merchant, orderId, at, source: 'notification', operation: 'authorize' },
      ...{ result: 'succeeded', answer: { transactionId: `T-${orderId}`, execCode: '0000', amount: 25_000 } },
      ...{ commandId: `command-of-${orderId}`, attempt: 1 },
    },
    0,
  );

const items = async (id: string, of: Partial<JobItemsQuery> = {}) =>
  (await store.items(id, Object.assign(new JobItemsQuery(), of))).items;
const job = (id: string) => store.job(id, undefined);
const until = (id: string, status: string) =>
  waitFor(async () => (await job(id)).status === status, { what: `the job to be ${status}` });

describe('a comparison with the export', () => {
  it('finds what differs, and needs no start', async () => {
    const all = ['same', 'dear', 'refused', 'here'].flatMap((id) => [...aDoubtfulOrder(merchant, id), succeeded(id)]);
    await orders(...all);
    const csv = csvOf(
      `same;T-same;authorization;25000;0000;${at}`,
      `dear;T-dear;authorization;25001;0000;${at}`,
      `refused;T-refused;authorization;25000;4001;${at}`,
      `there;T-there;authorization;25000;0000;${at}`,
    );
    const { id, ...made } = await instance().jobs.plan({ kind: 'reconcile', merchant, reason, csv }, alice);
    expect(made).toMatchObject({ status: 'done', total: 5, done: 5, merchants: [merchant] });
    const found = (await items(id)).map(({ key, verdict }) => `${key} ${verdict}`).sort();
    expect(found).toEqual([
      'shop-fr/dear other-amount',
      'shop-fr/here only-here',
      'shop-fr/refused other-outcome',
      'shop-fr/same matched',
      'shop-fr/there only-there',
    ]);
    expect(made.counts).toEqual({ 'other-amount': 1, 'only-here': 1, 'other-outcome': 1, matched: 1, 'only-there': 1 });
  });

  it('begins nothing where the file has faults, and names them all', async () => {
    const csv = csvOf(`a;T-1;authorization;1,50;0000;${at}`, 'b;T-2', `c;T-1;journey;1;0000;soon`, ...['d', 'e'].map((id) => `${id};T-2;authorization;1;0000;${at}`)); // prettier-ignore
    const plan = instance().jobs.plan({ kind: 'reconcile', merchant, reason, csv }, alice);
    const error: Problem = await plan.then(() => Promise.reject(new Error('it was taken')), (one: Problem) => one); // prettier-ignore
    expect(error.faults?.map(({ path }) => path)).toEqual(['line 2', 'line 3', 'line 4', 'line 4', 'line 6']);
    expect(error.faults?.at(-1)?.message).toBe('has the transaction of line 5 once more');
    expect(error.message).toContain('5 faults');
    expect(written).toEqual([]);
    expect(await database.sql`select from export_rows`).toHaveLength(0);
  });

  it('of a merchant that the operator does not have is refused', async () => {
    const viewer = { ...alice, operator: { ...alice.operator, merchants: ['shop-es'] } };
    const plan = instance().jobs.plan({ kind: 'reconcile', merchant, reason, csv: csvOf() }, viewer);
    await expect(plan).rejects.toMatchObject({ code: 'merchant_not_allowed' });
    const made = await instance().jobs.plan({ kind: 'reconcile', merchant, reason, csv: csvOf() }, alice);
    await expect(store.job(made.id, ['shop-es'])).rejects.toMatchObject({ code: 'job_unknown' });
  });
});

describe('a replay', () => {
  const replays = () =>
    asked.filter(({ url }) => url === '/v1/replays').map(({ body }) => (body as { offset: string }).offset);
  const published = { verdict: 'attempt', why: '', published: { topic: 'commands', partition: 1 } };
  beforeEach(async () => {
    await letters(6);
    answer = ({ url, body }) => {
      const isSecond = (body as { offset: string }).offset === '1';
      const verdict = isSecond ? 'in-doubt' : 'attempt';
      return { status: 200, body: url.endsWith('dryRun=true') ? { verdict, why: 'so' } : published };
    };
  });

  it('does what is planned, in order, with the token of whoever started it', async () => {
    const { jobs } = instance();
    const made = await jobs.plan({ kind: 'replay', merchant, reason }, alice);
    expect(made).toMatchObject({ status: 'planned', counts: { attempt: 5, 'in-doubt': 1 }, total: 5 });
    await jobs.start(made, 'run', bob);
    await until(made.id, 'done');
    expect(replays()).toEqual(['0', '2', '3', '4', '5']);
    expect(new Set(asked.slice(6).map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer of-bob']));
    expect(await job(made.id)).toMatchObject({ done: 5, failed: 0, startedBy: 'bob' });
    expect(await items(made.id, { result: 'done' })).toHaveLength(5);
    await expect(jobs.start(await job(made.id), 'run', bob)).rejects.toMatchObject({ code: 'job_moved' });
  });

  it('does no item twice after a kill, and says of which one it is not known', async () => {
    const killed = instance();
    const made = await killed.jobs.plan({ kind: 'replay', merchant, reason }, alice);
    const dryRun = answer;
    answer = (request) => {
      const isFourth = (request.body as { offset: string }).offset === '3';
      return isFourth
        ? new Promise<never>((_, reject) => stops.push(() => reject(new Error('cut off'))))
        : dryRun(request);
    };
    await killed.jobs.start(made, 'run', alice);
    await waitFor(() => replays().includes('3'), { what: 'the fourth letter to be under way' });
    answer = dryRun;
    const other = instance();
    await other.jobs.start(await job(made.id), 'run', bob);
    await until(made.id, 'done');
    expect(replays()).toEqual(['0', '2', '3', '4', '5']);
    expect(await job(made.id)).toMatchObject({ done: 4, failed: 1, total: 5 });
    expect(await items(made.id, { result: 'unknown' })).toEqual([expect.objectContaining({ key: '0-3' })]);
  });

  it('goes on with the same item where the gateway takes the token no longer', async () => {
    const { jobs } = instance();
    const made = await jobs.plan({ kind: 'replay', merchant, reason }, alice);
    const dryRun = answer;
    let isExpired = false;
    answer = (request) => {
      isExpired ||= replays().length === 3;
      return isExpired ? { status: 401, body: { code: 'token_expired', detail: 'It has expired.' } } : dryRun(request);
    };
    await jobs.start(made, 'run', alice);
    await until(made.id, 'interrupted');
    expect(await job(made.id)).toMatchObject({ done: 2, failed: 0, why: expect.stringContaining('It has expired.') });
    answer = dryRun;
    await jobs.start(await job(made.id), 'run', alice);
    await until(made.id, 'done');
    expect(replays()).toEqual(['0', '2', '3', '3', '4', '5']);
    expect(await job(made.id)).toMatchObject({ done: 5, failed: 0 });
  });

  it('ends when it is cancelled, behind the item that is under way', async () => {
    const { jobs } = instance();
    const made = await jobs.plan({ kind: 'replay', merchant, reason }, alice);
    let goOn = () => {};
    const dryRun = answer;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    answer = (request) => held.then(() => dryRun(request)) as Promise<never>;
    await jobs.start(made, 'run', alice);
    await waitFor(() => replays().length === 1, { what: 'the first letter to be under way' });
    await jobs.cancel(await job(made.id), bob);
    goOn();
    await waitFor(async () => (await job(made.id)).done === 1, { what: 'the result of the first' });
    await last;
    expect(await job(made.id)).toMatchObject({ status: 'cancelled', done: 1 });
    expect(replays()).toEqual(['0']);
  });

  it('while a plan is made, the same plan of the same person is named, and another one waits', async () => {
    const { jobs } = instance();
    let goOn = () => {};
    const dryRun = answer;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    answer = (request) => held.then(() => dryRun(request)) as Promise<never>;
    const first = jobs.plan({ kind: 'replay', merchant, reason }, alice);
    const again = jobs.plan({ kind: 'replay', merchant, reason: 'pressed once more' }, alice);
    const refused = await again.catch((error: unknown) => error as Problem);
    await expect(jobs.plan({ kind: 'replay', merchant, reason }, bob)).rejects.toMatchObject({ status: 503 });
    await expect(jobs.plan({ kind: 'replay', ids: ['0-1'], reason }, alice)).rejects.toMatchObject({ status: 503 });
    goOn();
    const { id } = await first;
    expect(refused).toMatchObject({ status: 409, code: 'plan_under_way', detail: expect.stringContaining(id) });
    expect((await jobs.plan({ kind: 'replay', merchant, reason }, alice)).id).not.toBe(id);
  });

  it('of two who start it at once, one does it', async () => {
    const two = [instance(), instance()];
    const made = await two[0]!.jobs.plan({ kind: 'replay', merchant, reason }, alice);
    const started = await Promise.allSettled(two.map(({ jobs }) => jobs.start(made, 'run', alice)));
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await until(made.id, 'done');
    expect(replays()).toEqual(['0', '2', '3', '4', '5']);
  });
});

describe('doubts that the export resolves', () => {
  it('are proposed with their rows, and approved by another person', async () => {
    const doubtful = Array.from({ length: 20 }, (_, index) => `d-${index + 1}`);
    await orders(...doubtful.flatMap((id) => aDoubtfulOrder(merchant, id)));
    const csv = csvOf(`d-1;T-1;authorization;25000;0000;${at}`, `d-2;T-2;authorization;25000;4001;${at}`);
    let proposals = 0;
    answer = ({ url }) => {
      if (url.endsWith('dryRun=true')) return { status: 200, body: { dryRun: true, approval: { why: 'amount' } } };
      if (url.endsWith('/resolve')) return { status: 202, body: { id: `p-${++proposals}`, state: 'open' } };
      return { status: 200, body: { state: 'succeeded' } };
    };
    const { jobs } = instance();
    const made = await jobs.plan({ kind: 'resolve-by-file', merchant, reason, csv }, alice);
    expect(made.counts).toEqual({ propose: 2, unclear: 18 });
    await jobs.start(made, 'run', alice);
    await until(made.id, 'done');
    const said = asked.filter(({ url }) => url.endsWith('/resolve')).map(({ body }) => body);
    expect(said).toEqual([
      { outcome: 'succeeded', transactionId: 'T-1', execCode: '0000', reason: expect.stringMatching(/ticket 814; export, line 2: authorize T-1/) }, // prettier-ignore
      { outcome: 'refused', transactionId: 'T-2', execCode: '4001', reason: expect.stringContaining('line 3') },
    ]);
    expect((await items(made.id, { result: 'proposed' })).map(({ proposal }) => proposal)).toEqual(['p-1', 'p-2']);
    await jobs.start(await job(made.id), 'approval', bob);
    await waitFor(async () => (await items(made.id, { result: 'approved' })).length === 2, {
      what: 'both to be approved',
    });
    await until(made.id, 'done');
    expect(asked.slice(-2).map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/proposals/p-1/approve', 'Bearer of-bob'],
      ['/v1/proposals/p-2/approve', 'Bearer of-bob'],
    ]);
    expect(await job(made.id)).toMatchObject({ startedBy: 'alice', approvedBy: 'bob', total: 2, done: 2 });
  });
});

it('the jobs of PostgreSQL are those of the topic', async () => {
  await letters(2);
  answer = () => ({ status: 200, body: { verdict: 'attempt', why: '' } });
  const { jobs } = instance();
  const made = await jobs.plan({ kind: 'replay', merchant, reason }, alice);
  await jobs.start(made, 'run', alice);
  await until(made.id, 'done');
  const before = [await job(made.id), await items(made.id)];
  const records = [...written];
  await database.sql`truncate jobs, job_items, positions`;
  written = [];
  for (const data of records)
    await producer.send({ topic: '', key: made.id, value: Buffer.from(JSON.stringify(data)), headers: { ce_type: 'operations.job.recorded' } }); // prettier-ignore
  expect([await job(made.id), await items(made.id)]).toEqual(before);
});
