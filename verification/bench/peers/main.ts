/** Runs one peer in its own process: `node verification/dist/bench/peers/main.js NAME`. Some report `{done}` four times a second. */
import 'reflect-metadata';

const callers = () => import('./callers.js');
const controllers = () => import('./controllers.js');
const PEERS: Record<string, () => Promise<void>> = {
  'bare-loop': async () => (await callers()).bareLoop(),
  nest: async () => (await callers()).nestServer(),
  'kafkajs-sends': async () => (await callers()).kafkajsSends(),
  'nest-fastify': async () => (await controllers()).nestWebhook(),
  'nest-redis-get': async () => (await controllers()).nestRedisGet(),
  'nest-constant': async () => (await controllers()).nestConstant(),
};

process.once('SIGTERM', () => process.exit(0));
await PEERS[process.argv[2] ?? '']!();
