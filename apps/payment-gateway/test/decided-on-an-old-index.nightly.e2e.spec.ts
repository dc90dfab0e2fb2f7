import { orderKey, TOPICS } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';
import { aRefund, RedisServer, startApp, waitFor, type RunningApp } from '@tranche/testing';
import { capturedOrder, notificationOf } from './captured-order.js';
import { askOperatorsOf, KEYS, MERCHANT, reason } from './doubtful-orders.js';
import { startOwnGateway, type GatewayStack } from './gateway-stack.js';

const ORDER = 'refunded-once';
const PARTITION = journalPartition(orderKey(MERCHANT, ORDER));
const WITHIN_MS = 120_000;
/** EXTRADATA has no room for a tag, so a notification may be of a refund in the back office. */
const UNTAGGED = { orderId: ORDER, amount: 4000, extraData: 'x'.repeat(255) };

interface Operation {
  id: string;
  commandId: string;
  state: string;
  statements?: object[];
}
interface Order {
  operations: Operation[];
  candidates: object[];
}

let redis: RedisServer;
let stack: GatewayStack;
let gateways: RunningApp[] = [];

beforeAll(async () => {
  redis = await RedisServer.start();
  await mayWriteIndex(true);
  stack = await startOwnGateway({ REDIS_URL: redis.url.replace('://', '://gateway:gateway@') });
}, 120_000);
afterAll(async () => {
  await Promise.all([...gateways.map((gateway) => gateway.stop()), stack.stop()]);
  await redis.stop();
});

/** Without the right, gateways read the index of the order's partition, and nobody brings it up to date. */
async function mayWriteIndex(may: boolean): Promise<void> {
  const others = Array.from({ length: TOPICS.journal.partitions }, (_, partition) => partition)
    .filter((partition) => may || partition !== PARTITION)
    .map((partition) => `~*{j${partition}}*`);
  const reads = '(+@read +eval +evalsha ~*)';
  await redis.ask(['ACL', 'SETUSER', 'gateway', 'reset', 'on', '>gateway', '+@all', ...others, reads]);
}

const owns = ({ logs }: RunningApp): boolean => {
  const name = stack.prefix + TOPICS.journal.name;
  const joins = logs.filter((line) => line.includes('joined the consumer group') && line.includes(name));
  const { partitions } = JSON.parse(joins.at(-1) ?? '{"partitions":{}}') as { partitions: Record<string, number[]> };
  return partitions[name]?.includes(PARTITION) ?? false;
};
const readiness = async ({ managementUrl }: RunningApp) => (await fetch(`${managementUrl}/health/ready`)).text();
const isReady = async ({ managementUrl }: RunningApp) => (await fetch(`${managementUrl}/health/ready`)).ok;
const orderAt = async (gateway: RunningApp) =>
  (await askOperatorsOf<Order>(gateway, `/v1/orders/${MERCHANT}/${ORDER}`)).body;
const operationAt = async (gateway: RunningApp, commandId: string) =>
  (await orderAt(gateway)).operations.find((operation) => operation.commandId === commandId);
const refundsOfPlatform = async () =>
  (await stack.ledgerOf(ORDER)).operations.filter(({ operationType }) => operationType === 'refund');

it('two people say "not executed" of a refund whose notification the index does not show: it is given once, and both learn why', async () => {
  await capturedOrder(stack, ORDER);
  await stack.fault({ match: { operation: 'refund', orderPrefix: ORDER }, fault: { executeThenReset: true } });
  await stack.send('payment.refund', aRefund(UNTAGGED), 'refund-1');
  await stack.event(ORDER, 'payment.refund.in_doubt');
  await stack.gateway.stop();

  // A quarter of an hour later, with a second instance.
  const env = { ...stack.env, CLOCK_OFFSET_MS: String(16 * 60_000) };
  gateways = await Promise.all([startApp('payment-gateway', env), startApp('payment-gateway', env)]);
  const [owner, beside] = await waitFor(
    () => {
      const [owning, ...more] = gateways.filter(owns);
      return owning && more.length === 0 ? [owning, gateways.find((one) => one !== owning)!] : undefined;
    },
    { timeoutMs: WITHIN_MS, what: 'one owner of the partition' },
  );
  await waitFor(async () => (await isReady(beside)) && (await operationAt(owner, 'refund-1')), { what: 'both to be ready' }); // prettier-ignore

  await mayWriteIndex(false);
  await stack.notify(await notificationOf(stack, ORDER, 'refund'));
  await waitFor(async () => (await orderAt(owner)).candidates.length === 1, { what: 'the notification in the journal' }); // prettier-ignore
  expect((await orderAt(beside)).candidates).toEqual([]);

  const { id } = (await operationAt(beside, 'refund-1'))!;
  const proposed = await askOperatorsOf<{ id: string }>(beside, `/v1/operations/${id}/resolve`, {
    body: { outcome: 'not_executed', reason },
  });
  expect(proposed).toMatchObject({ status: 202, body: { state: 'open', why: 'not_executed' } });
  const approveAt = (gateway: RunningApp) =>
    askOperatorsOf(gateway, `/v1/proposals/${proposed.body.id}/approve`, { body: {}, key: KEYS.second });
  expect(await approveAt(owner)).toMatchObject({ status: 409, body: { code: 'proposal_stale' } });
  expect(await approveAt(beside)).toMatchObject({ status: 202, body: { recorded: { partition: PARTITION } } });

  await stack.send('payment.refund', aRefund(UNTAGGED), 'refund-2');
  await waitFor(() => operationAt(owner, 'refund-2'), { what: 'the second refund in the journal' });
  await waitFor(async () => (await readiness(owner)).includes(`journal partition ${PARTITION} gets no further for`), {
    ...{ timeoutMs: WITHIN_MS, what: 'the index to stand still for a minute' },
  });
  expect(await refundsOfPlatform()).toHaveLength(1);
  expect(await operationAt(owner, 'refund-2')).toMatchObject({ state: 'rejected' });
  expect(await operationAt(owner, 'refund-1')).toMatchObject({ state: 'in_doubt' });
  expect(await operationAt(beside, 'refund-1')).not.toHaveProperty('statements');

  await mayWriteIndex(true);
  const { data } = await stack.event(ORDER, 'payment.refund.rejected');
  expect(data.faults).toMatchObject([{ code: 'order_in_doubt' }]);
  const statement = { verdict: 'stale', actor: 'demo', approvedBy: 'second', proposal: proposed.body.id };
  for (const gateway of gateways) {
    const told = await waitFor(async () => (await operationAt(gateway, 'refund-1'))?.statements, {
      what: 'the verdict',
    });
    expect(told).toMatchObject([statement]);
    for (const key of [KEYS.demo, KEYS.second]) {
      const { body } = await askOperatorsOf<{ proposals: object[] }>(gateway, '/v1/proposals', { key });
      expect(body.proposals).toMatchObject([
        { id: proposed.body.id, state: 'approved', judged: { verdict: 'stale', code: 'proposal_stale' } },
      ]);
    }
  }
  expect(await approveAt(beside)).toMatchObject({ status: 409, body: { code: 'proposal_stale' } });
  expect(await refundsOfPlatform()).toHaveLength(1);
}, 400_000);
