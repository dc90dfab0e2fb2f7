import { JOURNAL_PARTITIONS } from '@tranche/order-journal';
import { aPartnerBAuthorization, infrastructure, startApp, waitFor } from '@tranche/testing';
import { damageJournal, untilIndexed, type Damage } from './damaged-journal.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { askAboutJournal, orderIn, operatorsFile } from './two-operators.js';

/** Damage of each partition, and a pattern for its reason. */
const DAMAGED = new Map<number, { damage: Damage; says: string }>([
  [0, { damage: 'ends before the index', says: 'was lost or replaced|a record was appended at offset' }],
  [1, { damage: 'another record at the marker', says: 'is another one' }],
  [2, { damage: 'begins behind the index', says: 'were deleted before they were projected' }],
  [3, { damage: 'empty', says: 'was lost or replaced|a record was appended at offset' }],
]);
const ALL = Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => partition);
const WHOLE = ALL.filter((partition) => !DAMAGED.has(partition));

let stack: GatewayStack;

async function ordersGoThrough(name: string): Promise<void> {
  const orders = WHOLE.map((partition) => orderIn(partition, name));
  await Promise.all(orders.map((orderId) => stack.send('payment.authorize', aPartnerBAuthorization({ orderId }))));
  await Promise.all(orders.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
}

beforeAll(async () => {
  stack = await startGatewayStack({ OPERATORS_FILE: operatorsFile() });
  const before = ALL.map((partition) => orderIn(partition, 'before'));
  await Promise.all(before.map((orderId) => stack.send('payment.authorize', aPartnerBAuthorization({ orderId }))));
  await Promise.all(before.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
  await untilIndexed(stack.prefix, infrastructure().redisUrl);
  await stack.gateway.stop();
  await damageJournal(stack.prefix, (partition) => DAMAGED.get(partition)?.damage ?? 'whole');
  stack.gateway = await startApp('payment-gateway', stack.env, { readyPath: '/health/live' });
}, 180_000);
afterAll(() => stack.stop());

it('a gateway that starts from a journal of which four partitions contradict the index stops those, says so, sends nothing of them, and goes on with the other eight', async () => {
  const ofDamaged = [...DAMAGED.keys()].map((partition) => orderIn(partition, 'meanwhile'));
  for (const orderId of ofDamaged) await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  await ordersGoThrough('meanwhile');
  const notReady = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).text();
  const isSaid = (text: string) => [...DAMAGED.keys()].every((partition) => text.includes(`Journal partition ${partition} is stopped`)); // prettier-ignore
  await waitFor(async () => isSaid(await notReady()), { timeoutMs: 90_000, what: 'a reason for each of the four' });

  // The damage must not end the process or stop other partitions later.
  await ordersGoThrough('later');
  expect(isSaid(await notReady())).toBe(true);
  const { body } = await askAboutJournal<{ stopped: { partition: number; reason: string }[] }>(stack.gateway, 'alice', 'partitions'); // prettier-ignore
  const stopped = new Map(body.stopped.map(({ partition, reason }) => [partition, reason]));
  expect([...stopped.keys()].sort()).toEqual([...DAMAGED.keys()]);
  for (const [partition, { says }] of DAMAGED) {
    expect(stopped.get(partition)).toMatch(new RegExp(says));
    const proposed = await askAboutJournal(stack.gateway, 'alice', `partitions/${partition}/resume`, { reason: 'The disk was lost, ticket 77' }); // prettier-ignore
    expect([partition, proposed.status]).toEqual([partition, 201]);
  }
  for (const orderId of ofDamaged) expect((await stack.ledgerOf(orderId)).calls).toEqual([]);
}, 240_000);
