import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { COMMAND_TOPICS, encodeCloudEvent, TOPICS } from '@tranche/contracts';
import { createKafkaClient, LogFollower } from '@tranche/kafka';
import { journalPartition } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { aCommand, aPartnerAAuthorization, startApp, startSimulator, waitFor } from '@tranche/testing';
import { holdProcesses } from '../infra/processes.mjs';
import { grant, passwordOf, startAclBroker } from '../infra/test/acl-broker.mjs';

const { PATH, HOME, REDIS_URL } = process.env;
const GATEWAY = 'payment-gateway';
const PREFIX = `forward-${randomUUID().slice(0, 8)}.`;
const COMMANDS = PREFIX + COMMAND_TOPICS['partner-a'].name;
const held = holdProcesses();
const ends = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await held.close();
});

it('without the right to write commands a warning names topic and right, other commands go on, and the waiting one does after the grant', async () => {
  const isMissing = ({ principal, name }) => principal === GATEWAY && name === COMMANDS;
  const args = ['tools/dev.mjs', 'acls', '--kafka', '--publisher', 'payment', '--rails', 'partner-a', '--json'];
  const env = { PATH, HOME, KAFKA_TOPIC_PREFIX: PREFIX };
  const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const rows = JSON.parse(stdout).map((row) =>
    isMissing(row) ? { ...row, operations: row.operations.filter((operation) => operation !== 'Write') } : row,
  );
  const brokers = await startAclBroker({ held, users: [GATEWAY], prefix: PREFIX, rows });
  const sasl = (username) => ({ mechanism: 'plain', username, password: passwordOf(username) });
  const simulator = await startSimulator();
  ends.push(() => simulator.stop());
  const gateway = await startApp('payment-gateway', {
    ...{ KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: PREFIX, REDIS_URL },
    ...{ KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: GATEWAY, KAFKA_SASL_PASSWORD: passwordOf(GATEWAY) },
    ...{ PAYMENT_URL: simulator.url, AUTH_SERVICE_KEY: 'not-used' },
  });
  ends.push(() => gateway.stop());
  const client = createKafkaClient({ brokers: [brokers], clientId: 'spec', sasl: sasl('admin') }, silentLog);
  const answered = new Set();
  const follower = new LogFollower({ client, topic: PREFIX + TOPICS.events.name, log: silentLog });
  await follower.start({ from: 'beginning', onRecords: (_partition, records) => records.forEach(({ key }) => answered.add(key)) }); // prettier-ignore
  ends.push(() => follower.stop());
  const kafka = new kafkajs.Kafka({ brokers: [brokers], sasl: sasl('admin'), logLevel: kafkajs.logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  ends.push(() => producer.disconnect());
  const authorize = async (orderId, distance) => {
    const data = aPartnerAAuthorization({ orderId });
    const key = `${data.merchant}/${orderId}`;
    const event = encodeCloudEvent(aCommand('payment.authorize', data));
    const partition = (journalPartition(key) + distance) % 12;
    await producer.send({ topic: COMMANDS, messages: [{ key, partition, ...event }] });
    return key;
  };
  const untilAnswered = (key) => waitFor(() => answered.has(key), { what: `an event of ${key}`, timeoutMs: 60_000 });
  const warnings = () => gateway.logs.filter((line) => line.includes(`the right Write to topic ${COMMANDS}`));

  const waiting = await authorize('waits', 1);
  await waitFor(() => warnings().length > 0, { what: 'the warning', timeoutMs: 60_000 });
  for (let order = 1; order <= 20; order++) await untilAnswered(await authorize(`other-${order}`, 0));
  expect(answered.has(waiting)).toBe(false);
  expect(warnings()).toHaveLength(1);

  const admin = kafka.admin();
  await admin.connect();
  ends.push(() => admin.disconnect());
  await grant(admin, [{ principal: GATEWAY, resource: 'topic', name: COMMANDS, pattern: 'literal', operations: ['Write'] }]); // prettier-ignore
  await untilAnswered(waiting);
}, 300_000);
