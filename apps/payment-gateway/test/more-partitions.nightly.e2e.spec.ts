import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  orderKey,
  TOPICS,
  topicName,
  type TopicDefinition,
} from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { journalPartition } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import {
  aCommand,
  addPartitions,
  aPartnerBAuthorization,
  aPartnerBCartItem,
  infrastructure,
  startApp,
} from '@tranche/testing';
import { notificationOf } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { orderIn } from './orders-in-partition.js';

const COMMANDS = COMMAND_TOPICS['partner-b'];
const client = createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'more-spec' }, silentLog);
const ALL = Array.from({ length: 12 }, (_, partition) => partition);

let stack: GatewayStack;
beforeAll(async () => void (stack = await startGatewayStack()));
afterAll(() => stack.stop());

const more = (definition: TopicDefinition, count: number) =>
  addPartitions(client, topicName(stack.prefix, definition), count);
const ordersOf = (name: string) => ALL.map((partition) => orderIn(partition, name));

/** Publishes as a publisher does that names this partition of the order's key. */
async function authorize(orderId: string, id: string, partition: number, quantity = 3): Promise<void> {
  const amount = quantity * 10_000;
  const cart = [aPartnerBCartItem({ quantity, price: 10_000, totalAmount: amount })];
  const data = aPartnerBAuthorization({ orderId, amount, cart });
  const event = aCommand('payment.authorize', data, { id, time: new Date().toISOString() });
  const at = { topic: topicName(stack.prefix, COMMANDS), partition, key: orderKey(data.merchant, orderId) };
  // One that knows the partitions of now.
  const producer = new BatchingProducer({ client, log: silentLog });
  await producer.send({ ...at, ...encodeCloudEvent(event) });
  await producer.close();
}

/** Half of the orders on their own partition (modulo 12), the others on the one twelve above it (modulo 24). */
const spread = (orders: readonly string[]) =>
  Promise.all(orders.map((orderId, at) => authorize(orderId, orderId, own(orderId) + (at % 2) * 12)));
const own = (orderId: string) => journalPartition(orderKey('shop-fr', orderId));
const answered = (orders: readonly string[]) =>
  Promise.all(orders.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
const notified = (orders: readonly string[]) =>
  Promise.all(
    orders.map(async (orderId) => {
      const { data } = await stack.event(orderId, 'payment.authorize.redirect_required');
      const body = new URLSearchParams({ decision: 'validate' });
      await fetch(`${stack.simulator.url}/form/${data.transactionId}`, { method: 'POST', redirect: 'manual', body });
      await stack.notify(await notificationOf(stack, orderId, 'authorization'));
      await stack.event(orderId, 'payment.authorize.succeeded');
    }),
  );
const isReady = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).status;

const before = ordersOf('before');
const running = ordersOf('running');
const second = ordersOf('second');
const stopped = ordersOf('stopped');

it('a command topic and the notifications get 24 partitions and the journal 13 while the gateway runs: what lies on each of them is taken', async () => {
  await Promise.all(before.map((orderId) => authorize(orderId, orderId, own(orderId))));
  await more(COMMANDS, 24);
  await more(TOPICS.notifications, 24);
  await more(TOPICS.journal, 13);
  await more(TOPICS.events, 24);
  await spread(running);
  await answered([...before, ...running]);
  await notified(running);
  expect(await isReady()).toBe(200);
}, 240_000);

it('of an order whose second command lies on the added partition, behind the first on its own, the first counts', async () => {
  await stack.gateway.stop();
  for (const orderId of second) {
    await authorize(orderId, orderId, own(orderId), 3);
    await authorize(orderId, orderId, own(orderId) + 12, 4);
  }
  stack.gateway = await startApp('payment-gateway', stack.env);
  const events = await Promise.all(
    second.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')),
  );
  expect(events.map(({ data }) => data.amount)).toEqual(second.map(() => 30_000));
  await Promise.all(second.map((orderId) => stack.event(orderId, 'payment.command.rejected')));
}, 240_000);

it('topics that get more partitions before a start are taken whole by the next one', async () => {
  await stack.gateway.stop();
  await more(COMMANDS, 36);
  await more(TOPICS.journal, 14);
  await Promise.all(stopped.map((orderId, at) => authorize(orderId, orderId, own(orderId) + (at % 3) * 12)));
  stack.gateway = await startApp('payment-gateway', stack.env);
  await answered(stopped);
  await notified(stopped);
  expect(await isReady()).toBe(200);
}, 240_000);

it('no order was called twice', async () => {
  const orders = [...before, ...running, ...second, ...stopped];
  const calls = await Promise.all(orders.map((orderId) => stack.ledgerOf(orderId)));
  expect(calls.map((ledger) => ledger.calls.length)).toEqual(orders.map(() => 1));
});
