import { COMMAND_TOPICS, TOPICS, topicName, type TopicDefinition } from '@tranche/contracts';
import { createKafkaClient, ensureTopics } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aPartnerBAuthorization, deleteTopic, infrastructure, startApp, waitFor } from '@tranche/testing';
import { notificationOf } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { orderIn } from './orders-in-partition.js';

const client = createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'anew-spec' }, silentLog);
const COMMANDS = COMMAND_TOPICS['partner-b'];
/** Records by partition. The last partition is idle at first; a topic made anew has fewer, equally many, or more of them. */
const FIRST = [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0];
const ANEW = [1, 3, 5, 0, 2, 3, 4, 1, 3, 6, 2, 3];

let stack: GatewayStack;
beforeAll(async () => void (stack = await startGatewayStack()));
afterAll(() => stack.stop());

async function madeAnew(definition: TopicDefinition, partitions = definition.partitions): Promise<void> {
  await deleteTopic(client, topicName(stack.prefix, definition));
  const again = { prefix: stack.prefix, definitions: [{ ...definition, partitions }], replicationFactor: 1, minInSyncReplicas: 1, log: silentLog }; // prettier-ignore
  await waitFor(() => ensureTopics(client, again).then(() => true, () => false), { timeoutMs: 30_000, what: 'the new topic' }); // prettier-ignore
}

const ordersOf = (name: string, counts: readonly number[]) =>
  counts.flatMap((count, partition) => Array.from({ length: count }, (_, n) => orderIn(partition, `${name}-${n}`)));
const authorize = (orders: readonly string[]) =>
  Promise.all(orders.map((orderId) => stack.send('payment.authorize', aPartnerBAuthorization({ orderId }), orderId)));
const answered = (orders: readonly string[]) =>
  Promise.all(orders.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
/** The cardholder validates, and the platform says so. */
const notify = (orders: readonly string[]) =>
  Promise.all(
    orders.map(async (orderId) => {
      const { data } = await stack.event(orderId, 'payment.authorize.redirect_required');
      const body = new URLSearchParams({ decision: 'validate' });
      await fetch(`${stack.simulator.url}/form/${data.transactionId}`, { method: 'POST', redirect: 'manual', body });
      await stack.notify(await notificationOf(stack, orderId, 'authorization'));
    }),
  );
const succeeded = (orders: readonly string[]) =>
  Promise.all(orders.map((orderId) => stack.event(orderId, 'payment.authorize.succeeded')));
const replaced = async (topic: string) => {
  const metrics = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
  return Number(metrics.match(new RegExp(`^kafka_logs_replaced_total{[^}]*topic="${topic}"[^}]*} (\\S+)$`, 'm'))?.[1]);
};

const first = ordersOf('first', FIRST);
const anew = ordersOf('anew', ANEW);
const meanwhile = ordersOf('meanwhile', ANEW);

it('commands of a topic that is made anew while the gateway runs are executed once, also those that are published again', async () => {
  await authorize(first);
  await answered(first);
  expect(await replaced(COMMANDS.name)).toBe(0);
  await madeAnew(COMMANDS);
  await authorize([...first.slice(0, 12), ...anew]);
  await answered(anew);
  expect(await replaced(COMMANDS.name)).toBeGreaterThan(0);
}, 240_000);

it('notifications of a topic that is made anew while the gateway runs are applied', async () => {
  await notify(first);
  await succeeded(first);
  expect(await replaced(TOPICS.notifications.name)).toBe(0);
  await madeAnew(TOPICS.notifications);
  await notify(anew);
  await succeeded(anew);
  expect(await replaced(TOPICS.notifications.name)).toBeGreaterThan(0);
}, 240_000);

it('commands and notifications of topics that are made anew while no gateway runs are taken by the next one', async () => {
  await stack.gateway.stop();
  await madeAnew(COMMANDS);
  await madeAnew(TOPICS.notifications);
  await authorize(meanwhile);
  stack.gateway = await startApp('payment-gateway', stack.env);
  await answered(meanwhile);
  await stack.gateway.stop();
  await madeAnew(TOPICS.notifications);
  await notify(meanwhile);
  stack.gateway = await startApp('payment-gateway', stack.env);
  await succeeded(meanwhile);
}, 240_000);

it('no order was called twice', async () => {
  const calls = await Promise.all([...first, ...anew, ...meanwhile].map((orderId) => stack.ledgerOf(orderId)));
  expect(calls.map((ledger) => ledger.calls.length)).toEqual(calls.map(() => 1));
});

it('a topic that is made anew with too few partitions is named: the gateway is not ready', async () => {
  await madeAnew(COMMANDS, 6);
  const ready = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).text();
  const reason = `${topicName(stack.prefix, COMMANDS)} has 6 partitions, must have at least 12`;
  await waitFor(async () => (await ready()).includes(reason), {
    timeoutMs: 90_000,
    what: 'a gateway that is not ready',
  });
}, 120_000);
