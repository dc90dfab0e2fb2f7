/** Runs one peer in its own process: `node verification/dist/bench/peers/main.js NAME`. Some print `{"done":N}` four times a second. */
import 'reflect-metadata';
const PEERS: Record<string, () => Promise<void>> = {
  'bare-loop': async () => (await import('./callers.js')).bareLoop(),
  nest: async () => (await import('./callers.js')).nestServer(),
  'nest-webhook': async () => (await import('./webhooks.js')).nestWebhook(),
  'nest-redis-get': async () => (await import('./redis-get.js')).nestRedisGet(),
  'nest-constant': async () => (await import('./constant.js')).nestConstant(),
  'kafkajs-sends': async () => (await import('./callers.js')).kafkajsSends(),
};

const [name = ''] = process.argv.slice(2);
process.once('SIGTERM', () => process.exit(0));
const run = PEERS[name];
if (run === undefined) throw new Error(`There is no peer ${name}`);
await run();
