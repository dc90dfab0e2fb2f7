import { randomBytes, randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { journalPartition } from '@tranche/order-journal';
import { aCapture, waitFor } from '@tranche/testing';
import { OrderIndexKeys } from '@tranche/order-journal';
import { authorizedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const redis = createClient({ url: process.env.REDIS_URL ?? '' });
let stack: GatewayStack;
beforeAll(async () => {
  stack = await startGatewayStack({ INDEX_HMAC_KEYS: `one:${randomBytes(32).toString('base64')}` });
  await redis.connect();
});
afterAll(() => Promise.all([redis.close(), stack.stop()]));

interface Stored {
  operations: { commandId: string }[];
  verdicts: [string, string][];
}

/** With no orders in memory, the index holds all records and does not change any more. */
const memoryIsEmpty = () =>
  waitFor(async () => (await stack.metric('tranche_orders_in_memory')) === 0, {
    timeoutMs: 30_000,
    what: 'an empty memory',
  });

it('executes a capture once, though somebody takes it out of the state that Redis has and its command comes again', async () => {
  const orderId = 'forged';
  await authorizedOrder(stack, orderId);
  const commandId = randomUUID();
  await stack.send('payment.capture', aCapture({ orderId }), commandId);
  await stack.event(orderId, 'payment.capture.succeeded');
  await memoryIsEmpty();
  const field = `shop-fr/${orderId}`;
  const orders = new OrderIndexKeys(stack.prefix, true).of(journalPartition(field), 'orders');
  const held = (await redis.hGet(orders, field)) ?? '';
  const end = held.lastIndexOf(' ');
  const order = JSON.parse(held.slice(0, end)) as Stored;
  const forged = {
    ...order,
    operations: order.operations.filter((operation) => operation.commandId !== commandId),
    verdicts: order.verdicts.slice(0, -1),
  };
  expect([order.operations.length, forged.operations.length]).toEqual([2, 1]);
  await redis.hSet(orders, field, JSON.stringify(forged) + held.slice(end));
  await stack.send('payment.capture', aCapture({ orderId }), commandId);
  await stack.event(orderId, 'payment.capture.succeeded', 2);
  expect((await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation)).toEqual(['authorization', 'capture']);
  expect(await stack.metric('tranche_index_corrupt_entries_total')).toBeGreaterThanOrEqual(1);
  const restored = (await redis.hGet(orders, field)) ?? '';
  expect((JSON.parse(restored.slice(0, restored.lastIndexOf(' '))) as Stored).operations).toHaveLength(2);
}, 120_000);

it('builds a partition anew whose marker somebody moved', async () => {
  const orderId = 'moved';
  await authorizedOrder(stack, orderId);
  await memoryIsEmpty();
  const orders = new OrderIndexKeys(stack.prefix, true).of(journalPartition(`shop-fr/${orderId}`), 'orders');
  const [offset = '', ...rest] = ((await redis.hGet(orders, 'marker')) ?? '').split(' ');
  const moved = [BigInt(offset) + 1n, ...rest].join(' ');
  const before = await stack.metric('tranche_index_corrupt_entries_total');
  await redis.hSet(orders, 'marker', moved);
  const isBuiltAnew = async () => {
    const marker = await redis.hGet(orders, 'marker');
    return marker !== null && marker.startsWith(`${offset} `) && marker.split(' ')[1] !== rest[0];
  };
  await waitFor(isBuiltAnew, { timeoutMs: 60_000, what: 'the rebuilt index' });
  expect(await stack.metric('tranche_index_corrupt_entries_total')).toBeGreaterThan(before);
}, 120_000);
