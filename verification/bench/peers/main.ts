/** Runs one peer in its own process: `node verification/dist/bench/peers/main.js NAME`. Some print `{"done":N}` four times a second. */
import 'reflect-metadata';
const PEERS: Record<string, () => Promise<void>> = {
  'bare-loop': async () => (await import('./callers.js')).bareLoop(),
  kafkajs: async () => (await import('./callers.js')).kafkajsPartitions(),
  nest: async () => (await import('./callers.js')).nestServer(),
  'bare-fastify': async () => (await import('./webhooks.js')).bareFastify(),
  'nest-webhook': async () => (await import('./webhooks.js')).nestWebhook(),
  'bare-redis-get': async () => (await import('./redis-get.js')).bareRedisGet(),
  'nest-redis-get': async () => (await import('./redis-get.js')).nestRedisGet(),
  'bare-constant': async () => (await import('./constant.js')).bareConstant(),
  'nest-constant': async () => (await import('./constant.js')).nestConstant(),
  'kafkajs-sends': async () => (await import('./callers.js')).kafkajsSends(),
};

const [name = ''] = process.argv.slice(2);
process.once('SIGTERM', () => process.exit(0));
const run = PEERS[name];
if (run === undefined) throw new Error(`There is no peer ${name}`);
await run();
