import { startApp } from '@tranche/testing';
import { askOperatorsOf, doubtful, KEYS, reason } from './doubtful-orders.js';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await startOwnGateway()));
afterAll(() => stack.stop());

/** A gateway whose clock is 16 minutes ahead. */
const laterGateway = () => startApp('payment-gateway', { ...stack.env, CLOCK_OFFSET_MS: String(16 * 60_000) });

it('takes "not executed" of two people once 15 minutes have passed: the operation has ended, nothing is sent again', async () => {
  const orderId = 'never-arrived';
  const doubt = await doubtful(stack, orderId, { dropBefore: true });
  let later = await laterGateway();
  try {
    const resolve = `/v1/operations/${doubt.id}/resolve`;
    const body = { outcome: 'not_executed', reason };
    const proposed = await askOperatorsOf<{ id: string }>(later, resolve, { body });
    expect(proposed).toMatchObject({ status: 202, body: { state: 'open', proposedBy: 'demo', why: 'not_executed' } });
    const { id } = proposed.body;
    // Every instance knows the proposal, also one that starts later.
    const { body: list } = await askOperatorsOf<{ proposals: object[] }>(stack.gateway, '/v1/proposals', {
      key: KEYS.viewer,
    });
    expect(list.proposals).toMatchObject([{ id, state: 'open' }]);
    await later.stop();
    later = await laterGateway();
    const approve = (key: string) => askOperatorsOf(later, `/v1/proposals/${id}/approve`, { body: {}, key });
    expect(await approve(KEYS.viewer)).toMatchObject({ status: 403, body: { code: 'role_needed' } });
    expect(await approve(KEYS.demo)).toMatchObject({ status: 403, body: { code: 'same_operator' } });
    expect(stack.typesOf(orderId)).not.toContain('payment.authorize.doubt_resolved');
    expect(await approve(KEYS.second)).toMatchObject({ status: 200, body: { state: 'not_executed' } });
    expect(await approve(KEYS.second)).toMatchObject({ status: 409, body: { code: 'already_decided' } });
  } finally {
    await later.stop();
  }
  const resolved = await stack.event(orderId, 'payment.authorize.doubt_resolved');
  expect(resolved.data).toMatchObject({ origin: 'operator', outcome: 'not_executed' });
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(1);
}, 120_000);
