import { createClient } from 'redis';
import { aCapture, RedisServer, waitFor } from '@tranche/testing';
import { capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

/** Large, so that few keys fill the memory and Redis's samples for eviction include keys of the index. */
const CHUNK = 'x'.repeat(500_000);

let own: RedisServer;
let stack: GatewayStack;
let redis: Awaited<ReturnType<typeof connected>>;
const connected = () => createClient({ url: own.url }).connect();

beforeAll(async () => {
  own = await RedisServer.start();
  redis = await connected();
  stack = await startGatewayStack({ REDIS_URL: own.url });
});
afterAll(async () => {
  await stack.stop();
  await redis.close();
  await own.stop();
});

const stateKeys = async () => (await redis.keys(`${stack.prefix}gateway:*:order*`)).length;
const executed = async (orderId: string) => (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);

/** Allows Redis to evict, and fills it until a key with states is gone. */
async function evict(): Promise<void> {
  const before = await stateKeys();
  const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  await redis.configSet({
    'maxmemory-samples': '64',
    'maxmemory-policy': 'allkeys-lru',
    maxmemory: String(used + 2e6),
  });
  for (let written = 0; (await stateKeys()) >= before; written++) await redis.set(`filler-${written}`, CHUNK);
}

it('executes nothing twice when Redis evicts behind our back, takes no commands meanwhile, and has its index again afterwards', async () => {
  const orderId = 'evicted';
  const capture = () =>
    stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
  await capturedOrder(stack, orderId);
  await waitFor(async () => (await stack.metric('tranche_orders_in_memory')) === 0, {
    timeoutMs: 30_000,
    what: 'an empty memory',
  });
  await evict();
  await capture();
  const readiness = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).text();
  await waitFor(async () => (await readiness()).includes('Redis evicts keys (maxmemory-policy allkeys-lru)'), {
    timeoutMs: 30_000,
    what: 'word that Redis evicts keys',
  });
  expect(await executed(orderId)).toEqual(['authorization', 'capture']);
  await redis.configSet({ 'maxmemory-policy': 'noeviction', maxmemory: '0' });
  await stack.event(orderId, 'payment.capture.rejected');
  await capture();
  await stack.event(orderId, 'payment.capture.rejected', 2);
  expect(await executed(orderId)).toEqual(['authorization', 'capture']);
}, 150_000);
