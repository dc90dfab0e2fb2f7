import { aRefund, waitFor } from '@tranche/testing';
import { CAPTURED, capturedOrder, refundInBackOffice } from './captured-order.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
const KEY = 'demo-operator-key-not-a-real-one-at-all';
afterAll(() => stack.stop());

it('a refund made in the back office is told, and counts against what remains [Refund.back-office]', async () => {
  const orderId = 'refunded-in-the-back-office';
  await capturedOrder(stack, orderId);
  const notification = await refundInBackOffice(stack, orderId, 4000);
  await stack.notify(notification);
  const { data } = await stack.event(orderId, 'payment.operation.external');
  expect(data).toMatchObject({
    operation: 'refund',
    amount: 4000,
    transactionId: notification.transactionId,
    origin: 'notification',
  });

  await stack.send('payment.refund', aRefund({ orderId, amount: CAPTURED - 3999 }));
  const { data: rejected } = await stack.event(orderId, 'payment.refund.rejected');
  expect(rejected.faults).toMatchObject([{ code: 'refund_exceeds_remaining' }]);

  await stack.notify(notification);
  await stack.send('payment.refund', aRefund({ orderId, amount: CAPTURED - 4000 }));
  await stack.event(orderId, 'payment.refund.succeeded');
  expect(stack.typesOf(orderId).filter((type) => type === 'payment.operation.external')).toHaveLength(1);
}, 120_000);

it('a refund made in the back office settles no doubt of ours without a tag: it is a candidate', async () => {
  const orderId = 'refunded-beside-a-doubt';
  await capturedOrder(stack, orderId);
  await stack.fault({ match: { operation: 'refund', orderPrefix: orderId }, fault: { dropBefore: true } });
  const untagged = aRefund({ orderId, amount: 4000, extraData: 'x'.repeat(255) });
  await stack.send('payment.refund', untagged, 'refund-untagged');
  await stack.event(orderId, 'payment.refund.in_doubt');

  const notification = await refundInBackOffice(stack, orderId, 4000);
  await stack.notify(notification);
  const { data: told } = await stack.event(orderId, 'payment.operation.external');
  expect(told).toMatchObject({ transactionId: notification.transactionId, amount: 4000, flags: ['may_be_ours'] });
  const order = await waitFor(async () => {
    const seen = await orderOf(orderId);
    return seen.candidates.length > 0 ? seen : undefined;
  });
  expect(order.candidates).toMatchObject([
    { operation: 'refund', result: 'succeeded', transactionId: notification.transactionId, amount: 4000 },
  ]);
  expect(order.operations.find(({ commandId }) => commandId === 'refund-untagged')?.state).toBe('in_doubt');
  expect(stack.typesOf(orderId)).not.toContain('payment.refund.doubt_resolved');
}, 120_000);

async function orderOf(orderId: string) {
  const response = await fetch(`${stack.gateway.managementUrl}/v1/orders/shop-fr/${orderId}`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  return (await response.json()) as { candidates: object[]; operations: { commandId: string; state: string }[] };
}
