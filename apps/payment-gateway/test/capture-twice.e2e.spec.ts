import { aCapture, aPartnerAAuthorization, aRefund } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('refuses a second capture without asking the platform [Transaction.TRANSACTIONID.*] [States.second-capture] [Capture.once] [Limits.captures]', async () => {
  const orderId = 'captured';
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId, amount: 30_000 }));
  const redirect = await stack.event(orderId, 'payment.authorize.redirect_required');
  const { transactionId = '' } = redirect.data;
  await fetch(`${stack.simulator.url}/form/${transactionId}`, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'validate' }),
    redirect: 'manual',
  });
  await stack.notify({
    orderId,
    operationType: 'authorization',
    transactionId,
    execCode: '0000',
    extraData: undefined,
  });
  await stack.event(orderId, 'payment.authorize.succeeded');

  await stack.send('payment.capture', aCapture({ orderId, amount: 30_000, transactionId: undefined }));
  const captured = await stack.event(orderId, 'payment.capture.succeeded');
  expect(captured.data).toMatchObject({ amount: 30_000, method: 'A', origin: 'answer', execCode: '0000' });

  await stack.send('payment.refund', aRefund({ orderId, amount: 10_000, transactionId: undefined }));
  expect((await stack.event(orderId, 'payment.refund.succeeded')).data.amount).toBe(10_000);

  await stack.send('payment.capture', aCapture({ orderId, amount: 30_000, transactionId: undefined }));
  const rejected = await stack.event(orderId, 'payment.capture.rejected');
  expect(rejected.data.faults).toEqual([expect.objectContaining({ code: 'already_captured' })]);

  const { calls } = await stack.ledgerOf(orderId);
  expect(calls.map(({ operation }) => operation)).toEqual(['authorization', 'capture', 'refund']);
  const sequences = stack.results.of('shop-fr', orderId).map(({ sequence = '' }) => sequence);
  expect(sequences).toEqual([...sequences].sort());
}, 120_000);
