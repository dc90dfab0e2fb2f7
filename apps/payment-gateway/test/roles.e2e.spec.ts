import { aPartnerBAuthorization, startApp, type RunningApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
let projector: RunningApp | undefined;
beforeAll(async () => (stack = await startGatewayStack({ GATEWAY_ROLE: 'commands' })));
afterAll(() => Promise.all([projector?.stop(), stack.stop()]));

it('takes commands in one process and publishes their events from another', async () => {
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'apart' }));
  projector = await startApp('payment-gateway', { ...stack.env, GATEWAY_ROLE: 'projector' });
  await stack.event('apart', 'payment.authorize.redirect_required');
  expect((await stack.ledgerOf('apart')).operations).toHaveLength(1);
}, 120_000);
