import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aPartnerBAuthorization, repositoryRoot, startApp, waitFor, type RunningApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const KEY = 'demo-operator-key-not-a-real-one-at-all';
const SECOND_KEY = 'second-operator-key-of-a-test-not-a-real-one';
const VIEWER_KEY = 'viewer-key-of-a-test-and-not-a-real-one';
const MERCHANT = aPartnerBAuthorization().merchant;
const reason = 'The back office shows it, ticket 812';

interface Doubt {
  id: string;
  orderId: string;
  since: string;
  reason: string;
  notExecuted: { maySay: boolean; from: string };
}
interface Order {
  status: string;
  amounts: { authorized: number | null };
  operations: {
    id: string;
    state: string;
    resolvedBy?: { actor: string };
    latest: { id: string };
    events: { id: string; type: string }[];
  }[];
}

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack({ OPERATORS_FILE: operatorsFile() })));
afterAll(() => stack.stop());

/** The demo's operator, a second person, and one who may only look. */
function operatorsFile(): string {
  const demo = JSON.parse(readFileSync(join(repositoryRoot(), 'config/operators.demo.json'), 'utf8')) as object[];
  const file = join(mkdtempSync(join(tmpdir(), 'operators-')), 'operators.json');
  const second = { operator: 'second', key: SECOND_KEY, role: 'approver' };
  const viewer = { operator: 'viewer', key: VIEWER_KEY, role: 'viewer', merchants: [MERCHANT] };
  writeFileSync(file, JSON.stringify([...demo, second, viewer]));
  return file;
}

async function ask<T = { code: string }>(
  path: string,
  { body, key = KEY, gateway = stack.gateway }: { body?: object; key?: string; gateway?: RunningApp } = {},
) {
  const response = await fetch(`${gateway.managementUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, type: response.headers.get('content-type'), body: (await response.json()) as T };
}
const orderOf = async (orderId: string) =>
  (await ask<Order>(`/v1/orders/${MERCHANT}/${encodeURIComponent(orderId)}`)).body;

/** One whose clock is 16 minutes ahead. */
const laterGateway = () => startApp('payment-gateway', { ...stack.env, CLOCK_OFFSET_MS: String(16 * 60_000) });

/** The platform executed it (or not), and nobody heard of it. */
async function doubtful(orderId: string, fault: object = { executeThenReset: true }): Promise<Doubt> {
  await stack.fault({ match: { orderPrefix: orderId }, fault });
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  await stack.event(orderId, 'payment.authorize.in_doubt');
  return waitFor(
    async () => {
      const { body } = await ask<{ operations: Doubt[] }>(`/v1/operations?state=in_doubt&merchant=${MERCHANT}`);
      return body.operations.find((doubt) => doubt.orderId === orderId);
    },
    { what: `${orderId} in the list` },
  );
}

it('lists a doubt, takes the word of who looked it up, and tells everybody', async () => {
  const orderId = 'looked up/1';
  const doubt = await doubtful(orderId);
  expect(doubt).toMatchObject({ reason: 'connection_lost', notExecuted: { maySay: false } });
  expect(Date.parse(doubt.notExecuted.from) - Date.parse(doubt.since)).toBeGreaterThan(14 * 60_000);
  expect(await orderOf(orderId)).toMatchObject({
    status: 'in_doubt',
    operations: [{ id: doubt.id, state: 'in_doubt' }],
  });

  const tooEarly = await ask(`/v1/operations/${doubt.id}/resolve`, { body: { outcome: 'not_executed', reason } });
  expect(tooEarly).toMatchObject({
    status: 409,
    type: expect.stringContaining('problem+json'),
    body: { code: 'not_executed_too_early' },
  });

  const [executed] = (await stack.ledgerOf(encodeURIComponent(orderId))).operations;
  const word = {
    outcome: 'succeeded',
    reason,
    actor: 'demo',
    transactionId: executed?.transactionId,
    execCode: '0000',
  };
  expect(await ask(`/v1/operations/${doubt.id}/resolve`, { body: word })).toMatchObject({
    status: 200,
    body: { state: 'succeeded' },
  });

  const resolved = await stack.event(orderId, 'payment.authorize.doubt_resolved');
  expect(resolved.data).toMatchObject({
    origin: 'operator',
    outcome: 'succeeded',
    transactionId: executed?.transactionId,
  });
  const order = await orderOf(orderId);
  expect(order).toMatchObject({ status: 'authorized', amounts: { authorized: resolved.data.amount } });
  const [operation] = order.operations;
  expect(operation).toMatchObject({ state: 'succeeded', resolvedBy: { actor: 'demo' }, latest: { id: resolved.id } });
  const told = stack.results.events.filter((event) => event.data.orderId === orderId).map(({ id }) => id);
  expect(operation?.events.map(({ id }) => id)).toEqual(told);

  const again = await ask(`/v1/operations/${doubt.id}/resolve`, { body: { outcome: 'refused', reason } });
  expect(again).toMatchObject({ status: 409, body: { code: 'not_in_doubt' } });
  await waitFor(
    async () => {
      const { body } = await ask<{ operations: Doubt[] }>('/v1/operations?state=in_doubt');
      return body.operations.every((other) => other.orderId !== orderId) || undefined;
    },
    { what: 'the list without it' },
  );
  expect(stack.typesOf(orderId)).not.toContain('payment.conflict.detected');
}, 120_000);

it('takes "not executed" of two people once 15 minutes have passed: the operation has ended, nothing is sent again', async () => {
  const orderId = 'never-arrived';
  const doubt = await doubtful(orderId, { dropBefore: true });
  let later = await laterGateway();
  try {
    const resolve = `/v1/operations/${doubt.id}/resolve`;
    const body = { outcome: 'not_executed', reason };
    const proposed = await ask<{ id: string }>(resolve, { gateway: later, body });
    expect(proposed).toMatchObject({ status: 202, body: { state: 'open', proposedBy: 'demo', why: 'not_executed' } });
    const { id } = proposed.body;
    // Every instance knows the proposal, and one that starts later does.
    const { body: list } = await ask<{ proposals: object[] }>('/v1/proposals', { key: VIEWER_KEY });
    expect(list.proposals).toMatchObject([{ id, state: 'open' }]);
    await later.stop();
    later = await laterGateway();
    const approve = (key: string) => ask(`/v1/proposals/${id}/approve`, { gateway: later, body: {}, key });
    expect(await approve(VIEWER_KEY)).toMatchObject({ status: 403, body: { code: 'role_needed' } });
    expect(await approve(KEY)).toMatchObject({ status: 403, body: { code: 'same_operator' } });
    expect(stack.typesOf(orderId)).not.toContain('payment.authorize.doubt_resolved');
    expect(await approve(SECOND_KEY)).toMatchObject({ status: 200, body: { state: 'not_executed' } });
    expect(await approve(SECOND_KEY)).toMatchObject({ status: 409, body: { code: 'proposal_decided' } });
  } finally {
    await later.stop();
  }
  const resolved = await stack.event(orderId, 'payment.authorize.doubt_resolved');
  expect(resolved.data).toMatchObject({ origin: 'operator', outcome: 'not_executed' });
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(1);
}, 120_000);

it('lets a viewer of one merchant see, and nothing else', async () => {
  const allowed = `/v1/operations?state=in_doubt&merchant=${MERCHANT}`;
  expect((await ask(allowed, { key: VIEWER_KEY })).status).toBe(200);
  const refused = await ask('/v1/operations/x/resolve', { key: VIEWER_KEY, body: { outcome: 'refused', reason } });
  expect(refused).toMatchObject({ status: 403, body: { code: 'role_needed' } });
  expect(refused.type).toContain('problem+json');
  for (const path of ['/v1/orders/shop-of-others/1', '/v1/operations?state=in_doubt&merchant=shop-of-others'])
    expect(await ask(path, { key: VIEWER_KEY })).toMatchObject({ status: 403, body: { code: 'merchant_not_allowed' } });
  const ofAll = await ask('/v1/journal/partitions', { key: VIEWER_KEY });
  expect(ofAll).toMatchObject({ status: 403, body: { code: 'all_merchants_needed' } });
});

it.each([
  ['without a key', '', 401, 'unauthorized'],
  ['with a wrong key', `${KEY}x`, 401, 'unauthorized'],
])('answers nobody %s', async (_, key, status, code) => {
  for (const path of ['/v1/operations?state=in_doubt', `/v1/orders/${MERCHANT}/1`]) {
    expect(await ask(path, { key })).toMatchObject({ status, body: { code } });
  }
  expect(await ask('/v1/operations/x/resolve', { key, body: { outcome: 'refused', reason } })).toMatchObject({
    status,
    body: { code },
  });
  expect((await ask('/health/live', { key })).status).toBe(200);
  expect(stack.gateway.logs.join('\n')).not.toContain(KEY);
});

it.each([
  ['a list of everything', '/v1/operations', undefined, 400, 'invalid_request'],
  ['a page too long', '/v1/operations?state=in_doubt&limit=501', undefined, 400, 'invalid_request'],
  ['what is no operation', '/v1/operations/x/resolve', { outcome: 'refused', reason }, 404, 'operation_unknown'],
  [
    'a word without a reason',
    '/v1/operations/x/resolve',
    { outcome: 'refused', reason: 'short' },
    400,
    'invalid_request',
  ],
  [
    'a word of another',
    '/v1/operations/x/resolve',
    { outcome: 'refused', reason, actor: 'bob' },
    403,
    'actor_mismatch',
  ],
  [
    'a body above 16 kB',
    '/v1/operations/x/resolve',
    { outcome: 'refused', reason: 'x'.repeat(17_000) },
    413,
    'payload_too_large',
  ],
  ['an order that nobody knows', `/v1/orders/${MERCHANT}/never-heard-of`, undefined, 404, 'order_unknown'],
])('refuses %s', async (_, path, body, status, code) => {
  expect(await ask(path, { ...(body ? { body } : {}) })).toMatchObject({ status, body: { code } });
});
