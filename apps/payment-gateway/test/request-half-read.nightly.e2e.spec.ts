import { aPartnerAAuthorization } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

// Not a shared simulator: a request that is reset while it is read names no order yet, so the fault would hit other specs' calls.
let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(() => stack.stop());

it('a connection that is reset while the request is read is a doubt too', async () => {
  const orderId = 'half-read';
  await stack.fault({ match: { times: 1 }, fault: { resetWhileReading: true } });
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId }));
  expect((await stack.event(orderId, 'payment.authorize.in_doubt')).data.flags).toEqual(['connection_lost']);
  expect(await stack.ledgerOf(orderId)).toMatchObject({ calls: [], operations: [] });
});
