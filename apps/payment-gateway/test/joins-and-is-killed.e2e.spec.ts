import { aPartnerAAuthorization, startApp, waitFor, type RunningApp } from '@tranche/testing';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';

const ORDERS = 60;
const orderIds = Array.from({ length: ORDERS }, (_, number) => `members-${number}`);

let stack: GatewayStack;
let other: RunningApp | undefined;
beforeAll(async () => (stack = await startOwnGateway()));
afterAll(() => Promise.all([other?.stop(), stack.stop()]));

const sendAll = (some: readonly string[]) =>
  Promise.all(some.map((orderId) => stack.send('payment.authorize', aPartnerAAuthorization({ orderId }), orderId)));
const answered = () => new Set(stack.results.events.map(({ data }) => data.orderId));
const callsOf = async (orderId: string) => (await stack.ledgerOf(orderId)).calls.length;

it('calls at most once for every command while a gateway joins and one is killed under load, and leaves none without an event', async () => {
  await stack.fault({ match: { orderPrefix: 'members-' }, fault: { latencyMs: 200 } });
  await sendAll(orderIds.slice(0, ORDERS / 3));
  await waitFor(() => answered().size > 0, { what: 'the first event' });
  // A short timeout makes it treat the killed one's calls as lost soon.
  other = await startApp('payment-gateway', { ...stack.env, PLATFORM_TIMEOUT_MS: '5000' });
  await sendAll(orderIds.slice(ORDERS / 3));
  await waitFor(() => answered().size > ORDERS / 2, { timeoutMs: 60_000, what: 'half of the events' });
  await stack.gateway.stop('SIGKILL');
  await waitFor(() => answered().size === ORDERS, { timeoutMs: 110_000, what: 'an event for every command' });

  const calls = await Promise.all(orderIds.map(callsOf));
  expect(Math.max(...calls)).toBe(1);
  const results = new Map(stack.results.events.map(({ type, data }) => [data.orderId, type]));
  for (const [at, orderId] of orderIds.entries())
    if (results.get(orderId) === 'payment.authorize.redirect_required')
      expect([orderId, calls[at]]).toEqual([orderId, 1]);
  const allowed = ['payment.authorize.redirect_required', 'payment.authorize.in_doubt'];
  expect([...new Set(results.values())].filter((type) => !allowed.includes(type))).toEqual([]);
}, 240_000);
