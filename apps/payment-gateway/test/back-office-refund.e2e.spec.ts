import { aRefund } from '@tranche/testing';
import { CAPTURED, capturedOrder, refundInBackOffice } from './captured-order.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('a refund made in the back office is told, and counts against what remains', async () => {
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
