import { randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey, TOPICS } from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { JOURNAL_PARTITIONS } from '@tranche/order-journal';
import { aCommand, aPartnerBAuthorization, infrastructure, startApp, waitFor } from '@tranche/testing';
import { damageJournal, untilIndexed, type Damage } from './damaged-journal.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { keptRecords } from './kept-records.js';
import { orderIn } from './orders-in-partition.js';
import { journalStatus, PEOPLE, trancheJournal } from './tranche.js';

/** Damage of each partition, a pattern for the gateway's reason, and what `tranche journal status` calls it. */
const DAMAGED = new Map<number, { damage: Damage; says: string; kind: string }>([
  [0, { damage: 'ends before the index', says: 'was lost or replaced|a record was appended at offset', kind: 'ends_before_index' }],
  [1, { damage: 'another record at the marker', says: 'is another one', kind: 'other_record_at_marker' }],
  [2, { damage: 'begins behind the index', says: 'were deleted before they were projected', kind: 'deleted_unread' }],
  [3, { damage: 'empty', says: 'was lost or replaced|a record was appended at offset', kind: 'ends_before_index' }],
]); // prettier-ignore
const ALL = Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => partition);
const WHOLE = ALL.filter((partition) => !DAMAGED.has(partition));
const before = new Map(
  ALL.map((partition) => [partition, { id: randomUUID(), orderId: orderIn(partition, 'before') }]),
);

let stack: GatewayStack;

/** Sends the authorization of before, with the time of now. */
async function sendBefore(partition: number): Promise<void> {
  const { id, orderId } = before.get(partition)!;
  const data = aPartnerBAuthorization({ orderId });
  const { value, headers } = encodeCloudEvent(aCommand('payment.authorize', data, { id, time: new Date().toISOString() })); // prettier-ignore
  await stack.sendRecord(COMMAND_TOPICS['partner-b'].name, orderKey('shop-fr', orderId), value, headers);
}

async function ordersGoThrough(name: string, partitions = WHOLE): Promise<void> {
  const orders = partitions.map((partition) => orderIn(partition, name));
  await Promise.all(orders.map((orderId) => stack.send('payment.authorize', aPartnerBAuthorization({ orderId }))));
  await Promise.all(orders.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
}

const callsOf = async (orderId: string) => (await stack.ledgerOf(orderId)).calls.length;

beforeAll(async () => {
  stack = await startGatewayStack();
  await Promise.all(ALL.map(sendBefore));
  await Promise.all([...before.values()].map(({ orderId }) => stack.event(orderId, 'payment.authorize.redirect_required'))); // prettier-ignore
  await untilIndexed(stack.prefix, infrastructure().redisUrl);
  await stack.gateway.stop();
  await damageJournal(stack.prefix, (partition) => DAMAGED.get(partition)?.damage ?? 'whole');
}, 300_000);
afterAll(() => stack.stop());

it('a gateway that starts from a journal of which four partitions contradict the index stops those, and goes on with the other eight; resumed while no gateway runs, all twelve go on, and nothing is executed twice', async () => {
  const found = await journalStatus(stack);
  expect(found.code).toBe(6);
  for (const { partition, damages } of found.partitions)
    expect([partition, damages.map(({ kind }) => kind)]).toEqual([partition, DAMAGED.has(partition) ? [DAMAGED.get(partition)!.kind] : []]); // prettier-ignore

  stack.gateway = await startApp('payment-gateway', stack.env, { readyPath: '/health/live' });
  const ofDamaged = [...DAMAGED.keys()].map((partition) => orderIn(partition, 'meanwhile'));
  for (const orderId of ofDamaged) await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  await ordersGoThrough('meanwhile');
  const notReady = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).text();
  const isSaid = (text: string) => [...DAMAGED.keys()].every((partition) => text.includes(`Journal partition ${partition} is stopped`)); // prettier-ignore
  await waitFor(async () => isSaid(await notReady()), { timeoutMs: 90_000, what: 'a reason for each of the four' });

  // The damage must not end the process or stop other partitions later.
  await ordersGoThrough('later');
  const reasons = await notReady();
  expect(isSaid(reasons)).toBe(true);
  for (const [partition, { says }] of DAMAGED) {
    expect(reasons).toMatch(new RegExp(`Journal partition ${partition} is stopped[^;]*(?:${says})`));
    expect(reasons).toContain(`tranche journal resume --partition ${partition}`);
  }
  for (const orderId of ofDamaged) expect(await callsOf(orderId)).toBe(0);
  const metrics = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
  const stopped = [...metrics.matchAll(/^tranche_journal_partition_stopped\{[^}]*partition="(\d+)"[^}]*\} 1$/gm)];
  expect(stopped.map(([, partition]) => Number(partition)).sort()).toEqual([...DAMAGED.keys()].sort());

  await stack.gateway.stop();
  expect(await trancheJournal(stack, 'resume', ...PEOPLE, '--yes')).toMatchObject({ code: 0 });
  expect((await journalStatus(stack)).code).toBe(0);
  stack.gateway = await startApp('payment-gateway', stack.env);
  await Promise.all(ALL.map(sendBefore));
  await ordersGoThrough('after', ALL);

  // Partitions 0 and 1 keep the INTENT and lost the answer: in doubt. 2 and 3 have nothing of their orders. A command that met a damaged partition
  // may have left an INTENT there, which was never sent.
  const letters = async () => keptRecords(stack.prefix, TOPICS.commandsDeadLetter);
  const isKept = (records: ConsumedRecord[], orderId: string) => records.some(({ key }) => key === orderKey('shop-fr', orderId)); // prettier-ignore
  const isDoubt = (orderId: string) => stack.typesOf(orderId).includes('payment.authorize.in_doubt');
  const unknown = [2, 3].map((partition) => before.get(partition)!.orderId);
  await waitFor(
    async () => {
      const records = await letters();
      return (
        unknown.every((orderId) => isKept(records, orderId)) &&
        ofDamaged.every((orderId) => isKept(records, orderId) || isDoubt(orderId))
      );
    },
    { timeoutMs: 120_000, what: 'an end of every command of before' },
  );
  expect(new Set((await letters()).map(({ headers }) => headers['dead-letter-code']))).toEqual(new Set(['journal_resumed'])); // prettier-ignore
  for (const partition of [0, 1]) await stack.event(before.get(partition)!.orderId, 'payment.authorize.in_doubt');
  for (const partition of WHOLE) await stack.event(before.get(partition)!.orderId, 'payment.authorize.redirect_required', 2); // prettier-ignore
  for (const { orderId } of before.values()) expect([orderId, await callsOf(orderId)]).toEqual([orderId, 1]);
  for (const orderId of ofDamaged) expect([orderId, await callsOf(orderId)]).toEqual([orderId, 0]);
}, 480_000);
