import { COMMAND_TOPICS, orderKey, TOPICS, topicName } from '@tranche/contracts';
import { createKafkaClient } from '@tranche/kafka';
import { partitionForKey, silentLog } from '@tranche/runtime';
import {
  aCapture,
  addPartitions,
  aPartnerBAuthorization,
  aRefund,
  eventsOf,
  gatewaySettings,
  infrastructure,
  makeTopics,
  ownPrefix,
  startApp,
  startSimulator,
  waitFor,
  type EventsOf,
  type RunningApp,
} from '@tranche/testing';
import { Tranche, type Published } from '../src/index.js';

const rail = 'partner-b';
const { amount } = aPartnerBAuthorization();
const OPERATIONS = ['authorize', 'capture', 'refund', 'refund'];
const namesOf = (name: string) => Array.from({ length: 24 }, (_, number) => `${name}-${number}`);
/** `begun` are authorized while there are 12 partitions; `waiting` are all published while no gateway runs. */
const [begun, waiting, later] = [namesOf('begun'), namesOf('waiting'), namesOf('later')];

const prefix = ownPrefix();
const { brokers } = infrastructure();
const kafka = createKafkaClient({ brokers: brokers.split(','), clientId: 'names-its-partition' }, silentLog);
const connect = (clientId: string) =>
  Tranche.connect({ brokers: brokers.split(','), clientId, topicPrefix: prefix, log: silentLog });
const published: { orderId: string; at: Published }[] = [];
const closing: (() => Promise<unknown>)[] = [];
let simulator: RunningApp;
let gateway: RunningApp;
let results: EventsOf;
let tranche: Tranche;

beforeAll(async () => {
  [simulator] = await Promise.all([startSimulator(), makeTopics(prefix)]);
  closing.push(() => simulator.stop());
  // The platform answers with a success at once, so that no cardholder is awaited.
  const withoutForm = { match: { operation: 'authorization' }, fault: { withoutForm: '0000' } };
  const json = { 'content-type': 'application/json' };
  await fetch(`${simulator.url}/simulator/faults`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(withoutForm),
  });
  results = await eventsOf(brokers, prefix);
  closing.push(() => results.stop());
  tranche = await connect('before');
  closing.push(() => tranche.close());
  await startGateway();
  closing.push(() => gateway.stop());
}, 120_000);
afterAll(async () => void (await Promise.all(closing.map((close) => close()))));

const startGateway = async () =>
  void (gateway = await startApp('payment-gateway', gatewaySettings(prefix, simulator.url)));

async function authorize({ publisher }: Tranche, orderId: string): Promise<void> {
  published.push({
    orderId,
    at: await publisher.authorize(aPartnerBAuthorization({ orderId }), { id: `${orderId}-1` }),
  });
}

/** Captures and refunds twice; each command is published when the one before it is in its topic, and no result is awaited. */
async function goOn({ publisher }: Tranche, orderId: string): Promise<void> {
  const capture = await publisher.capture(aCapture({ orderId, amount }), { id: `${orderId}-2`, rail });
  const refund = (part: number) =>
    publisher.refund(aRefund({ orderId, amount: part }), { id: `${orderId}-${part}`, rail });
  published.push(...[capture, await refund(1_000), await refund(2_000)].map((at) => ({ orderId, at })));
}

const eventsTold = (orderId: string) =>
  results.events.flatMap(({ type, data }) => (data.orderId === orderId ? [type] : []));

async function expectInOrder(orderIds: readonly string[]): Promise<void> {
  const expected = OPERATIONS.map((operation) => `payment.${operation}.succeeded`);
  for (const orderId of orderIds) {
    await waitFor(() => eventsTold(orderId).length >= expected.length, {
      timeoutMs: 100_000,
      what: `the events of ${orderId}`,
    });
    expect([orderId, eventsTold(orderId)]).toEqual([orderId, expected]);
    const response = await fetch(`${simulator.url}/simulator/ledger?orderId=${orderId}`);
    const { calls } = (await response.json()) as { calls: { operation: string }[] };
    const called = ['authorization', 'capture', 'refund', 'refund'];
    expect([orderId, calls.map(({ operation }) => operation)]).toEqual([orderId, called]);
  }
}

it('a command topic that gets 24 partitions instead of 12, and a journal that gets 13, before a start: all is executed once and in order', async () => {
  await Promise.all(begun.map((orderId) => authorize(tranche, orderId)));
  await waitFor(() => begun.every((orderId) => eventsTold(orderId).length > 0), {
    timeoutMs: 100_000,
    what: 'the authorizations',
  });
  await gateway.stop();
  await addPartitions(kafka, topicName(prefix, COMMAND_TOPICS[rail]), 24);
  await addPartitions(kafka, topicName(prefix, TOPICS.journal), 13);
  // One client knows 12 partitions from before, the other one has only ever seen 24.
  const after = await connect('after');
  closing.push(() => after.close());
  await Promise.all(begun.map((orderId) => goOn(tranche, orderId)));
  await Promise.all(waiting.map((orderId) => authorize(after, orderId).then(() => goOn(after, orderId))));

  await startGateway();
  await expectInOrder([...begun, ...waiting]);
  await Promise.all(later.map((orderId) => authorize(after, orderId).then(() => goOn(after, orderId))));
  await expectInOrder(later);
}, 400_000);

it('the client chose the partition of the order’s journal among 12, also for orders that a partitioner puts on an added one of 24', async () => {
  const keyOf = (orderId: string) => orderKey('shop-fr', orderId);
  expect(published).toHaveLength(4 * 72);
  for (const { orderId, at } of published)
    expect([orderId, at.partition]).toEqual([orderId, partitionForKey(keyOf(orderId), 12)]);
  const elsewhere = [...waiting, ...later].filter((orderId) => partitionForKey(keyOf(orderId), 24) >= 12);
  expect(elsewhere.length).toBeGreaterThan(10);
  const metrics = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
  expect(metrics).not.toMatch(/^tranche_commands_forwarded_total\{.*\} [1-9]/m);
});
