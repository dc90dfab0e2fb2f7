import { aPartnerBAuthorization } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it.each([
  ['executed and reset', { executeThenReset: true }, 1],
  ['reset before it was executed', { dropBefore: true }, 0],
  ['executed and answered with HTTP 502', { status5xx: { when: 'after', status: 502 } }, 1],
  ['HTTP 503 before it was executed', { status5xx: { when: 'before', status: 503 } }, 0],
])('never repeats a call that was %s: it is in doubt [Ours.at-most-once]', async (name, fault, executed) => {
  const orderId = name.replace(/[^a-z0-9]+/gi, '-');
  await stack.fault({ match: { orderPrefix: orderId }, fault });
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  await stack.event(orderId, 'payment.authorize.in_doubt');
  const { calls, operations } = await stack.ledgerOf(orderId);
  expect([calls.length, operations.length]).toEqual([1, executed]);
});

it('tries again what the platform provably did not execute', async () => {
  const orderId = 'maintenance';
  await stack.fault({ match: { orderPrefix: orderId, times: 2 }, fault: { execCode: '5003' } });
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  const redirect = await stack.event(orderId, 'payment.authorize.redirect_required');
  // On a slow machine there are more attempts: one whose send deadline has passed sends nothing.
  expect(redirect.data.attempt).toBeGreaterThanOrEqual(3);
  const { calls, operations } = await stack.ledgerOf(orderId);
  expect([calls.length, operations.length]).toEqual([3, 1]);
});
