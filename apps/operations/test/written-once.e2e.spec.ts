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
import { expectSameContents, untilKnown } from './contents.js';
import { joinOperationsStage } from './operations-stack.js';

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
const known = (app: RunningApp, orderId: string) => untilKnown(app, merchant, orderId);

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
  await expectSameContents(sql, schema, rebuilt, 6);
});
