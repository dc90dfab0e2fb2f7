import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, RedisClient } from '@tranche/service-kit';
import { waitFor } from '@tranche/testing';
import { createClient } from 'redis';
import { authority, certificate } from './test/certificates.mjs';
import { freePorts } from './ports.mjs';
import { holdProcesses } from './processes.mjs';
import { redisArguments, redisCommand } from './redis.mjs';

const SLOTS = 16_384;
const MASTER = 'tranche-index';
const folder = mkdtempSync(join(tmpdir(), 'tranche-transport-'));
const held = holdProcesses();
const lines = [];
const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(JSON.parse(line)) } });

const ours = authority(folder, 'ours');
const foreign = authority(folder, 'foreign');
const sound = certificate(folder, 'sound', { by: ours });
const users = join(folder, 'users.acl');
writeFileSync(users, 'user default on nopass ~* &* +@all\nuser gateway on >of-the-gateway ~tranche:* +@all\n');

/** All connections use TLS: those of clients, other nodes, replicas and sentinels. */
const TLS = {
  port: 0,
  'tls-cert-file': sound.cert,
  'tls-key-file': sound.key,
  'tls-ca-cert-file': ours.cert,
  'tls-auth-clients': 'no',
  'tls-replication': 'yes',
};

let command;
beforeAll(async () => (command = await redisCommand({ held, log: () => undefined })));
afterAll(async () => {
  await held.close();
  rmSync(folder, { recursive: true });
});

async function started(port, settings) {
  const args = Object.entries({ ...TLS, 'tls-port': port, ...settings }).flatMap(([name, value]) => [
    `--${name}`,
    `${value}`,
  ]);
  held.start(command, [...redisArguments({ port: 0, folder: held.folder('tranche-redis-') }), ...args], {
    disposable: true,
  });
  await waitFor(() => ask(port, ['PING']).then(() => true, () => false), { what: 'a Redis over TLS' }); // prettier-ignore
}

async function ask(port, words) {
  const socket = { host: 'localhost', port, tls: true, ca: readFileSync(ours.cert), reconnectStrategy: false };
  const client = createClient({ socket }).on('error', () => undefined);
  try {
    await client.connect();
    return await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}

function redis(topology, { user = 'gateway:of-the-gateway', caFile = ours.cert } = {}) {
  return new RedisClient({
    url: `rediss://${user}@unused.invalid`,
    name: 'tls',
    log,
    maxDelayMs: 50,
    caFile,
    ...topology,
  });
}

/** The client must not become ready, and the log must say why. */
async function isRefused(topology, options, reason) {
  const first = lines.length;
  const client = redis(topology, options);
  await waitFor(() => lines.slice(first).some(({ message }) => message.includes(reason)), { what: reason });
  expect(client.isReady).toBe(false);
  await client.close();
}

const REFUSED = [
  ['of a foreign authority', { caFile: foreign.cert }, 'self-signed certificate in certificate chain'],
  ['that does not know our password', { user: 'gateway:wrong' }, 'WRONGPASS'],
];

describe('a Redis Cluster over TLS', () => {
  let ports;
  beforeAll(async () => {
    const [buses, ofClients] = [await freePorts(3), await freePorts(3)];
    ports = ofClients;
    const ofCluster = {
      'cluster-enabled': 'yes',
      'cluster-node-timeout': 10_000,
      'tls-cluster': 'yes',
      aclfile: users,
    };
    await Promise.all(ports.map((port, at) => started(port, { ...ofCluster, 'cluster-port': buses[at] })));
    const each = Math.ceil(SLOTS / ports.length);
    for (const [at, port] of ports.entries()) {
      await ask(port, ['CLUSTER', 'ADDSLOTSRANGE', `${at * each}`, `${Math.min((at + 1) * each, SLOTS) - 1}`]);
      await ask(port, ['CLUSTER', 'SET-CONFIG-EPOCH', `${at + 1}`]);
      if (at > 0) await ask(ports[0], ['CLUSTER', 'MEET', '127.0.0.1', `${port}`, `${buses[at]}`]);
    }
    const isWhole = async (port) =>
      (await ask(port, ['CLUSTER', 'INFO'])).includes('cluster_state:ok') &&
      (await ask(port, ['CLUSTER', 'NODES'])).trim().split('\n').length === ports.length;
    await waitFor(async () => (await Promise.all(ports.map(isWhole))).every(Boolean), {
      what: 'the cluster',
      timeoutMs: 30_000,
    });
  });
  const topology = () => ({ clusterNodes: [`localhost:${ports[0]}`] });

  it('is found whole from one of its nodes, each node by our authority and under our user', async () => {
    const client = redis(topology());
    await waitFor(() => client.isReady, { what: 'the connections' });
    const keys = Array.from({ length: 60 }, (_, n) => `tranche:{${n}}`);
    await Promise.all(keys.map((key) => client.set(key, key)));
    expect(await Promise.all(keys.map((key) => client.get(key)))).toEqual(keys);
    const sizes = await client.sendToEach(['DBSIZE']);
    expect(sizes.map(({ address }) => Number(address.split(':')[1])).sort()).toEqual([...ports].sort());
    expect(sizes.every(({ answer }) => answer > 0)).toBe(true);
    await expect(client.get('elsewhere')).rejects.toThrow('NOPERM');
    await client.close();
  });

  it.each(REFUSED)('is not used by a client %s', (_who, options, reason) => isRefused(topology(), options, reason));
});

describe('sentinels over TLS', () => {
  let ports;
  beforeAll(async () => {
    ports = await freePorts(2);
    const [port, sentinel] = ports;
    await started(port, { aclfile: users });
    const lines = [
      ...Object.entries({ ...TLS, 'tls-port': sentinel }).map(([name, value]) => `${name} ${value}`),
      `sentinel monitor ${MASTER} 127.0.0.1 ${port} 1`,
    ];
    const file = join(held.folder('tranche-sentinel-'), 'sentinel.conf');
    writeFileSync(file, lines.join('\n'));
    held.start(command, [file, '--sentinel'], { disposable: true });
    await waitFor(() => ask(sentinel, ['PING']).then(() => true, () => false), { what: 'a sentinel over TLS' }); // prettier-ignore
  });
  const topology = () => ({ sentinels: { nodes: [`localhost:${ports[1]}`], master: MASTER } });

  it('name the master, and both are used by our authority', async () => {
    const client = redis(topology());
    await waitFor(() => client.isReady, { what: 'the connection' });
    await client.set('tranche:a', '1');
    expect(await client.get('tranche:a')).toBe('1');
    await client.close();
  });

  it.each(REFUSED)('are of no use to a client %s', (_who, options, reason) => isRefused(topology(), options, reason));
});
