import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import {
  aCommand,
  aPartnerBAuthorization,
  eventsOf,
  gatewaySettings,
  infrastructure,
  makeTopics,
  operationsSettings,
  ownPrefix,
  stage,
  startApp,
  waitFor,
  type EventsOf,
  type RunningApp,
} from '@tranche/testing';
import { expectSameContents, untilKnown } from './contents.js';
import { askAt } from './operations-stack.js';
import { killPostgres, ownPostgres } from './postgres.js';

const merchant = 'shop-fr';
const FROZEN_MS = 120_000;
const ORDERS_AT_ONCE = 5;

const prefix = ownPrefix();
const { brokers } = infrastructure();
const producer = new BatchingProducer({
  client: createKafkaClient({ brokers: brokers.split(','), clientId: 'frozen-spec' }, silentLog),
  log: silentLog,
});
const apps: RunningApp[] = [];
let gateways: [RunningApp, RunningApp];
let env: Record<string, string>;
let server: Awaited<ReturnType<typeof ownPostgres>>;
let events: EventsOf;

async function started(...app: Parameters<typeof startApp>): Promise<RunningApp> {
  const running = await startApp(...app);
  apps.push(running);
  return running;
}

beforeAll(async () => {
  const shared = await stage('gateway');
  const { MERCHANTS_FILE = '', OPERATORS_FILE = '' } = shared.env;
  const { url } = shared.apps['platform-simulator']!;
  env = { ...gatewaySettings(prefix, url), MERCHANTS_FILE, OPERATORS_FILE, PLATFORM_TIMEOUT_MS: '5000' };
  [server] = await Promise.all([ownPostgres(), makeTopics(prefix)]);
  events = await eventsOf(brokers, prefix);
  gateways = [await started('payment-gateway', env), await started('payment-gateway', env)];
}, 240_000);
afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop('SIGKILL')));
  await Promise.all([events.stop(), producer.close(), server.close()]);
});

const operations = (schema: string) =>
  started('operations', {
    ...operationsSettings({ prefix, env, apps: { 'payment-gateway': gateways[0] } }, schema),
    DATABASE_URL: server.url,
  });

async function pay(orderId: string): Promise<void> {
  const data = aPartnerBAuthorization({ merchant, orderId });
  const command = aCommand('payment.authorize', data, { id: randomUUID(), time: new Date().toISOString() });
  const topic = prefix + COMMAND_TOPICS['partner-b'].name;
  await producer.send({ topic, key: orderKey(merchant, orderId), ...encodeCloudEvent(command) });
}

async function payAll(round: number): Promise<string[]> {
  const ids = Array.from({ length: ORDERS_AT_ONCE }, (_, index) => `frozen-${round}-${index}`);
  await Promise.all(ids.map(pay));
  return ids;
}

const haveEvents = (ids: readonly string[]) =>
  waitFor(() => ids.every((id) => events.events.some(({ data }) => data.orderId === id)), {
    timeoutMs: 60_000,
    what: `events of ${ids.join()}`,
  });

it('frozen for two minutes beside another instance, while PostgreSQL and a gateway are killed: payments go on, it is said what is missing, and rows are those of a rebuild', async () => {
  const [awake, frozen] = [await operations('beside'), await operations('beside')];
  const first = await payAll(0);
  await Promise.all([awake, frozen].flatMap((app) => first.map((id) => untilKnown(app, merchant, id))));
  process.kill(frozen.pid, 'SIGSTOP');
  const frozenAtMs = performance.now();
  const saysSo = () => awake.logs.some((line) => line.includes('PostgreSQL can not be used'));
  let round = 0;
  let ids = first;
  while (performance.now() - frozenAtMs < FROZEN_MS || !saysSo()) {
    ids = await payAll(++round);
    if (round === 2) await gateways[0].stop('SIGKILL');
    if (!saysSo()) await killPostgres(server.url).catch(() => undefined);
    await haveEvents(ids);
    await Promise.all(ids.map((id) => untilKnown(awake, merchant, id)));
  }
  const { body } = await askAt<{ missing: string[] }>(awake, 'alice', 'attention');
  expect(body.missing).toEqual(['proposals', 'rails', 'controls']);

  process.kill(frozen.pid, 'SIGCONT');
  await awake.stop('SIGKILL');
  ids = await payAll(++round);
  await haveEvents(ids);
  await Promise.all(ids.map((id) => untilKnown(frozen, merchant, id)));
  const again = await operations('anew');
  await Promise.all(ids.map((id) => untilKnown(again, merchant, id)));
  const sql = postgres(server.url, { max: 2, onnotice: () => undefined });
  await expectSameContents(sql, 'beside', 'anew', round * ORDERS_AT_ONCE);
  await sql.end();
}, 480_000);
