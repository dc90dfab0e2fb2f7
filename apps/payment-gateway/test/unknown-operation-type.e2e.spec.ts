import { capturedOrder, notificationOf } from './captured-order.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('a notification of an OPERATIONTYPE that none of ours has is told by the platform’s own word, and settles nothing', async () => {
  const orderId = 'charged-back';
  await capturedOrder(stack, orderId);
  const capture = await notificationOf(stack, orderId, 'capture');
  await stack.notify({ ...capture, operationType: 'chargeback', execCode: '4001', flags: ['unknown_operation'] });
  const { data } = await stack.event(orderId, 'payment.operation.external');
  expect(data).toMatchObject({
    operationType: 'chargeback',
    transactionId: capture.transactionId,
    execCode: '4001',
    flags: ['unknown_operation'],
  });
  expect(data).not.toHaveProperty('operation');

  await stack.notify({ ...capture, operationType: '', execCode: '0000', transactionId: undefined });
  await stack.event(orderId, 'payment.operation.external', 2);
  expect(stack.typesOf(orderId)).not.toContain('payment.conflict.detected');
}, 120_000);
