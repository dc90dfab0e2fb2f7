import { createClient } from 'redis';
import { aCapture, aPartnerAAuthorization, startApp } from '@tranche/testing';
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

it('knows every order again after Redis lost the index, and publishes nothing twice', async () => {
  const orderId = 'remembered';
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
  await stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
  await stack.event(orderId, 'payment.capture.succeeded');
  await stack.gateway.stop();
  expect(await deleteIndex(stack.prefix)).toBeGreaterThan(0);

  stack.gateway = await startApp('payment-gateway', stack.env);
  await stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
  await stack.event(orderId, 'payment.capture.rejected');
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(2);
  expect(stack.typesOf(orderId).map((type) => type.replace('payment.', ''))).toEqual([
    'authorize.redirect_required',
    'authorize.succeeded',
    'capture.succeeded',
    'capture.rejected',
  ]);
}, 60_000);
