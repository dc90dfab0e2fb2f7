import { EventEmitter } from 'node:events';
import { silentLog } from '@tranche/runtime';
import { Health, Metrics, type RedisClient, type ServiceLogger } from '@tranche/service-kit';
import { CommandGate } from './command-gate.service.js';
import { RedisGuard } from './redis-guard.service.js';

function guarded(topics: 'create' | 'check' = 'create') {
  const server = { info: '' as string | Error, others: [] as string[] };
  const redis = Object.assign(new EventEmitter(), {
    sendToEach: ([command]: string[]): Promise<{ address: string; answer: string }[]> => {
      if (command === 'PING') return Promise.resolve([]);
      if (server.info instanceof Error) return Promise.reject(server.info);
      return Promise.resolve([server.info, ...server.others].map((answer, at) => ({ address: `m${at}:6379`, answer })));
    },
  });
  const changes: boolean[] = [];
  const commandGate = new CommandGate(new Health(), silentLog as ServiceLogger);
  commandGate.onChange((isBlocked) => changes.push(isBlocked));
  const log = silentLog as ServiceLogger;
  const metrics = new Metrics('spec');
  const guard = new RedisGuard(redis as unknown as RedisClient, commandGate, log, { topics }, metrics);
  const says = (policy: string, evicted = 0) =>
    (server.info = `# Server\r\nrun_id:a\r\nmaxmemory_policy:${policy}\r\nevicted_keys:${evicted}\r\n`);
  return { server, redis, commandGate, changes, metrics, guard, says };
}

it.each([
  ['evicts keys', 'run_id:a\r\nmaxmemory_policy:volatile-ttl\r\n', 'Redis evicts keys (maxmemory-policy volatile-ttl)'],
  ['does not say whether it does', 'run_id:a\r\n', 'allow the command INFO'],
  ['refuses to say', new Error('NOPERM'), 'allow the command INFO'],
])('is not usable where it %s', async (_what, info, message) => {
  const { server, guard } = guarded();
  server.info = info;
  await expect(guard.assertUsable()).rejects.toThrow(message);
});

it('is usable where it evicts nothing', async () => {
  const { guard, says } = guarded();
  says('noeviction');
  await expect(guard.assertUsable()).resolves.toBeUndefined();
});

const WITHOUT_FILE = 'run_id:a\r\nmaxmemory_policy:noeviction\r\naof_enabled:0\r\n';
const WITH_FILE = WITHOUT_FILE.replace('aof_enabled:0', 'aof_enabled:1');

it.each([
  [
    'writes no append-only file',
    WITHOUT_FILE,
    /^Redis writes no append-only file \(aof_enabled of INFO\).* Set appendonly yes$/,
  ],
  [
    'does not say whether it writes one',
    'maxmemory_policy:noeviction\r\n',
    'does not say whether it writes an append-only file',
  ],
  [
    'evicts too: both are named',
    WITHOUT_FILE.replace('noeviction', 'allkeys-lru'),
    /evicts keys.*; it writes no append-only file/,
  ],
])('is not usable in production where it %s', async (_what, info, message) => {
  const { server, guard } = guarded('check');
  server.info = info;
  await expect(guard.assertUsable()).rejects.toThrow(message);
});

it.each([
  ['in production where it writes an append-only file', 'check', WITH_FILE],
  ['in development without one', 'create', WITHOUT_FILE],
] as const)('is usable %s', async (_what, topics, info) => {
  const { server, guard } = guarded(topics);
  server.info = info;
  await expect(guard.assertUsable()).resolves.toBeUndefined();
});

it('takes no commands in production while somebody has turned the append-only file off', async () => {
  const { server, guard, commandGate } = guarded('check');
  server.info = WITHOUT_FILE;
  await guard.poll();
  expect(commandGate.blockedBecause).toContain('Set appendonly yes');
  server.info = WITH_FILE;
  await guard.poll();
  expect(commandGate.blockedBecause).toBeUndefined();
});

it('is not usable where one master of a cluster evicts keys, and says which', async () => {
  const { guard, says, server } = guarded();
  says('noeviction');
  server.others = ['run_id:b\r\nmaxmemory_policy:noeviction\r\n', 'run_id:c\r\nmaxmemory_policy:allkeys-lru\r\n'];
  await expect(guard.assertUsable()).rejects.toThrow('Redis at m2:6379 evicts keys (maxmemory-policy allkeys-lru)');
});

it('takes no commands while Redis evicts, and takes them again afterwards, which it learns at a connection', async () => {
  const { guard, says, commandGate, changes, redis } = guarded();
  guard.onApplicationBootstrap();
  says('allkeys-lru');
  redis.emit('ready');
  await guard.poll();
  expect(commandGate.blockedBecause).toContain('allkeys-lru');
  says('noeviction');
  redis.emit('ready');
  await guard.poll();
  guard.onModuleDestroy();
  expect([commandGate.blockedBecause, changes]).toEqual([undefined, [true, false]]);
});

it('takes no commands where Redis began to evict while the start waited for Kafka, before the first interval', async () => {
  const { guard, says, commandGate } = guarded();
  says('noeviction');
  await guard.assertUsable();
  says('allkeys-lru');
  const blocked = new Promise<boolean>((resolve) => commandGate.onChange(resolve));
  guard.onApplicationBootstrap();
  expect(await blocked).toBe(true);
  guard.onModuleDestroy();
});

it('reports that keys were evicted, also while the policy is noeviction', async () => {
  const { guard, says, metrics } = guarded();
  says('noeviction', 3);
  await guard.poll();
  expect(await metrics.registry.getSingleMetricAsString('tranche_redis_evicted_keys')).toMatch(/\} 3$/m);
});
