import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ownPrefix, startRedisCluster, type RedisCluster } from '@tranche/testing';
import { startBrowserStack, type BrowserStack } from './browser-stack.js';
import { enterShop } from './shopper.js';

const PASSWORD = 'long-and-random';
const ROOT = join(__dirname, '../../..');

let cluster: RedisCluster;
let stack: BrowserStack;
beforeAll(async () => {
  cluster = await startRedisCluster();
  const prefix = ownPrefix();
  await allowAsPrinted(prefix);
  const settings = (app: string) => ({
    KAFKA_TOPIC_PREFIX: prefix,
    REDIS_URL: `redis://${app}:${PASSWORD}@unused.invalid`,
    REDIS_CLUSTER_NODES: cluster.nodes,
    // The default of each service, which is what it may use.
    REDIS_KEY_PREFIX: '',
  });
  stack = await startBrowserStack({ settings });
}, 180_000);
afterAll(async () => {
  await stack?.stop();
  await cluster?.stop();
});

const ofAll = <T>(ask: (master: RedisCluster['masters'][0]) => Promise<T>) => Promise.all(cluster.masters.map(ask));

/** What `acls --redis` prints, on each master. */
async function allowAsPrinted(prefix: string): Promise<void> {
  const program = [join(ROOT, 'tools/tranche.mjs'), 'acls', '--redis', '--json'];
  const env = { ...process.env, KAFKA_TOPIC_PREFIX: prefix };
  const printed = execFileSync(process.execPath, program, { cwd: ROOT, env, encoding: 'utf8' });
  for (const { user, rules } of JSON.parse(printed) as { user: string; rules: string[] }[])
    await ofAll((master) => master.ask(['ACL', 'SETUSER', user, ...rules, `>${PASSWORD}`]));
}

it('every service keeps what it knows in a Redis Cluster of three, as a user of its own: a card is paid, and instalments', async () => {
  const shopper = await enterShop(stack);
  await shopper.payByCard();
  await shopper.until('succeeded');
  expect(await stack.executed(await shopper.orderId())).toEqual(['payment 0000']);
  await shopper.leave();

  const other = await enterShop(stack);
  await other.payIn('a3');
  await other.decide('validate');
  await other.until('succeeded');
  expect(await stack.executed(await other.orderId())).toEqual(['authorization 0000']);
  await other.leave();

  const keys = (await ofAll((master) => master.ask<string[]>(['KEYS', '*']))).flat();
  for (const service of ['auth', 'cse', 'checkout'])
    expect(keys).toContainEqual(expect.stringMatching(`^tranche:${service}:`));
  expect(keys.filter((key) => !/^tranche:|gateway:/.test(key))).toEqual([]);
});

it('no service asks for what it may not do', async () => {
  expect((await ofAll((master) => master.ask<unknown[]>(['ACL', 'LOG']))).flat()).toEqual([]);
});
