import { createClient } from 'redis';
import {
  aPartnerAAuthorization,
  startRedisCluster,
  waitFor,
  type RedisCluster,
  type RedisServer,
} from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { allCalls, pacedLoad, repeatedIn } from './paced-load.js';

const PER_SECOND = 50;
/** Fills the socket buffers, so that the master keeps later writes in its own memory and loses them with it. */
const FILLER = { count: 24, text: 'x'.repeat(1_000_000) };
const AGAIN = 20;

let cluster: RedisCluster;
let stack: GatewayStack;
beforeAll(async () => {
  cluster = await startRedisCluster({ withReplicas: true });
  stack = await startGatewayStack({
    REDIS_URL: 'redis://unused.invalid',
    REDIS_CLUSTER_NODES: cluster.nodes,
    PLATFORM_TIMEOUT_MS: '5000',
  });
}, 120_000);
afterAll(async () => {
  await stack?.stop();
  await cluster?.stop();
});

const ended = () => new Set(stack.results.events.map(({ data }) => data.commandId));

/** Offset of the last journal record in the index, for the partitions whose slots this server has. */
async function markersAt(server: RedisServer): Promise<Map<string, number>> {
  const client = await createClient({ url: server.url, readonly: true }).connect();
  const markers = new Map<string, number>();
  for (const key of await client.keys(`${stack.prefix}gateway:*:orders`)) {
    const marker = (await client.hGet(key, 'marker')) ?? '';
    markers.set(key, Number(/^\d+/.exec(marker)?.[0]));
  }
  client.destroy();
  return markers;
}

async function fill(server: RedisServer): Promise<void> {
  const [key = ''] = (await markersAt(server)).keys();
  const tag = /\{.*\}/.exec(key)?.[0] ?? '';
  for (let count = 0; count < FILLER.count; count++) await server.ask(['SET', `filler-${count}${tag}`, FILLER.text]);
}

it('executes nothing twice and goes on by itself when a replica without the latest writes takes the place of a master', async () => {
  const [master] = cluster.masters;
  const [replica] = cluster.replicas;
  if (master === undefined || replica === undefined) throw new Error('no cluster');
  const count = () => stack.results.events.length;
  const seen = (more: number, since = count()) =>
    waitFor(() => count() >= since + more, { timeoutMs: 60_000, what: `${more} more events` });
  const load = pacedLoad(stack, PER_SECOND);
  await seen(100);
  replica.signal('SIGSTOP');
  await fill(master);
  await seen(50);
  const atMaster = await markersAt(master);
  await master.stop();
  replica.signal('SIGCONT');
  const atReplica = await markersAt(replica);
  const lost = [...atMaster].filter(([key, marker]) => (atReplica.get(key) ?? -1) < marker);
  expect(lost.length).toBeGreaterThan(0);
  await seen(100);
  const sent = await load.stop();

  await waitFor(() => sent.every(({ commandId }) => ended().has(commandId)), {
    timeoutMs: 60_000,
    what: 'an end of every command',
  });
  const ready = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).ok;
  await waitFor(ready, { timeoutMs: 30_000, what: 'ready again' });

  const known = count();
  for (const { orderId, commandId } of sent.slice(-AGAIN))
    await stack.send('payment.authorize', aPartnerAAuthorization({ orderId }), commandId);
  await seen(AGAIN, known);
  const firstIds = new Set(stack.results.events.slice(0, known).map(({ id }) => id));
  expect(stack.results.events.slice(known).filter(({ id }) => !firstIds.has(id))).toEqual([]);
  const calls = await allCalls(stack);
  expect(repeatedIn(calls.map(({ orderId }) => orderId))).toEqual([]);
  expect(calls).toHaveLength(sent.length);
}, 240_000);
