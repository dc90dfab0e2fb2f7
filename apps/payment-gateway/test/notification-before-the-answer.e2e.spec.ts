import { aCapture, aRefund, waitFor } from '@tranche/testing';
import { tagExtraData } from '@tranche/order-journal';
import { authorizedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack({ PLATFORM_TIMEOUT_MS: '10000' })), 60_000);
afterAll(() => stack.stop(), 60_000);

it('a notification that comes before the answer ends the operation, and the answer adds nothing but its TRANSACTIONID', async () => {
  const orderId = 'told-early';
  await authorizedOrder(stack, orderId);
  await stack.fault({ match: { orderPrefix: orderId, operation: 'capture' }, fault: { latencyMs: 1000 } });
  await stack.send('payment.capture', aCapture({ orderId, extraData: 'parcel 7' }), 'capture-1');
  await waitFor(async () => (await callsOf(orderId)).includes('capture') || undefined, {
    timeoutMs: 10_000,
    what: 'the call of the capture',
  });
  const { extraData } = tagExtraData('parcel 7', 'capture-1', 1);
  await stack.notify({ orderId, operationType: 'capture', transactionId: undefined, execCode: '0000', extraData });
  const { data } = await stack.event(orderId, 'payment.capture.succeeded');
  expect(data).toMatchObject({ origin: 'notification', extraData: 'parcel 7' });
  expect(data).not.toHaveProperty('transactionId');

  // Waits behind the call of the capture; only its answer names the TRANSACTIONID that a refund needs.
  await stack.send('payment.refund', aRefund({ orderId, amount: 1000 }));
  await stack.event(orderId, 'payment.refund.succeeded');
  expect(stack.typesOf(orderId).filter((type) => type === 'payment.capture.succeeded')).toHaveLength(1);
  expect(stack.typesOf(orderId)).not.toContain('payment.conflict.detected');
}, 60_000);

async function callsOf(orderId: string): Promise<string[]> {
  return (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);
}
