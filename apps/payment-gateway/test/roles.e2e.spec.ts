import { aPartnerBAuthorization, startApp, type RunningApp } from '@tranche/testing';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
let projector: RunningApp | undefined;
beforeAll(async () => (stack = await startOwnGateway({ GATEWAY_ROLE: 'commands' })));
afterAll(() => Promise.all([projector?.stop(), stack.stop()]));

it('takes commands in one process and publishes their events from another', async () => {
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'roles-apart' }));
  projector = await startApp('payment-gateway', { ...stack.env, GATEWAY_ROLE: 'projector' });
  await stack.event('roles-apart', 'payment.authorize.redirect_required');
  expect((await stack.ledgerOf('roles-apart')).operations).toHaveLength(1);
}, 120_000);
