import { aRefund } from '@tranche/testing';
import { capturedOrder, notificationOf } from './captured-order.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('the references of a refund of method B come in an event of their own when its answer was first, once [RefundNotification.*]', async () => {
  const orderId = 'with-references';
  await capturedOrder(stack, orderId);
  await stack.send('payment.refund', aRefund({ orderId, amount: 1000, extraData: 'return 7' }), 'refund-references-1');
  const { id, data: answered } = await stack.event(orderId, 'payment.refund.succeeded');
  expect(answered).not.toHaveProperty('externalReference');

  const notification = await notificationOf(stack, orderId, 'refund');
  await stack.notify(notification);
  await stack.notify(notification);
  const referenced = await stack.event(orderId, 'payment.refund.succeeded', 2);
  expect(referenced.id).not.toBe(id);
  expect(referenced.data).toMatchObject({
    ...{
      commandId: 'refund-references-1',
      amount: 1000,
      transactionId: answered.transactionId,
      extraData: 'return 7',
      flags: ['references_added', 'extra_data_added', 'language_added'],
    },
    ...{ externalEntityId: expect.stringMatching(/^\d{1,10}$/), externalReference: expect.stringMatching(/^\d{9}$/) },
  });

  await stack.send('payment.refund', aRefund({ orderId, amount: 1000, extraData: 'return 7' }), 'refund-references-1');
  const again = await stack.event(orderId, 'payment.refund.succeeded', 3);
  expect(again.id).toBe(referenced.id);
}, 120_000);
