import { aPartnerBAuthorization, startApp, startSimulator, type RunningApp } from '@tranche/testing';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';

/** No process listens on this privileged port, and no system uses it for outgoing connections. */
const CLOSED = 'http://127.0.0.1:1';

let second: RunningApp;
let stack: GatewayStack;

const callsAtSecond = async (orderId: string) =>
  ((await (await fetch(`${second.url}/simulator/ledger?orderId=${orderId}`)).json()) as { calls: unknown[] }).calls
    .length;

beforeAll(async () => {
  second = await startSimulator();
  stack = await startOwnGateway({ PAYMENT_URL: `${CLOSED},${second.url}` });
});
afterAll(() => Promise.all([stack.stop(), second.stop()]));

it('goes to the second URL at once where the first takes no connection', async () => {
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'second-url-unreachable' }));
  const redirect = await stack.event('second-url-unreachable', 'payment.authorize.redirect_required');
  expect(redirect.data.attempt).toBeGreaterThanOrEqual(2);
  expect(await callsAtSecond('second-url-unreachable')).toBe(1);
}, 120_000);

it('goes to the second URL where the first did not execute (5003), never where it may have', async () => {
  await stack.gateway.stop();
  const PAYMENT_URL = `${stack.simulator.url},${second.url}`;
  stack.gateway = await startApp('payment-gateway', { ...stack.env, PAYMENT_URL });
  await stack.fault({ match: { orderPrefix: 'second-url-maintenance' }, fault: { execCode: '5003' } });
  await stack.fault({ match: { orderPrefix: 'second-url-reset' }, fault: { executeThenReset: true } });
  // The doubt must come first, because after a 5003 new commands start at the other URL.
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'second-url-reset' }));
  await stack.event('second-url-reset', 'payment.authorize.in_doubt');
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: 'second-url-maintenance' }));
  await stack.event('second-url-maintenance', 'payment.authorize.redirect_required');
  const calls = async (orderId: string) => [(await stack.ledgerOf(orderId)).calls.length, await callsAtSecond(orderId)];
  expect([await calls('second-url-maintenance'), await calls('second-url-reset')]).toEqual([
    [1, 1],
    [1, 0],
  ]);
}, 120_000);
