import { aPartnerAAuthorization, startApp, waitFor } from '@tranche/testing';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await startOwnGateway()));
afterAll(() => stack.stop());

it('leaves an operation whose gateway was killed in doubt, never sends it again, and believes the notification', async () => {
  const orderId = 'killed-before-the-answer';
  await stack.fault({ match: { orderPrefix: orderId }, fault: { timeout: 'after' } });
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId, extraData: 'basket 7' }), 'command-killed');
  await waitFor(async () => (await stack.ledgerOf(orderId)).operations.length === 1, {
    what: 'the platform to have executed the call',
  });
  expect(await stack.gateway.stop('SIGKILL')).toBe('SIGKILL');

  // It makes no calls itself; the short timeout makes it treat the killed owner's call as lost soon.
  stack.gateway = await startApp('payment-gateway', { ...stack.env, PLATFORM_TIMEOUT_MS: '500' });
  const doubt = await stack.event(orderId, 'payment.authorize.in_doubt');
  expect(doubt.data).toMatchObject({ commandId: 'command-killed', origin: 'timer', flags: ['owner_lost'] });

  const [executed] = (await stack.ledgerOf(orderId)).operations;
  await stack.notify({
    orderId,
    operationType: 'authorization',
    execCode: '0000',
    transactionId: executed?.transactionId,
    extraData: executed?.extraData,
  });
  const resolved = await stack.event(orderId, 'payment.authorize.doubt_resolved');
  expect(resolved.data).toMatchObject({
    outcome: 'succeeded',
    origin: 'notification',
    transactionId: executed?.transactionId,
    extraData: 'basket 7',
  });
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(1);
  const distinct = new Map(stack.results.of('shop-fr', orderId).map(({ id, type }) => [id, type]));
  expect([...distinct.values()]).toEqual(['payment.authorize.in_doubt', 'payment.authorize.doubt_resolved']);
}, 120_000);
