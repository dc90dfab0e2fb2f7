import { aPartnerAAuthorization, aVoid } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('the form of an order that was cancelled takes no payment: its void reaches the platform', async () => {
  const orderId = 'cancelled-at-the-form';
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId }));
  const { data } = await stack.event(orderId, 'payment.authorize.redirect_required');
  const page = Buffer.from(data.redirectHtml ?? '', 'base64').toString();
  const form = /action="([^"]+)"/.exec(page)?.[1] ?? '';
  await stack.send('payment.void', aVoid({ orderId }));
  await stack.event(orderId, 'payment.void.succeeded');

  const decision = new URLSearchParams({ decision: 'validate' });
  await fetch(form, { method: 'POST', body: decision, redirect: 'manual' });
  const { operations } = await stack.ledgerOf(orderId);
  expect(operations).toMatchObject([
    { operationType: 'authorization', finalExecCode: '0002' },
    { operationType: 'void', finalExecCode: '0000' },
  ]);
}, 120_000);
