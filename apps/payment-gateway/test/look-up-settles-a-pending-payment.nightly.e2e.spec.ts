import { aPartnerBAuthorization, startApp, waitFor } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const MINUTE_MS = 60_000;
/** Longer than the spec's own run, and shorter than the gap between two look-ups. */
const MARGIN_MS = 5 * MINUTE_MS;

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack({}, { LOOKUP_LAG_MS: '0' })));
afterAll(() => stack.stop());

/** Restarts the gateway with its clock, and its view of Redis's clock, moved by `offsetMs`. */
async function travel(offsetMs: number): Promise<void> {
  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', { ...stack.env, CLOCK_OFFSET_MS: String(offsetMs) });
}

const post = (path: string, body: URLSearchParams | string, headers: Record<string, string> = {}) =>
  fetch(`${stack.simulator.url}${path}`, { method: 'POST', redirect: 'manual', body, headers });

it('a look-up settles a payment that waits for an approval, where no notification tells of it', async () => {
  const [merchant, orderId] = ['shop-es', 'approved-unheard'];
  const phones = { phone: '+34912345678', mobilePhone: '+34612345678' };
  await stack.send(
    'payment.authorize',
    aPartnerBAuthorization({ merchant, orderId, billing: phones, shipping: phones }),
  );
  const { transactionId } = (await stack.event(orderId, 'payment.authorize.redirect_required')).data;
  await post(`/form/${transactionId}`, new URLSearchParams({ decision: 'pending' }));
  await stack.notify({ ...{ merchant, orderId, transactionId }, operationType: 'authorization', execCode: '0003' });
  await stack.event(orderId, 'payment.authorize.pending');
  const lookUps = async () =>
    (await stack.ledgerOf(orderId)).calls.filter(({ operation }) => operation === 'getTransactions').length;
  expect(await lookUps()).toBe(0);

  await travel(15 * MINUTE_MS + MARGIN_MS);
  await waitFor(async () => (await lookUps()) === 1, { what: 'the look-up after 15 minutes' });
  const decided = await post(
    `/simulator/transactions/${transactionId}/decide`,
    JSON.stringify({ decision: 'approve' }),
    { 'content-type': 'application/json' },
  );
  expect(decided.ok).toBe(true);
  expect(stack.typesOf(orderId)).not.toContain('payment.authorize.succeeded');

  await travel(60 * MINUTE_MS + MARGIN_MS);
  const { data } = await stack.event(orderId, 'payment.authorize.succeeded');
  expect(data).toMatchObject({ origin: 'look-up', transactionId, execCode: '0000' });
  expect(await lookUps()).toBe(2);
}, 180_000);
