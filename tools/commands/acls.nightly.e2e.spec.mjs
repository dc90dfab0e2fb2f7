import { randomUUID } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import kafkajs from 'kafkajs';
import { createClient } from 'redis';
import { encodeCloudEvent, NOTIFICATION_TYPE, TOPICS } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';
import { aCommand, aNotification, aPartnerAAuthorization, startApp, startSimulator, waitFor } from '@tranche/testing';
import { passwordOf, startAclBroker } from '../infra/test/acl-broker.mjs';
import { connectedBroker, otherThanRefusal } from '../infra/test/broker-attempts.mjs';
import { FORBIDDEN_TO, FORBIDDEN_TO_ALL, forbiddenTo } from '../infra/test/forbidden-at-kafka.mjs';
import { holdProcesses } from '../infra/processes.mjs';

const { PATH, HOME, REDIS_URL } = process.env;
const PREFIX = `acl-${randomUUID().slice(0, 8)}.`;
/** Its groups begin with `payment`: if a rule matched group prefixes, it would cover payment-gateway's groups too. */
const PUBLISHER = 'payment';
const WIDE = 'somebody-with-all-rights';
const USERS = [
  'payment-gateway',
  'notification-ingest',
  'auth-service',
  'cse-token-service',
  'operations',
  'tranche-cli',
  PUBLISHER,
];
const topicOf = ({ name }) => PREFIX + name;
const held = holdProcesses();
const apps = [];
const connections = [];
let brokers;
afterAll(async () => {
  await Promise.all(connections.map((one) => one.disconnect()));
  await Promise.all(apps.map((app) => app.stop()));
  await held.close();
});

const acls = (...args) => {
  const env = { PATH, HOME, KAFKA_TOPIC_PREFIX: PREFIX };
  const { stdout } = spawnSync(process.execPath, ['tools/dev.mjs', 'acls', ...args], { env, encoding: 'utf8' });
  return stdout;
};
const kafkaAs = (username) =>
  new kafkajs.Kafka({
    brokers: [brokers],
    clientId: username,
    sasl: { mechanism: 'plain', username, password: passwordOf(username) },
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 30_000,
    retry: { retries: 0 },
  });
async function connected(one) {
  await one.connect();
  connections.push(one);
  return one;
}

beforeAll(async () => {
  const rows = JSON.parse(acls('--kafka', '--publisher', PUBLISHER, '--rails', 'partner-a', '--json'));
  const everything = { principal: WIDE, name: '*', pattern: 'literal' };
  const wide = [
    { ...everything, resource: 'topic', operations: ['Write', 'Read', 'DescribeConfigs'] },
    { ...everything, resource: 'group', operations: ['Read'] },
  ];
  brokers = await startAclBroker({ held, users: [...USERS, WIDE], prefix: PREFIX, rows: [...rows, ...wide] });
}, 120_000);

async function brokerAs(username) {
  const sasl = { mechanism: 'plain', username, password: passwordOf(username) };
  return connected(await connectedBroker({ address: brokers, sasl }));
}
const aTopic = topicOf(TOPICS.journal);
async function allowed(user, forbidden) {
  const broker = await brokerAs(user);
  const answers = [];
  for (const attempt of forbidden) answers.push(await otherThanRefusal(broker, attempt, { aTopic }));
  return answers.filter(Boolean);
}

it('the lists of what is forbidden name every topic and every user', () => {
  const names = Object.values(TOPICS).map(({ name }) => name);
  expect([...FORBIDDEN_TO_ALL.delete].sort()).toEqual([...names].sort());
  expect(Object.keys(FORBIDDEN_TO)).toEqual(USERS);
});

it.each(USERS)(
  'Kafka refuses %s everything that is forbidden to it',
  async (user) => {
    const forbidden = forbiddenTo(user, PREFIX);
    const { write, read, groups } = FORBIDDEN_TO[user];
    expect(write.length + read.length + groups.length).toBeGreaterThanOrEqual(22);
    expect(forbidden.length).toBeGreaterThanOrEqual(40);
    expect(await allowed(user, forbidden)).toEqual([]);
  },
  120_000,
);

describe('Redis', () => {
  const own = JSON.parse(acls('--redis', '--json')).map(({ user, rules }) => ({ user: `${PREFIX}${user}`, rules }));
  const password = 'long-and-random';
  const urlOf = (user) => Object.assign(new URL(REDIS_URL), { username: user, password }).href;
  let admin;
  beforeAll(async () => {
    admin = await createClient({ url: REDIS_URL }).connect();
    for (const { user, rules } of own) await admin.sendCommand(['ACL', 'SETUSER', user, ...rules, `>${password}`]);
  });
  afterAll(async () => {
    for (const { user } of own) await admin.sendCommand(['ACL', 'DELUSER', user]);
    admin.destroy();
  });
  /** These prefixes are written by hand, because the table that makes the rules is under test. */
  const KEYS = {
    'payment-gateway': `${PREFIX}gateway:`,
    'notification-ingest': `tranche:ingest:${PREFIX}`,
    'auth-service': `tranche:auth:${PREFIX}`,
    'cse-token-service': `tranche:cse:${PREFIX}`,
    'checkout-demo': `tranche:checkout:${PREFIX}`,
  };
  const keyOf = ({ user }) => KEYS[user.slice(PREFIX.length)];

  it.each(own.map(({ user }, at) => [user.slice(PREFIX.length), at]))(
    'gives %s its own keys and no others',
    async (_user, at) => {
      const client = await createClient({ url: urlOf(own[at].user) }).connect();
      try {
        await client.set(keyOf(own[at]), '1', { EX: 60 });
        expect(await client.eval('return redis.call("get", KEYS[1])', { keys: [keyOf(own[at])] })).toBe('1');
        const others = own.filter((_one, index) => index !== at).map(keyOf);
        const commands = [
        ...others.flatMap((key) => [['GET', key], ['SET', key, '1'], ['DEL', key], ['HGETALL', key], ['EVAL', 'return redis.call("get", KEYS[1])', '1', key], ['RENAME', keyOf(own[at]), key]]),
        ...[['KEYS', '*'], ['SCAN', '0'], ['RANDOMKEY'], ['FLUSHALL'], ['FLUSHDB'], ['CONFIG', 'GET', '*'], ['CONFIG', 'SET', 'maxmemory', '1'], ['ACL', 'LIST'], ['SHUTDOWN'], ['BGSAVE'], ['MONITOR'], ['CLIENT', 'LIST'], ['SAVE'], ['REPLICAOF', 'NO', 'ONE'], ['SWAPDB', '0', '1'], ['SCRIPT', 'FLUSH']],
      ]; // prettier-ignore
        expect(commands.length).toBe(40);
        const answers = await Promise.all(
        commands.map((command) => client.sendCommand(command).then(() => command.join(' '), (error) => /NOPERM|no permissions/i.test(error.message) ? undefined : `${command.join(' ')}: ${error.message}`)),
      ); // prettier-ignore
        expect(answers.filter(Boolean)).toEqual([]);
      } finally {
        client.destroy();
      }
    },
  );

  it('and Kafka let a command come from its publisher to success, each under a user of its own', async () => {
    const simulator = await startSimulator();
    apps.push(simulator);
    const gateway = await startApp('payment-gateway', {
      KAFKA_BROKERS: brokers,
      KAFKA_TOPIC_PREFIX: PREFIX,
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'payment-gateway',
      KAFKA_SASL_PASSWORD: passwordOf('payment-gateway'),
      REDIS_URL: urlOf(`${PREFIX}payment-gateway`),
      PAYMENT_URL: simulator.url,
      AUTH_SERVICE_KEY: 'not-used',
    });
    apps.push(gateway);
    const events = [];
    const commerce = kafkaAs(PUBLISHER);
    const consumer = await connected(commerce.consumer({ groupId: `${PREFIX}${PUBLISHER}` }));
    await consumer.subscribe({ topic: topicOf(TOPICS.events), fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void events.push([String(message.headers.ce_type), JSON.parse(message.value)]) }); // prettier-ignore
    const eventOf = (type) =>
      waitFor(() => events.find(([one]) => one === type), { what: type, timeoutMs: 30_000 }).catch((cause) => {
        throw new Error(`${cause.message}, only ${events.map(([one]) => one)}\n${gateway.logs.slice(-10).join('\n')}`);
      });
    const publish = async (user, topic, key, event, partition) => {
      const producer = await connected(kafkaAs(user).producer());
      await producer.send({ topic: PREFIX + topic, messages: [{ key, partition, ...encodeCloudEvent(event) }] });
    };
    const data = aPartnerAAuthorization({ orderId: 'under-acls' });
    const key = `${data.merchant}/${data.orderId}`;
    const time = new Date().toISOString();
    const command = aCommand('payment.authorize', data, { id: randomUUID(), time });
    // On another partition than the order's, so that the gateway forwards it, which takes its right to write commands.
    await publish(PUBLISHER, 'payments.commands.partner-a.v1', key, command, (journalPartition(key) + 1) % 12);
    const [, { transactionId }] = await eventOf('payment.authorize.redirect_required');
    const about = { orderId: data.orderId, operationType: 'authorization', transactionId, execCode: '0000', extraData: undefined }; // prettier-ignore
    const notification = {
      id: randomUUID(),
      source: '/spec',
      type: NOTIFICATION_TYPE,
      time,
      data: aNotification(about),
    };
    await publish('notification-ingest', TOPICS.notifications.name, key, notification);
    await eventOf('payment.authorize.succeeded');

    const trancheAs = (user, ...args) => {
      const env = { PATH, HOME, KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: PREFIX, REDIS_URL: urlOf(`${PREFIX}payment-gateway`) };
      const sasl = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: user, KAFKA_SASL_PASSWORD: passwordOf(user) };
      const { stdout, stderr } = spawnSync(process.execPath, ['apps/cli/dist/service.js', ...args], { env: { ...env, ...sasl }, encoding: 'utf8' });
      return stdout || stderr;
    }; // prettier-ignore
    const found = JSON.parse(trancheAs('tranche-cli', 'commands', 'find', command.id, '--json'));
    expect(found.commands).toMatchObject([{ commandId: command.id, verdict: 'done' }]);
    expect(trancheAs('tranche-cli', 'commands', 'find', 'never-sent', '--json')).toContain('"never_arrived"');
    expect(JSON.parse(trancheAs('payment-gateway', 'journal', 'status', '--json')).partitions).toHaveLength(12);
    await gateway.stop();
    const late = { ...command, id: randomUUID() };
    await publish(PUBLISHER, 'payments.commands.partner-a.v1', key, late);
    // It sees the gateways' group, which has handled the records before.
    const waiting = JSON.parse(trancheAs('tranche-cli', 'commands', 'find', late.id, '--json')).commands;
    expect(waiting).toMatchObject([{ verdict: 'waiting', position: { ahead: '0', gateways: 0 } }]);
  }, 120_000);
});

it('prints the same as scripts', () => {
  expect(acls('--kafka')).toContain(`--add --allow-principal User:payment-gateway --operation Write --operation Read --operation DescribeConfigs --topic ${PREFIX}payments.journal.v1`); // prettier-ignore
  expect(acls('--redis')).toContain('redis-cli -u "$REDIS_ADMIN_URL" ACL SETUSER auth-service \'reset\' \'on\' \'~tranche:auth:*\''); // prettier-ignore
});

/** This test writes to every topic, so it runs last. */
it('Kafka refuses nothing of it to who may write, read and consume everything: the attempts are real ones', async () => {
  const forbidden = forbiddenTo('auth-service', PREFIX).filter(([attempt]) =>
    ['write', 'read', 'commit'].includes(attempt),
  );
  // A group with members refuses a commit from outside; that refusal does not come from an ACL.
  expect(await allowed(WIDE, forbidden)).toEqual(
    forbidden.map((attempt) => expect.stringMatching(`^${attempt.join(' ')}: (done|UNKNOWN_MEMBER_ID)`)),
  );
}, 120_000);
