import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import {
  aPartnerBAuthorization,
  databaseUrl,
  operationsSettings,
  startApp,
  waitFor,
  type RunningApp,
} from '@tranche/testing';
import { askAt, joinOperationsStage } from './operations-stack.js';

const merchant = 'shop-fr';
const schemas = ['one', 'other'].map((name) => `written_once_${name}_${randomBytes(4).toString('hex')}`);
const [schema, rebuilt] = schemas as [string, string];
/** Sessions at PostgreSQL of the instance that is frozen; another run may use the same server. */
const frozen = `frozen-${schema}`;
const apps: RunningApp[] = [];
let stack: Awaited<ReturnType<typeof joinOperationsStage>>;
const sql = postgres(databaseUrl(), { max: 2, onnotice: () => undefined });

beforeAll(async () => (stack = await joinOperationsStage()));
afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop('SIGKILL')));
  for (const one of schemas) await sql`drop schema if exists ${sql(one)} cascade`;
  await sql.end();
  await stack.stop();
});

/** @param name of its sessions at PostgreSQL */
async function start(of: string, name: string): Promise<RunningApp> {
  const settings = operationsSettings(stack.gateway, of);
  const address = new URL(databaseUrl());
  address.searchParams.set('application_name', name);
  const app = await startApp('operations', { ...settings, DATABASE_URL: address.href });
  apps.push(app);
  return app;
}

const sessionsOf = (name: string) => sql<{ pid: number; waits: string | null }[]>`
  select pid, wait_event_type as waits from pg_stat_activity where application_name = ${name}`;

/** Freezes an instance whose batch PostgreSQL has begun and can not end yet. */
async function freezeInABatch({ pid }: RunningApp, name: string, begin: () => Promise<unknown>): Promise<void> {
  await sql.begin(async (held) => {
    await held`select 1 from ${sql(schema)}.positions for update`;
    await begin();
    await waitFor(async () => (await sessionsOf(name)).some(({ waits }) => waits === 'Lock'), {
      what: `a batch of ${name} that waits for its position`,
    });
    process.kill(pid, 'SIGSTOP');
  });
}

async function endSessionsOf(name: string): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`;
  await waitFor(async () => (await sessionsOf(name)).length === 0, { what: `no session of ${name} any more` });
}

const pay = (orderId: string) => stack.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
async function known(app: RunningApp, orderId: string): Promise<void> {
  const isKnown = async () => (await askAt(app, 'alice', `orders/${merchant}/${orderId}`)).status === 200;
  try {
    await waitFor(isKnown, { what: `${orderId} in PostgreSQL` });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${app.logs.slice(-10).join('\n')}`, { cause: error });
  }
}

/** Orders up to the same positions, and the number of their records. */
async function contents(of: string, upTo: Map<string, bigint>) {
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

async function positions(of: string): Promise<Map<string, bigint>> {
  const rows = await sql<{ topic: string; partition: number; next: string }[]>`
    select topic, partition, next from ${sql(of)}.positions`;
  return new Map(rows.map(({ topic, partition, next }) => [`${topic}/${partition}`, BigInt(next)]));
}

it('two instances, one of them frozen in a batch until its sessions are gone, the other killed, write what a rebuild writes', async () => {
  const first = await start(schema, 'first');
  const second = await start(schema, frozen);
  await Promise.all(['once-1', 'once-2'].map(pay));
  await known(first, 'once-2');
  await freezeInABatch(second, frozen, () => Promise.all(['once-3', 'once-4'].map(pay)));
  await known(first, 'once-4');
  await endSessionsOf(frozen);
  process.kill(second.pid, 'SIGCONT');
  await first.stop('SIGKILL');
  await Promise.all(['once-5', 'once-6'].map(pay));
  await Promise.all(['once-5', 'once-6'].map((orderId) => known(second, orderId)));

  const again = await start(rebuilt, 'again');
  await Promise.all(['once-1', 'once-6'].map((orderId) => known(again, orderId)));
  const [ours, theirs] = await Promise.all([positions(schema), positions(rebuilt)]);
  const both = new Map(
    [...ours].map(([place, next]) => [place, next < (theirs.get(place) ?? 0n) ? next : (theirs.get(place) ?? 0n)]),
  );
  const [written, anew] = await Promise.all([contents(schema, both), contents(rebuilt, both)]);
  expect(written.records).toEqual(anew.records);
  expect(written.orders.length).toBeGreaterThanOrEqual(6);
  const ofBoth = (one: typeof written, other: typeof written) =>
    one.orders.filter(({ key, last_offset: at }) =>
      other.orders.some((same) => same.key === key && same.last_offset === at),
    );
  expect(ofBoth(written, anew)).toEqual(ofBoth(anew, written));
});
