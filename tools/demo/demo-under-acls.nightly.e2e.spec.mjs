import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { ownPrefix, RedisServer } from '@tranche/testing';
import { passwordOf, startAclBroker } from '../infra/test/acl-broker.mjs';
import { holdProcesses } from '../infra/processes.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { setStage } from './stage.mjs';
import { play } from './story.mjs';

const { PATH, HOME } = process.env;
const SHOP = 'demo-shop';
const USERS = ['payment-gateway', 'notification-ingest', 'auth-service', 'cse-token-service', 'checkout-demo', SHOP];
const prefix = ownPrefix();
const held = holdProcesses();
const lines = [];
let redis;
let stage;

const acls = (...args) => {
  const env = { PATH, HOME, KAFKA_TOPIC_PREFIX: prefix };
  return JSON.parse(spawnSync(process.execPath, ['tools/dev.mjs', 'acls', ...args, '--json'], { env }).stdout);
};
const sasl = (username) => ({ mechanism: 'plain', username, password: passwordOf(username) });

// kafkajs requires the files of a request when it first sends one, and Jest refuses a `require` between two hooks: the shop's reader would end.
const { requests } = createRequire(import.meta.url)('kafkajs/src/protocol/requests');
for (const { versions, protocol } of Object.values(requests)) for (const version of versions) protocol({ version })({});

beforeAll(async () => {
  redis = await RedisServer.start();
  for (const { user, rules } of acls('--redis'))
    await redis.ask(['ACL', 'SETUSER', user, ...rules, `>${passwordOf(user)}`]);
  const rows = [...acls('--kafka'), ...acls('--kafka', '--publisher', SHOP)];
  const brokers = await startAclBroker({ held, users: USERS, prefix, rows });
  const settingsOf = (app) => ({
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: app,
    KAFKA_SASL_PASSWORD: passwordOf(app),
    REDIS_URL: redis.url.replace('redis://', `redis://${app}:${passwordOf(app)}@`),
    // The ACLs allow only each service's default prefix.
    REDIS_KEY_PREFIX: '',
  });
  stage = await setStage({
    held,
    log: (line) => lines.push(line),
    infrastructure: { brokers, redisUrl: redis.url },
    access: { topicPrefix: prefix, sasl: sasl(SHOP), settingsOf },
  });
}, 300_000);
afterAll(async () => {
  await stage?.close();
  await held.close();
  await redis?.stop();
});

it.each(SCENARIOS.map((scenario) => [scenario.title, scenario]))(
  'each service and the shop under a user of its own: %s',
  async (_, scenario) => {
    const said = [];
    const print = (line) => said.push(line);
    const { passed } = await play(scenario, { stage, signal: new AbortController().signal, print });
    if (!passed) throw new Error(said.join('\n'));
  },
  120_000,
);

it('no service asks Redis for what it may not do', async () => {
  expect(await redis.ask(['ACL', 'LOG'])).toEqual([]);
});
