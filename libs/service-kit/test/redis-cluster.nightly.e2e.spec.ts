import { silentLog } from '@tranche/runtime';
import { startRedisCluster, waitFor, type RedisCluster } from '@tranche/testing';
import { RedisClient, type ServiceLogger } from '../src/index.js';

jest.setTimeout(300_000);

describe('a Redis Cluster', () => {
  let cluster: RedisCluster;
  let client: RedisClient;
  const KEYS = Array.from({ length: 300 }, (_, number) => `{k${number}}:value`);
  const untilReady = () => waitFor(() => client.isReady, { timeoutMs: 120_000, what: 'readiness' });
  const roleAt = (at: number) => cluster.replicas[at]!.ask<[string]>(['ROLE']).then(([role]) => role);
  const writeAll = () => Promise.all(KEYS.map((key) => client.set(key, key)));
  const readAll = () => Promise.all(KEYS.map((key) => client.get(key)));

  beforeAll(async () => {
    cluster = await startRedisCluster({ withReplicas: true });
    const [one = ''] = cluster.nodes.split(',');
    client = new RedisClient({
      url: 'redis://unused.invalid',
      clusterNodes: [one],
      name: 'spec',
      log: silentLog as ServiceLogger,
    });
    await untilReady();
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  it('is found whole from one of its nodes; each key is where it belongs, and each master is asked', async () => {
    await writeAll();
    expect(await readAll()).toEqual(KEYS);
    const sizes = await client.sendToEach<number>(['DBSIZE']);
    expect(sizes.map(({ address }) => address).sort()).toEqual(
      cluster.masters.map(({ port }) => `127.0.0.1:${port}`).sort(),
    );
    expect(sizes.reduce((sum, { answer }) => sum + answer, 0)).toBe(KEYS.length);
    expect(Math.min(...sizes.map(({ answer }) => answer))).toBeGreaterThan(50);
  });

  it('may move a slot while it is used: nothing fails', async () => {
    const key = '{moved}:value';
    await client.set(key, 'here');
    const number = await cluster.masters[0]!.ask<number>(['CLUSTER', 'KEYSLOT', key]);
    const owner = Math.floor((number * cluster.masters.length) / 16_384);
    const [from, to] = [cluster.masters[owner]!, cluster.masters[(owner + 1) % 3]!];
    const slot = String(number);
    await to.ask(['CLUSTER', 'SETSLOT', slot, 'IMPORTING', await from.ask<string>(['CLUSTER', 'MYID'])]);
    await from.ask(['CLUSTER', 'SETSLOT', slot, 'MIGRATING', await to.ask<string>(['CLUSTER', 'MYID'])]);
    await from.ask(['MIGRATE', '127.0.0.1', String(to.port), key, '0', '1000']);
    expect(await client.get(key)).toBe('here');
    const id = await to.ask<string>(['CLUSTER', 'MYID']);
    for (const node of [to, from]) await node.ask(['CLUSTER', 'SETSLOT', slot, 'NODE', id]);
    expect(await client.get(key)).toBe('here');
    await client.set(key, 'there');
    expect(await to.ask(['GET', key])).toBe('there');
  });

  it('lets a replica take the place of a master that is killed: commands fail meanwhile, and then go on', async () => {
    await cluster.masters[1]?.stop();
    await waitFor(() => !client.isReady, { timeoutMs: 120_000, what: 'not ready' });
    await expect(client.get('x')).rejects.toThrow('cannot be reached');
    await waitFor(async () => (await roleAt(1)) === 'master', { timeoutMs: 120_000, what: 'a new master' });
    await untilReady();
    await writeAll();
    expect(await readAll()).toEqual(KEYS);
  });

  it('does so too where a master is frozen, and its connection stays open', async () => {
    const [frozen] = cluster.masters;
    frozen?.signal('SIGSTOP');
    try {
      await waitFor(async () => (await roleAt(0)) === 'master', { timeoutMs: 120_000, what: 'a new master' });
      const works = () =>
        writeAll().then(
          () => true,
          () => false,
        );
      await waitFor(works, { timeoutMs: 120_000, what: 'writes' });
      expect(await readAll()).toEqual(KEYS);
    } finally {
      frozen?.signal('SIGCONT');
    }
  });
});
