import { emptyOrder } from '@tranche/order-journal';
import { example, fakeOperations, problem } from '../../test/fake-operations.js';
import { aTerminal } from '../../test/run-tranche.js';

const ID = 'WyJzaG9wLWZyIiwib3JkZXItMSIsImMtMSJd';
const ORDER = 'GET /v1/orders/shop-fr/order-1';
const SAID = [
  'resolve',
  'shop-fr/order-1',
  'succeeded',
  '--transaction-id',
  'T1',
  '--reason',
  'seen in the back office',
];
const RESOLVE = `POST /v1/operations/${ID}/resolve`;
const PREVIEW = `${RESOLVE}?dryRun=true`;

const doubt = { id: ID, kind: 'doubt', about: { commandId: 'c-1', operation: 'capture' } };
const order = (attention: object[]) => ({
  ...{ merchant: 'shop-fr', orderId: 'order-1', status: 'in_doubt', amounts: {}, movedAt: '2027-03-01T10:00:00.000Z' },
  ...{ attention, state: emptyOrder('shop-fr', 'order-1'), asOf: { partition: 3, next: '42' } },
});
const ofOrder = { merchant: 'shop-fr', orderId: 'order-1' };
const proposal = {
  ...ofOrder,
  ...{ id: 'p-1', operation: ID, why: 'succeeded', proposedBy: 'alice', proposedAt: '2027-03-01T10:00:00.000Z' },
  ...{ expiresAt: '2027-03-02T10:00:00.000Z', state: 'open', resolution: { outcome: 'succeeded', reason: 'seen in the back office' } },
}; // prettier-ignore
const preview = {
  ...{ dryRun: true, events: [{ type: 'payment.capture.doubt_resolved' }], conflictsWith: ['refused'], closes: [] },
  order: example('GatewayOrder', { status: 'captured' }),
  opens: [{ operation: 'authorize', code: 'order_in_doubt' }],
  approval: { why: 'succeeded', role: 'approver', notBy: 'alice' },
};
const operation = {
  ...{ id: ID, commandId: 'c-1', operation: 'capture', method: 'A', state: 'succeeded', attempt: 1 },
  ...{ attempts: [], evidence: [], events: [] },
};
const recorded = {
  ...ofOrder,
  ...{ id: ID, commandId: 'c-1', recorded: { partition: 3, offset: '42' }, detail: 'Look.', lookAt: '/v1/orders/shop-fr/order-1' },
}; // prettier-ignore

let operations: Awaited<ReturnType<typeof fakeOperations>>;
let terminal: ReturnType<typeof aTerminal>;
beforeAll(async () => {
  operations = await fakeOperations();
  terminal = aTerminal({ OPERATIONS_URL: operations.url, TRANCHE_TOKEN: 'token-of-alice' });
});
afterAll(async () => {
  await operations.close();
  terminal.close();
});

const known = { [ORDER]: order([doubt]), [PREVIEW]: preview };
const sent = () =>
  operations.requests.filter(({ method }) => method === 'POST').map(({ url }) => url.replace(ID, 'ID'));

it('shows what it would do, and says nothing, with --dry-run', async () => {
  operations.says(known);
  const { code, err } = await terminal.run([...SAID, '--dry-run']);
  expect(code).toBe(0);
  expect(err.split('\n')).toEqual([
    'the order would be captured',
    'events: payment.capture.doubt_resolved',
    'let through from then on: authorize (order_in_doubt)',
    'ANOTHER PAYMENT WOULD BE LET THROUGH: the customer may pay twice, if this is wrong',
    'a later report of refused would be a conflict',
    'another person must agree: role approver, not alice (succeeded)',
    'nothing was said (--dry-run)',
    '',
  ]);
  expect(sent()).toEqual(['/v1/operations/ID/resolve?dryRun=true']);
});

it('does nothing where nobody can be asked and --yes is missing', async () => {
  operations.says(known);
  const { code, err } = await terminal.run(SAID);
  expect([code, sent()]).toEqual([3, ['/v1/operations/ID/resolve?dryRun=true']]);
  expect(err).toContain('give --yes');
});

it.each([
  ['a proposal awaits approval', [202, proposal], 7, 'tranche approve p-1'],
  ['what is not judged yet is unknown', [202, recorded], 5, 'not judged yet'],
  ['what counted is done', [200, operation], 0, 'it counted: the operation is succeeded'],
  ['a conflict or proposal may be gone', [404, problem(404, 'decision_unknown')], 3, 'decision_unknown'],
  ['the state may refuse it', [409, problem(409, 'not_in_doubt')], 3, 'not_in_doubt'],
  ['a role may be missing', [403, problem(403, 'role_needed')], 4, 'role_needed'],
  ['what the gateway may have taken is unknown', [503, problem(503, 'gateway_unavailable')], 5, 'look before you say it again: tranche show '],
  ['what is not confirmed is unknown', [503, problem(503, 'resolution_not_confirmed')], 5, 'look before you say it again: tranche show '],
  ['words that contradict themselves are wrong use', [422, problem(422, 'resolution_contradictory')], 2, 'contradictory'],
] as [string, [number, object], number, string][])('resolve: %s', async (_, answer, expected, says) => {
  operations.says({ ...known, [RESOLVE]: answer });
  const { code, err } = await terminal.run([...SAID, '--yes']);
  expect([code, sent()]).toEqual([expected, ['/v1/operations/ID/resolve?dryRun=true', '/v1/operations/ID/resolve']]);
  expect(err).toContain(says);
  expect(operations.requests.at(-1)?.body).toEqual({ outcome: 'succeeded', transactionId: 'T1', reason: 'seen in the back office' });
}); // prettier-ignore

it('in production money moves only after the order was named again', async () => {
  operations.says({ ...known, [RESOLVE]: [200, operation] });
  const production = { TOPICS: 'check' };
  expect(await terminal.run([...SAID, '--yes'], production)).toMatchObject({ code: 3, err: expect.stringContaining("--confirm 'shop-fr/order-1'") });
  expect(await terminal.run([...SAID, '--yes', '--confirm', 'shop-fr/order-2'], production)).toMatchObject({ code: 3 });
  expect(sent()).not.toContain('/v1/operations/ID/resolve');
  expect(await terminal.run([...SAID, '--confirm', 'shop-fr/order-1'], production)).toMatchObject({ code: 0 });
  expect(sent()).toContain('/v1/operations/ID/resolve');
}); // prettier-ignore

it('with the key of the pod nothing is decided', async () => {
  operations.says(known);
  const { code, err } = await terminal.run(SAID, { TRANCHE_TOKEN: '', GATEWAY_KEY: 'key-of-vera' });
  expect([code, sent()]).toEqual([4, []]);
  expect(err).toContain('nobody is signed in');
});

it('asks which one, where several operations of the order are open', async () => {
  operations.says({ [ORDER]: order([doubt, { ...doubt, about: { commandId: 'c-2', operation: 'refund' } }]) });
  const { code, err } = await terminal.run([...SAID, '--yes']);
  expect([code, sent()]).toEqual([2, []]);
  expect(err).toContain('--command c-2 (refund)');
});

it.each([
  ['of nothing that is open', ORDER, order([]), SAID, 'no operation that a person may decide'],
  ['of no conflict', ORDER, order([]), ['settle', 'shop-fr/order-1', 'kept', '--reason', 'seen in the back office'], 'no conflict'],
  ['of no proposal', 'GET /v1/proposals', { proposals: [] }, ['approve', 'shop-fr/order-1'], 'no open proposal'],
])('a statement %s is refused', async (_, route, answer, args, says) => {
  operations.says({ [route]: answer });
  const { code, err } = await terminal.run([...args, '--yes']);
  expect([code, sent()]).toEqual([3, []]);
  expect(err).toContain(says);
}); // prettier-ignore

it('a proposal is shown, and approved by order, row or id', async () => {
  for (const name of ['shop-fr/order-1', '1', 'p-1']) {
    operations.says({ 'GET /v1/proposals': { proposals: [proposal] }, 'POST /v1/proposals/p-1/approve': [200, operation] });
    if (name === '1') expect(await terminal.run(['approve'])).toMatchObject({ code: 0, out: expect.stringContaining('alice') });
    const { code, err } = await terminal.run(['approve', name, '--yes']);
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(err).toContain('shop-fr/order-1: succeeded, reason seen in the back office');
    expect(sent()).toEqual(['/v1/proposals/p-1/approve']);
  }
}); // prettier-ignore

it.each([
  ['has its currency', [200, { ...order([]), amounts: { currency: 'EUR', authorized: 25_000, captured: null, refunded: 0, assumed: [] } }], 'amount 150.00 EUR'],
  ['is in minor units where the order is not known', [404, problem(404, 'order_unknown')], 'amount 15000 minor units'],
] as [string, [number, object], string][])('the amount of a proposal %s', async (_, answer, says) => {
  const resolution = { ...proposal.resolution, amount: 15_000 };
  operations.says({ 'GET /v1/proposals': { proposals: [{ ...proposal, resolution }] }, [ORDER]: answer });
  const { code, err } = await terminal.run(['approve', 'p-1', '--dry-run']);
  expect([code, sent()]).toEqual([0, []]);
  expect(err).toContain(says);
}); // prettier-ignore

it('the person who proposed it is told to let another one approve', async () => {
  const refusal = [403, problem(403, 'same_operator')] as [number, object];
  operations.says({ 'GET /v1/proposals': { proposals: [proposal] }, 'POST /v1/proposals/p-1/approve': refusal });
  const { code, err } = await terminal.run(['approve', 'p-1', '--yes']);
  expect(code).toBe(4);
  expect(err).toContain('let another person approve it');
});
