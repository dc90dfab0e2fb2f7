import { aPartnerBAuthorization, startApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const SIX_DAYS_MS = 6 * 86_400_000;
/** Longer than the spec's own run. */
const MARGIN_MS = 600_000;

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(() => stack.stop());

/** Restarts the gateway with its clock, and its view of Redis's clock, moved by `offsetMs`. */
async function travel(offsetMs: number): Promise<void> {
  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', { ...stack.env, CLOCK_OFFSET_MS: String(offsetMs) });
}

it('a pending approval without news expires after six days, and a success after that is one, and a conflict', async () => {
  const orderId = 'waits-for-approval';
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  const { data } = await stack.event(orderId, 'payment.authorize.redirect_required');
  await stack.notify({
    orderId,
    operationType: 'authorization',
    transactionId: data.transactionId,
    execCode: '0003',
    extraData: undefined,
  });
  await stack.event(orderId, 'payment.authorize.pending');

  await travel(SIX_DAYS_MS - MARGIN_MS);
  const other = 'in-between';
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: other }));
  await stack.event(other, 'payment.authorize.redirect_required');
  expect(stack.typesOf(orderId)).not.toContain('payment.authorize.expired');

  await travel(SIX_DAYS_MS + MARGIN_MS);
  const expired = await stack.event(orderId, 'payment.authorize.expired');
  expect(expired.data).toMatchObject({ origin: 'timer', transactionId: data.transactionId });

  await stack.notify({
    orderId,
    operationType: 'authorization',
    transactionId: data.transactionId,
    execCode: '0000',
    extraData: undefined,
  });
  await stack.event(orderId, 'payment.conflict.detected');
  expect(stack.typesOf(orderId).map((type) => type.replace('payment.', ''))).toEqual([
    'authorize.redirect_required',
    'authorize.pending',
    'authorize.expired',
    'authorize.succeeded',
    'conflict.detected',
  ]);
}, 180_000);
