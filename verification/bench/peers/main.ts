/** Runs one peer in its own process: `node verification/dist/bench/peers/main.js NAME`. Some print `{"done":N}` four times a second. */
import 'reflect-metadata';
import { reportDone } from './done.js';

const PEERS: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  'bare-loop': () => import('./bare-loop.js'),
  kafkajs: () => import('./kafkajs-partitions.js'),
  nest: () => import('./nest-server.js'),
  'bare-fastify': () => import('./bare-fastify.js'),
  'bare-redis-get': () => import('./bare-redis-get.js'),
  'bare-constant': () => import('./bare-constant.js'),
  'nest-webhook': () => import('./nest-webhook.js'),
  'nest-redis-get': () => import('./nest-redis-get.js'),
  'nest-constant': () => import('./nest-constant.js'),
  'kafkajs-sends': () => import('./kafkajs-sends.js'),
};
const COUNTING = ['bare-loop', 'kafkajs', 'nest'];

const [name = ''] = process.argv.slice(2);
process.once('SIGTERM', () => process.exit(0));
const peer = PEERS[name];
if (peer === undefined) throw new Error(`There is no peer ${name}`);
if (COUNTING.includes(name)) reportDone();
await (await peer()).run();
