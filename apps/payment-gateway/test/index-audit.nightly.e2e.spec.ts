import { createClient } from 'redis';
import { journalPartition } from '@tranche/order-journal';
import { aCapture, waitFor } from '@tranche/testing';
import { OrderIndexKeys } from '@tranche/order-journal';
import { capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(
  async () =>
    (stack = await startGatewayStack({ INDEX_AUDIT_EVERY_MS: '200', INDEX_AUDIT_RECORDS_PER_SECOND: '100000' })),
);
afterAll(() => stack.stop());

const capture = (orderId: string) =>
  stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));

it('finds an order that is missing under a valid marker, rebuilds the index, and captures nothing twice', async () => {
  const orderId = 'hole';
  await capturedOrder(stack, orderId);
  await waitFor(async () => (await stack.metric('tranche_orders_in_memory')) === 0, {
    timeoutMs: 30_000,
    what: 'an empty memory',
  });
  expect(await stack.metric('tranche_index_audit_differences_total')).toBe(0);
  const redis = await createClient({ url: process.env.REDIS_URL ?? '' }).connect();
  const field = `shop-fr/${orderId}`;
  const orders = new OrderIndexKeys(stack.prefix).of(journalPartition(field), 'orders');
  const held = (await redis.hGet(orders, field)) ?? '';
  // Another entry replaces it, so the number of entries is right and the index counts as whole.
  await redis.multi().hDel(orders, field).hSet(orders, 'shop-fr/nobody', held).exec();
  await waitFor(async () => (await redis.hGet(orders, field)) !== null, {
    timeoutMs: 60_000,
    what: 'the order in the index again',
  });
  expect(JSON.parse((await redis.hGet(orders, field)) ?? '')).toEqual(JSON.parse(held));
  await redis.close();
  expect(await stack.metric('tranche_index_audit_differences_total')).toBe(1);
  expect(stack.gateway.logs.join('\n')).toContain('The index holds another state than the journal: it is repaired');
  await capture(orderId);
  await stack.event(orderId, 'payment.capture.rejected');
  expect((await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation)).toEqual(['authorization', 'capture']);
}, 150_000);
