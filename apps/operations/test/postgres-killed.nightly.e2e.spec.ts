import postgres from 'postgres';
import { aPartnerBAuthorization, operationsSettings, startApp, waitFor, type RunningApp } from '@tranche/testing';
import { expectSameContents, untilKnown } from './contents.js';
import { joinOperationsStage } from './operations-stack.js';
import { killPostgres, ownPostgres } from './postgres.js';

const merchant = 'shop-fr';
const KILLS = 5;
const apps: RunningApp[] = [];
let server: Awaited<ReturnType<typeof ownPostgres>>;
let stack: Awaited<ReturnType<typeof joinOperationsStage>>;

beforeAll(async () => {
  server = await ownPostgres();
  stack = await joinOperationsStage();
}, 120_000);
afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop('SIGKILL')));
  await stack.stop();
  await server.close();
});

async function start(schema: string): Promise<RunningApp> {
  const settings = operationsSettings(stack.gateway, schema);
  const app = await startApp('operations', { ...settings, DATABASE_URL: server.url });
  apps.push(app);
  return app;
}

it('PostgreSQL is killed again and again while orders come, and has in the end what a rebuild has', async () => {
  const app = await start('killed');
  for (let kill = 0; kill < KILLS; kill++) {
    const ids = Array.from({ length: 20 }, (_, index) => `killed-${kill}-${index}`);
    const sent = ids.map((orderId) => stack.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId })));
    await waitFor(() => killPostgres(server.url).then(() => true), { what: 'PostgreSQL to be there and to be killed' });
    await Promise.all(sent);
    await Promise.all(ids.map((orderId) => untilKnown(app, merchant, orderId)));
  }
  const again = await start('rebuilt');
  await untilKnown(again, merchant, `killed-${KILLS - 1}-19`);
  const sql = postgres(server.url, { max: 2, onnotice: () => undefined });
  await expectSameContents(sql, 'killed', 'rebuilt', KILLS * 20);
  await sql.end();
}, 240_000);
