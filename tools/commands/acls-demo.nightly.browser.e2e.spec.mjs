import { spawnSync } from 'node:child_process';
import { ownPrefix, startRedisCluster } from '@tranche/testing';
import { startBrowserStack } from '../../apps/checkout-demo/test/browser-stack.js';
import { enterShop } from '../../apps/checkout-demo/test/shopper.js';
import { passwordOf, startAclBroker } from '../infra/test/acl-broker.mjs';
import { holdProcesses } from '../infra/processes.mjs';

const { PATH, HOME } = process.env;
const USERS = ['payment-gateway', 'notification-ingest', 'auth-service', 'cse-token-service', 'checkout-demo'];
const prefix = ownPrefix();
const held = holdProcesses();
let cluster;
let stack;

const acls = (kind) => {
  const env = { PATH, HOME, KAFKA_TOPIC_PREFIX: prefix };
  return JSON.parse(spawnSync(process.execPath, ['tools/dev.mjs', 'acls', kind, '--json'], { env }).stdout);
};
const onEach = (command) => Promise.all(cluster.masters.map((master) => master.ask(command)));

beforeAll(async () => {
  cluster = await startRedisCluster();
  for (const { user, rules } of acls('--redis'))
    await onEach(['ACL', 'SETUSER', user, ...rules, `>${passwordOf(user)}`]);
  const brokers = await startAclBroker({ held, users: USERS, prefix, rows: acls('--kafka') });
  const settings = (app) => ({
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: prefix,
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: app,
    KAFKA_SASL_PASSWORD: passwordOf(app),
    REDIS_URL: `redis://${app}:${passwordOf(app)}@unused.invalid`,
    REDIS_CLUSTER_NODES: cluster.nodes,
    // The ACLs allow only each service's default prefix.
    REDIS_KEY_PREFIX: '',
  });
  stack = await startBrowserStack({ settings });
}, 300_000);
afterAll(async () => {
  await stack?.stop();
  await cluster?.stop();
  await held.close();
});

const bought = async (pay) => {
  const shopper = await enterShop(stack);
  await pay(shopper);
  await shopper.until('succeeded');
  const executed = await stack.executed(await shopper.orderId());
  await shopper.leave();
  return executed;
};
const onTheForm = (method) => async (shopper) => {
  await shopper.payIn(method);
  await shopper.decide('validate');
};

it('every service works as a user of its own, of Kafka and of a Redis Cluster of three: each rail is paid', async () => {
  expect(await bought((shopper) => shopper.payByCard())).toEqual(['payment 0000']);
  expect(await bought(onTheForm('a3'))).toEqual(['authorization 0000']);
  expect(await bought(onTheForm('b3'))).toEqual(['authorization 0000']);
  const keys = (await onEach(['KEYS', '*'])).flat();
  for (const service of ['auth', 'cse', 'checkout'])
    expect(keys).toContainEqual(expect.stringMatching(`^tranche:${service}:`));
  expect(keys.filter((key) => !/^tranche:|gateway:/.test(key))).toEqual([]);
}, 120_000);

it('no service asks Redis for what it may not do', async () => {
  expect((await onEach(['ACL', 'LOG'])).flat()).toEqual([]);
});
