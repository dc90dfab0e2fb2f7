import { waitFor } from '@tranche/testing';
import { authorizedOrder, notificationOf } from './captured-order.js';
import { askOperatorsOf, KEYS, MERCHANT, reason } from './doubtful-orders.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

const orderId = 'conflict-settled';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

const ask = <T = { id: string; code: string }>(path: string, body?: object, key?: string) =>
  askOperatorsOf<T>(stack.gateway, `/v1/${path}`, { ...(body && { body }), ...(key && { key }) });

interface Conflict {
  id: string;
  orderId: string;
  reason: string;
}

async function conflict(): Promise<Conflict | undefined> {
  const { body } = await ask<{ conflicts: Conflict[] }>(`conflicts?merchant=${MERCHANT}`);
  return body.conflicts.find((one) => one.orderId === orderId);
}

/** The platform says of the payment that it was refused. Returns the conflict that the list shows then. */
async function denied(execCode: string, before?: string): Promise<Conflict> {
  await stack.notify({ ...(await notificationOf(stack, orderId, 'authorization')), execCode });
  const isListed = async () => {
    const listed = await conflict();
    return listed?.id === before ? undefined : listed;
  };
  return waitFor(isListed, { what: `the conflict by ${execCode} in the list` });
}

it('a conflict is settled by two people who saw the order as it is, and is gone', async () => {
  await authorizedOrder(stack, orderId);
  const first = await denied('4001');
  expect(first.reason).toBe('other_result');

  const kept = { outcome: 'kept', result: 'succeeded', reason };
  const settle = ({ id }: Conflict, key?: string) => ask(`conflicts/${id}/settle`, kept, key);
  expect(await settle(first, KEYS.viewer)).toMatchObject({ status: 403, body: { code: 'role_needed' } });
  const early = await settle(first);
  expect(early).toMatchObject({ status: 202, body: { why: 'conflict', proposedBy: 'demo' } });
  const approve = (proposal: typeof early, key?: string) => ask(`proposals/${proposal.body.id}/approve`, {}, key);
  for (const [key, code] of [
    [KEYS.demo, 'same_operator'],
    [KEYS.viewer, 'role_needed'],
  ])
    expect(await approve(early, key)).toMatchObject({ status: 403, body: { code } });

  // A proposal that was made before this report is void.
  const second = await denied('4002', first.id);
  expect(await approve(early, KEYS.second)).toMatchObject({ status: 409, body: { code: 'proposal_stale' } });
  expect(await settle(first)).toMatchObject({ status: 404, body: { code: 'conflict_unknown' } });
  expect((await conflict())?.id).toBe(second.id);

  const approved = await approve(await settle(second), KEYS.second);
  expect(approved).toMatchObject({
    ...{ status: 200, body: { conflicts: [], settled: { verdict: 'counted', actor: 'demo', approvedBy: 'second' } } },
  });
  const { data } = await stack.event(orderId, 'payment.conflict.settled');
  expect(data).toMatchObject({ settlement: 'kept', outcome: 'succeeded', flags: ['other_result'], origin: 'operator' });
  await waitFor(async () => (await conflict()) === undefined, { what: 'the list without it' });
  expect(await ask(`orders/${MERCHANT}/${orderId}`)).toMatchObject({
    ...{ body: { status: 'authorized', conflicts: [], settlements: [{ verdict: 'counted' }] } },
  });
  expect(stack.typesOf(orderId).filter((type) => type.startsWith('payment.conflict.'))).toEqual([
    ...['payment.conflict.detected', 'payment.conflict.detected', 'payment.conflict.settled'],
  ]);
});
