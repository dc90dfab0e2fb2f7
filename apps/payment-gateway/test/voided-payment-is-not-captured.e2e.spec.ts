import { randomUUID } from 'node:crypto';
import { aCapture, aPartnerAAuthorization, aRefund, aVoid } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('of two payments of an order a capture names none while both live, and the other one once one is voided', async () => {
  const orderId = 'captured-after-a-void';
  const [first, second] = [randomUUID(), randomUUID()];
  const order = aPartnerAAuthorization({ orderId });
  await stack.send('payment.authorize', order, first);
  const form = await stack.event(orderId, 'payment.authorize.redirect_required');
  await stack.send('payment.authorize', { ...order, supersedes: first }, second);
  const newForm = await stack.event(orderId, 'payment.authorize.redirect_required', 2);
  const [older = '', newer = ''] = [form, newForm].map(({ data }) => data.transactionId);
  for (const transactionId of [older, newer]) {
    const body = new URLSearchParams({ decision: 'validate' });
    await fetch(`${stack.simulator.url}/form/${transactionId}`, { method: 'POST', body, redirect: 'manual' });
    const notification = { orderId, operationType: 'authorization', transactionId, execCode: '0000' };
    await stack.notify({ ...notification, amount: order.amount, extraData: undefined });
  }
  await stack.event(orderId, 'payment.conflict.detected');

  const capture = aCapture({ orderId, amount: undefined, transactionId: undefined });
  await stack.send('payment.capture', capture);
  const { faults = [] } = (await stack.event(orderId, 'payment.capture.rejected')).data;
  const names = `${older} (command ${first}), ${newer} (command ${second})`;
  expect(faults).toMatchObject([{ path: 'transactionId', code: 'transaction_ambiguous' }]);
  expect(faults[0]?.message).toContain(names);

  await stack.send('payment.void', aVoid({ orderId, transactionId: newer }));
  await stack.event(orderId, 'payment.void.succeeded');
  await stack.send('payment.capture', capture);
  const captured = await stack.event(orderId, 'payment.capture.succeeded');
  expect(captured.data.reference).toBe(older);
  await stack.send('payment.refund', aRefund({ orderId, amount: undefined, transactionId: undefined }));
  const refunded = await stack.event(orderId, 'payment.refund.succeeded');
  expect(refunded.data.reference).toBe(captured.data.transactionId);
}, 120_000);
