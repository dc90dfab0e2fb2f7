import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, waitFor } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';
import { askOperatorsOf, doubtful, KEYS, MERCHANT, reason, type Doubt } from './doubtful-orders.js';

interface Order {
  status: string;
  asOf: object;
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
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

const ask = <T = { code: string }>(path: string, options: { body?: object; key?: string } = {}) =>
  askOperatorsOf<T>(stack.gateway, path, options);
const orderOf = async (orderId: string) =>
  (await ask<Order>(`/v1/orders/${MERCHANT}/${encodeURIComponent(orderId)}`)).body;

it('lists a doubt, takes the word of who looked it up and of a second person, and tells everybody', async () => {
  const orderId = 'looked up/1';
  const doubt = await doubtful(stack, orderId);
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
  const resolution = {
    outcome: 'succeeded',
    reason,
    actor: 'demo',
    transactionId: executed?.transactionId,
    execCode: '0000',
  };
  const resolve = `/v1/operations/${doubt.id}/resolve`;
  const { asOf: _before, ...unmoved } = await orderOf(orderId);
  expect(await ask(`${resolve}?dryRun=true`, { body: resolution })).toMatchObject({
    status: 200,
    body: {
      ...{ dryRun: true, order: { status: 'authorized' }, approval: { why: 'amount', notBy: 'demo' } },
      ...{ events: [{ type: 'payment.authorize.doubt_resolved' }], conflictsWith: ['refused', 'not_executed'] },
    },
  });
  expect(await orderOf(orderId)).toMatchObject(unmoved);
  const proposed = await ask<{ id: string }>(resolve, { body: resolution });
  expect(proposed).toMatchObject({ status: 202, body: { why: 'amount', proposedBy: 'demo' } });
  const approve = `/v1/proposals/${proposed.body.id}/approve`;
  expect(await ask(approve, { body: {} })).toMatchObject({ status: 403, body: { code: 'same_operator' } });
  expect(await ask(approve, { body: {}, key: KEYS.second })).toMatchObject({
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
  const published = stack.results.events.filter((event) => event.data.orderId === orderId).map(({ id }) => id);
  expect(operation?.events.map(({ id }) => id)).toEqual(published);

  const again = await ask(resolve, { body: { outcome: 'refused', reason } });
  expect(again).toMatchObject({ status: 409, body: { code: 'not_in_doubt' } });
  await waitFor(
    async () => {
      const { body } = await ask<{ operations: Doubt[] }>(
        `/v1/operations?state=in_doubt&limit=500&merchant=${MERCHANT}`,
      );
      return body.operations.every((other) => other.orderId !== orderId) || undefined;
    },
    { what: 'the list without it' },
  );
  expect(stack.typesOf(orderId)).not.toContain('payment.conflict.detected');
}, 120_000);

it('takes no TRANSACTIONID that another order has, nor that another proposal states, nor the one of the runbook', async () => {
  const [known, other, third] = ['id-known', 'id-other', 'id-third'];
  const doubts = [await doubtful(stack, known), await doubtful(stack, other), await doubtful(stack, third)];
  const ofPlatform = async (orderId: string) => (await stack.ledgerOf(orderId)).operations[0]!;
  const { transactionId, extraData } = await ofPlatform(known);
  await stack.notify({
    ...{ orderId: known, operationType: 'authorization', execCode: '0000', transactionId },
    ...(extraData === undefined ? {} : { extraData }),
  });
  await stack.event(known, 'payment.authorize.doubt_resolved');
  const say = (doubt: Doubt | undefined, body: object) =>
    ask<{ id: string; code: string; detail: string }>(`/v1/operations/${doubt!.id}/resolve`, { body });
  const succeeded = { outcome: 'succeeded', reason, execCode: '0000' };
  const naming = (orderId: string) => ({
    ...{
      status: 409,
      body: { code: 'transaction_of_another', detail: expect.stringContaining(`order ${orderId}`) as string },
    },
  });
  expect(await say(doubts[1], { ...succeeded, transactionId })).toMatchObject(naming(known));

  const { transactionId: own } = await ofPlatform(other);
  const proposed = await say(doubts[1], { ...succeeded, transactionId: own });
  expect(proposed.status).toBe(202);
  expect(await say(doubts[2], { ...succeeded, transactionId: own })).toMatchObject(naming(other));
  const approved = await ask(`/v1/proposals/${proposed.body.id}/approve`, { body: {}, key: KEYS.second });
  expect(approved).toMatchObject({ status: 200, body: { state: 'succeeded' } });
  expect(await say(doubts[2], { ...succeeded, transactionId: own })).toMatchObject(naming(other));

  const runbook = readFileSync(join(repositoryRoot(), 'docs/operate/runbook.md'), 'utf8');
  const sample = /succeeded --transaction-id '(.+?)'/.exec(runbook)![1]!;
  expect(await say(doubts[2], { ...succeeded, transactionId: sample })).toMatchObject({
    status: 400,
    body: { faults: [{ path: 'transactionId' }] },
  });
}, 120_000);

it('lets a viewer of one merchant see, and nothing else', async () => {
  const allowed = `/v1/operations?state=in_doubt&merchant=${MERCHANT}`;
  expect((await ask(allowed, { key: KEYS.viewer })).status).toBe(200);
  const me = { role: 'viewer', merchants: [MERCHANT], mayDecide: true };
  expect(await ask('/v1/me', { key: KEYS.viewer })).toMatchObject({ status: 200, body: me });
  const sorted = '/v1/operations?state=in_doubt&sort=amount&operation=authorize&minAmount=1&minAgeSeconds=0&limit=1';
  expect(await ask(sorted)).toMatchObject({ status: 200, body: { operations: expect.any(Array) } });
  expect(await ask(`${sorted}&after=x`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  const refused = await ask('/v1/operations/x/resolve', { key: KEYS.viewer, body: { outcome: 'refused', reason } });
  expect(refused).toMatchObject({ status: 403, body: { code: 'role_needed' } });
  expect(refused.type).toContain('problem+json');
  for (const path of ['/v1/orders/shop-of-others/1', '/v1/operations?state=in_doubt&merchant=shop-of-others'])
    expect(await ask(path, { key: KEYS.viewer })).toMatchObject({
      status: 403,
      body: { code: 'merchant_not_allowed' },
    });
});

it.each([
  ['without a key', '', 401, 'unauthorized'],
  ['with a wrong key', `${KEYS.demo}x`, 401, 'unauthorized'],
])('answers nobody %s', async (_, key, status, code) => {
  for (const path of ['/v1/operations?state=in_doubt', `/v1/orders/${MERCHANT}/1`]) {
    expect(await ask(path, { key })).toMatchObject({ status, body: { code } });
  }
  expect(await ask('/v1/operations/x/resolve', { key, body: { outcome: 'refused', reason } })).toMatchObject({
    status,
    body: { code },
  });
  expect((await ask('/health/live', { key })).status).toBe(200);
  expect(stack.gateway.logs.join('\n')).not.toContain(KEYS.demo);
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
