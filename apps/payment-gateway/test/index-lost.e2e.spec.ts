import { createClient } from 'redis';
import { aCapture, aPartnerAAuthorization, waitFor } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()), 60_000);
afterAll(() => stack.stop(), 60_000);

async function deleteIndex(prefix: string): Promise<number> {
  const redis = await createClient({ url: process.env.REDIS_URL ?? '' }).connect();
  const keys = await redis.keys(`${prefix}gateway:*`);
  await redis.del(keys);
  await redis.close();
  return keys.length;
}

async function authorizedAndCaptured(orderId: string): Promise<void> {
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId }));
  const { data } = await stack.event(orderId, 'payment.authorize.redirect_required');
  await fetch(`${stack.simulator.url}/form/${data.transactionId}`, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'validate' }),
    redirect: 'manual',
  });
  await stack.notify({
    orderId,
    operationType: 'authorization',
    transactionId: data.transactionId,
    execCode: '0000',
    extraData: undefined,
  });
  await stack.event(orderId, 'payment.authorize.succeeded');
  await capture(orderId);
  await stack.event(orderId, 'payment.capture.succeeded');
}

const capture = (orderId: string) => stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
const shortTypesOf = (orderId: string) => stack.typesOf(orderId).map((type) => type.replace('payment.', ''));
const metric = async (name: string) => {
  const metrics = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
  return Number(metrics.match(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm'))?.[1]);
};

it('builds the index anew while it runs, knows every order again, and publishes nothing twice', async () => {
  const orderId = 'remembered';
  await authorizedAndCaptured(orderId);
  // Memory lets go of what the index has: after that only the index can tell that the order was captured.
  await waitFor(async () => (await metric('tranche_orders_in_memory')) === 0, { timeoutMs: 30_000, what: 'an empty memory' });
  expect(await deleteIndex(stack.prefix)).toBeGreaterThan(0);
  await capture(orderId);
  await stack.event(orderId, 'payment.capture.rejected');
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(2);
  expect(shortTypesOf(orderId)).toEqual(['authorize.redirect_required', 'authorize.succeeded', 'capture.succeeded', 'capture.rejected']);
  expect(await metric('tranche_index_rebuild_records_total')).toBeGreaterThan(0);
}, 120_000);
