import { silentLog } from '@tranche/runtime';
import { freePorts, RedisServer, waitFor } from '@tranche/testing';
import { RedisClient, type ServiceLogger } from '../src/index.js';

jest.setTimeout(300_000);

const NAME = 'tranche-index';

describe('a Redis that sentinels watch', () => {
  let master: RedisServer;
  let replica: RedisServer;
  let sentinels: Sentinels;
  let client: RedisClient;
  const clientOf = (nodes: string[], name = NAME) =>
    new RedisClient({
      url: 'redis://unused.invalid/2',
      sentinels: { nodes, master: name },
      name: 'spec',
      log: silentLog as ServiceLogger,
    });

  beforeAll(async () => {
    master = await RedisServer.start();
    replica = await RedisServer.start({ replicaof: `127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay': '0' });
    sentinels = await startSentinels(NAME, master);
    client = clientOf(['127.0.0.1:1', ...sentinels.nodes.split(',')]);
    await waitFor(() => client.isReady, { timeoutMs: 120_000, what: 'readiness' });
  });
  afterAll(async () => {
    await client.close();
    await Promise.all([master, replica, ...sentinels.servers].map((server) => server.stop()));
  });

  it('is found by the first sentinel that answers, and its database is the one of the URL', async () => {
    await client.set('key', 'value');
    expect(await client.sendToEach(['CLIENT', 'INFO'])).toEqual([
      { address: `127.0.0.1:${master.port}`, answer: expect.stringMatching(/ name=tranche-spec .* db=2 /) },
    ]);
  });

  it('is not found under a name that no sentinel knows: each of them is named', async () => {
    const other = clientOf(sentinels.nodes.split(','), 'another');
    const isSaid = () =>
      other.get('key').then(
        () => false,
        (error: Error) => error.message.includes('knows no master another') && error.message,
      );
    const said = await waitFor(isSaid, { what: 'the reason' });
    for (const node of sentinels.nodes.split(',')) expect(said).toContain(node);
    await other.close();
  });

  it('is the replica after the master froze, though its connection stayed open', async () => {
    await waitFor(async () => (await replica.ask<string>(['INFO', 'keyspace'])).includes('db2:keys=1'), {
      what: 'the copy',
    });
    master.signal('SIGSTOP');
    try {
      const address = async () => (await client.sendToEach(['PING']))[0]?.address === `127.0.0.1:${replica.port}`;
      await waitFor(() => address().catch(() => false), { timeoutMs: 120_000, what: 'the new master' });
      expect(await client.get('key')).toBe('value');
      await client.set('key', 'other');
    } finally {
      master.signal('SIGCONT');
    }
  });
});

interface Sentinels {
  nodes: string;
  servers: RedisServer[];
}

/** Three sentinels of one master; if it is silent for five seconds, two of them can promote a replica. */
async function startSentinels(name: string, master: RedisServer): Promise<Sentinels> {
  const file = (port: number) =>
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor ${name} 127.0.0.1 ${master.port} 2`,
      `sentinel down-after-milliseconds ${name} 5000`,
      `sentinel failover-timeout ${name} 5000`,
    ].join('\n');
  const servers: RedisServer[] = [];
  for (let count = 0; count < 3; count++) {
    const [port] = await freePorts();
    servers.push(await RedisServer.start({}, file(port), port));
  }
  const knowsOthers = async (server: RedisServer) =>
    (await server.ask<unknown[]>(['SENTINEL', 'SENTINELS', name])).length === 2 &&
    (await server.ask<unknown[]>(['SENTINEL', 'REPLICAS', name])).length > 0;
  const doAll = async () => (await Promise.all(servers.map(knowsOthers))).every(Boolean);
  await waitFor(doAll, { timeoutMs: 60_000, what: 'sentinels that know each other and a replica' });
  return { servers, nodes: servers.map(({ port }) => `127.0.0.1:${port}`).join(',') };
}
