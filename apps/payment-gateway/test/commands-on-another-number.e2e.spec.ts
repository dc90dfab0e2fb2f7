import { randomUUID } from 'node:crypto';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { journalPartition } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { aCapture, aCommand, aPartnerBAuthorization, infrastructure } from '@tranche/testing';
import {
  expectFiveInOrder,
  fiveOperationsOf,
  forwardedBy,
  isMisplaced,
  partitionByCrc32,
  validateAtOnce,
} from './five-operations.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

const PREFIX = 'on-another-number-';
/** Its forwarded commands are counted by its name; no other spec has any. */
const merchant = 'shop-counted';

let stack: GatewayStack;
let producer: BatchingProducer;
beforeAll(async () => {
  stack = await joinGatewayStage();
  const brokers = infrastructure().brokers.split(',');
  producer = new BatchingProducer({
    client: createKafkaClient({ brokers, clientId: 'crc32' }, silentLog),
    log: silentLog,
  });
  await validateAtOnce(stack, PREFIX);
});
afterAll(() => Promise.all([producer.close(), stack.stop()]));

/** Order ids that this partitioner puts on another partition than the Java client's. */
function misplacedOrders(count: number): string[] {
  const found: string[] = [];
  for (let number = 1; found.length < count; number++) {
    const orderId = `${PREFIX}${number}`;
    if (isMisplaced(orderKey(merchant, orderId))) found.push(orderId);
  }
  return found;
}

it('keeps the order of an order’s commands that a publisher with the default partitioner of librdkafka puts on another partition', async () => {
  const orderIds = misplacedOrders(40);
  const commands = fiveOperationsOf(stack.prefix, merchant, orderIds);
  await producer.sendAll(commands.map((command) => ({ ...command, partition: partitionByCrc32(command.key) })));
  await expectFiveInOrder(stack, orderIds);
  expect(await forwardedBy(merchant, [stack.gateway])).toBeGreaterThanOrEqual(commands.length);
}, 180_000);

it('executes a command once that was forwarded twice and came directly too, as after a kill between the copy and its commit', async () => {
  const [orderId = ''] = misplacedOrders(41).slice(-1);
  const key = orderKey(merchant, orderId);
  const topic = stack.prefix + COMMAND_TOPICS['partner-b'].name;
  const authorize = encodeCloudEvent(
    aCommand('payment.authorize', aPartnerBAuthorization({ merchant, orderId }), { id: randomUUID() }),
  );
  const capture = encodeCloudEvent(aCommand('payment.capture', aCapture({ merchant, orderId })));
  const copies = [partitionByCrc32(key), partitionByCrc32(key), journalPartition(key)];
  await producer.sendAll(copies.map((partition) => ({ topic, key, partition, ...authorize })));
  // It lies behind both copies, so they are answered before it.
  await producer.send({ topic, key, partition: partitionByCrc32(key), ...capture });
  await stack.event(orderId, 'payment.capture.succeeded');
  const { calls } = await stack.ledgerOf(orderId);
  expect(calls.map(({ operation }) => operation)).toEqual(['authorization', 'capture']);
  expect(new Set(stack.typesOf(orderId))).toEqual(
    new Set(['payment.authorize.succeeded', 'payment.capture.succeeded']),
  );
}, 180_000);
