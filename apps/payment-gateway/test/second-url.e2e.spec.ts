import { aPartnerBAuthorization, freePorts, startApp, startSimulator, type RunningApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

let second: RunningApp;
let stack: GatewayStack;

const callsAtSecond = async (orderId: string) =>
  ((await (await fetch(`${second.url}/simulator/ledger?orderId=${orderId}`)).json()) as { calls: unknown[] }).calls
    .length;

beforeAll(async () => {
  second = await startSimulator();
  stack = await startGatewayStack();
});
afterAll(() => Promise.all([stack.stop(), second.stop()]));

async function gatewayWith(paymentUrls: string[]): Promise<void> {
  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', { ...stack.env, PAYMENT_URL: paymentUrls.join(',') });
}

it('goes to the second URL at once where the first takes no connection', async () => {
  const [closedPort] = await freePorts();
  await gatewayWith([`http://127.0.0.1:${closedPort}`, second.url]);
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'unreachable' }));
  const redirect = await stack.event('unreachable', 'payment.authorize.redirect_required');
  expect(redirect.data.attempt).toBeGreaterThanOrEqual(2);
  expect(await callsAtSecond('unreachable')).toBe(1);
}, 120_000);

it('goes to the second URL where the first did not execute (5003), never where it may have', async () => {
  await gatewayWith([stack.simulator.url, second.url]);
  await stack.fault({ match: { orderPrefix: 'maintenance' }, fault: { execCode: '5003' } });
  await stack.fault({ match: { orderPrefix: 'reset' }, fault: { executeThenReset: true } });
  // The doubt first: after a 5003 new commands begin at the other URL.
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'reset' }));
  await stack.event('reset', 'payment.authorize.in_doubt');
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'maintenance' }));
  await stack.event('maintenance', 'payment.authorize.redirect_required');
  const calls = async (orderId: string) => [(await stack.ledgerOf(orderId)).calls.length, await callsAtSecond(orderId)];
  expect([await calls('maintenance'), await calls('reset')]).toEqual([
    [1, 1],
    [1, 0],
  ]);
}, 120_000);
