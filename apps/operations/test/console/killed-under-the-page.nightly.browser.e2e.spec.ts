import { randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import {
  aCommand,
  aPartnerBAuthorization,
  gatewaySettings,
  infrastructure,
  makeTopics,
  openFront,
  operationsSettings,
  ownPrefix,
  sharedBrowser,
  stage,
  startApp,
  waitFor,
  type RunningApp,
  type TestBrowser,
} from '@tranche/testing';
import { askAt, type Item } from '../operations-stack.js';
import { ownPostgres } from '../postgres.js';
import { addressOf, DESKTOP, MERCHANT, visit } from './console.js';

const SAID_WITHIN_MS = 5_000;
const REASON = ['The back office shows it, ', 'ticket 817'] as const;
const prefix = ownPrefix();
const producer = new BatchingProducer({
  client: createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'killed-spec' }, silentLog),
  log: silentLog,
});
let browser: TestBrowser;
let server: Awaited<ReturnType<typeof ownPostgres>>;
let front: Awaited<ReturnType<typeof openFront>>;
let simulatorUrl: string;
let gateway: RunningApp;
let operations: RunningApp;
let startGateway: () => Promise<void>;
let startOperations: (port?: string) => Promise<void>;

beforeAll(async () => {
  const shared = await stage('gateway');
  const { MERCHANTS_FILE = '', OPERATORS_FILE = '' } = shared.env;
  simulatorUrl = shared.apps['platform-simulator']!.url;
  [server, front, browser] = await Promise.all([ownPostgres(), openFront(), sharedBrowser(), makeTopics(prefix)]);
  // Kafka gives the partitions of a killed gateway away only after this time.
  const session = { KAFKA_SESSION_TIMEOUT_MS: '6000' };
  const env = { ...gatewaySettings(prefix, simulatorUrl), MERCHANTS_FILE, OPERATORS_FILE, ...session };
  startGateway = async () => {
    gateway = await startApp('payment-gateway', env);
    front.leadTo(gateway.managementUrl);
  };
  await startGateway();
  const settings = operationsSettings({ prefix, env, apps: { 'payment-gateway': gateway } }, 'killed');
  const own = { ...settings, DATABASE_URL: server.url, GATEWAY_URL: front.url };
  startOperations = async (PORT = '0') => void (operations = await startApp('operations', { ...own, PORT }));
  await startOperations();
}, 240_000);
afterAll(async () => {
  await Promise.all([operations?.stop('SIGKILL'), gateway?.stop('SIGKILL'), producer.close(), browser?.close()]);
  await Promise.all([server?.close(), front?.close()]);
});

async function doubt(orderId: string): Promise<void> {
  const rule = { match: { orderPrefix: orderId }, fault: { executeThenReset: true } };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${simulatorUrl}/simulator/faults`, { method: 'POST', headers, body: JSON.stringify(rule) });
  const data = aPartnerBAuthorization({ merchant: MERCHANT, orderId });
  const command = aCommand('payment.authorize', data, { id: randomUUID(), time: new Date().toISOString() });
  const topic = prefix + COMMAND_TOPICS['partner-b'].name;
  await producer.send({ topic, key: orderKey(MERCHANT, orderId), ...encodeCloudEvent(command) });
  const listed = async () => {
    const { body } = await askAt<{ items: Item[] }>(operations, 'alice', 'attention?kind=doubt&limit=500');
    return body.items.some((item) => item.orderId === orderId);
  };
  await waitFor(listed, { what: 'the doubt in the queue' });
}

interface Killed {
  says: string;
  kill: () => Promise<unknown>;
  again: () => Promise<void>;
  /** The text for a person who decides meanwhile. */
  meanwhile: string;
}
const UNKNOWN = 'Whether it was taken is not known';
let port: string;
const KILLED: Record<string, Killed> = {
  operations: {
    says: 'Cut off: operations does not answer',
    kill: () => operations.stop('SIGKILL'),
    again: () => startOperations(port),
    meanwhile: UNKNOWN,
  },
  PostgreSQL: {
    says: 'The database of operations does not answer',
    kill: () => server.kill(),
    again: () => server.again(),
    meanwhile: 'It is proposed.',
  },
  'the gateway': {
    says: 'The gateway does not answer',
    kill: () => gateway.stop('SIGKILL'),
    again: () => startGateway(),
    meanwhile: UNKNOWN,
  },
};

it.each(Object.keys(KILLED))(
  '%s is killed while a person types: the page says so within 5 s, keeps what is typed, and goes on by itself',
  async (name) => {
    const { says, kill, again, meanwhile } = KILLED[name]!;
    const orderId = `killed-${name.replaceAll(/\W/g, '-')}`;
    await doubt(orderId);
    ({ port } = new URL(operations.url));
    const { page } = await visit(browser, operations.url, {
      person: 'alice',
      path: addressOf(orderId),
      screen: DESKTOP,
    });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('radio', { name: /^succeeded/ }).check();
    const reason = page.getByLabel(/^How you know it/);
    await page.getByText('another approver than alice').waitFor();
    await reason.pressSequentially(REASON[0]);

    const killed = kill();
    const killedAtMs = Date.now();
    const said = page.getByText(says).waitFor();
    await reason.pressSequentially(REASON[1], { delay: 50 });
    await said;
    const saidAfterMs = Date.now() - killedAtMs;
    console.info(`${name}: said after ${saidAfterMs} ms`);
    expect(saidAfterMs).toBeLessThan(SAID_WITHIN_MS);
    await killed;
    await page.getByRole('button', { name: /^(Propose|Say) it$/ }).click();
    await page.getByText(meanwhile).waitFor();
    if (meanwhile === UNKNOWN) expect(await reason.inputValue()).toBe(REASON.join(''));

    await again();
    await page.getByText('Live', { exact: true }).waitFor();
    if (meanwhile === UNKNOWN) {
      await page.getByText('another approver than alice').waitFor();
      await page.getByRole('button', { name: 'Propose it' }).click();
      await page.getByText('It is proposed.').waitFor();
    }
    await page.getByRole('heading', { name: /alice says: succeeded/ }).waitFor();
    await page.context().close();
  },
  180_000,
);
