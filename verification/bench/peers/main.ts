/** Runs one peer in its own process: `node verification/dist/bench/peers/main.js NAME`. Each prints `{"done":N}` four times a second. */
import 'reflect-metadata';
import { reportDone } from './done.js';

const [name] = process.argv.slice(2);
process.once('SIGTERM', () => process.exit(0));

switch (name) {
  case 'bare-loop':
    reportDone();
    await (await import('./bare-loop.js')).run();
    break;
  case 'kafkajs':
    reportDone();
    await (await import('./kafkajs-partitions.js')).run();
    break;
  case 'nest':
    reportDone();
    await (await import('./nest-server.js')).run();
    break;
  case 'bare-fastify':
    await (await import('./bare-fastify.js')).run();
    break;
  case 'bare-redis-get':
    await (await import('./bare-redis-get.js')).run();
    break;
  case 'bare-constant':
    await (await import('./bare-constant.js')).run();
    break;
  case 'nest-webhook':
    await (await import('./nest-webhook.js')).run();
    break;
  case 'nest-redis-get':
    await (await import('./nest-redis-get.js')).run();
    break;
  case 'nest-constant':
    await (await import('./nest-constant.js')).run();
    break;
  case 'kafkajs-sends':
    await (await import('./kafkajs-sends.js')).run();
    break;
  case 'commit-journal-ends':
    await (await import('./commit-journal-ends.js')).run();
    process.exit(0);
    break;
  case 'remove-topics':
    await (await import('./remove-topics.js')).run();
    process.exit(0);
    break;
  default:
    throw new Error(`There is no peer ${name}`);
}
