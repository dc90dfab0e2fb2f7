import { orderKey, TOPICS, topicName, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { BatchingProducer, ensureTopics } from '@tranche/kafka';
import { journalPartition } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { aCapture, deleteRecords, ownPrefix } from '@tranche/testing';
import { authorizedOrder, capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { kafka, keptRecords } from './kept-records.js';

const [CAPTURED, AUTHORIZED] = ['captured', 'authorized'] as const;
const TOPICS_OF_ALL = Object.values(TOPICS);
/** All offsets of the journal are lower by this number in the mirror. */
const SHIFT = 100;

const producer = new BatchingProducer({ client: kafka, log: silentLog });
let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack({ KAFKA_TOPIC_PREFIX: await usedBefore() })), 120_000);
afterAll(() => Promise.all([stack.stop(), producer.close()]));

async function newTopics(): Promise<string> {
  const prefix = ownPrefix();
  const settings = { replicationFactor: 1, minInSyncReplicas: 1, log: silentLog };
  await ensureTopics(kafka, { prefix, definitions: TOPICS_OF_ALL, ...settings });
  return prefix;
}

/** Makes topics whose first journal records were deleted, so that these orders' offsets do not begin at 0. */
async function usedBefore(): Promise<string> {
  const prefix = await newTopics();
  const topic = topicName(prefix, TOPICS.journal);
  for (const partition of [CAPTURED, AUTHORIZED].map((orderId) => journalPartition(orderKey('shop-fr', orderId)))) {
    const earlier = Array.from({ length: SHIFT }, () => ({ topic, partition, key: null, value: Buffer.from('-') }));
    await producer.sendAll(earlier);
    await deleteRecords(kafka, topic, partition, BigInt(SHIFT));
  }
  return prefix;
}

/** Copies the kept records to new topics, byte for byte, in the same partitions and order. Committed offsets of the groups are lost. */
async function mirror(from: string): Promise<string> {
  const prefix = await newTopics();
  for (const definition of TOPICS_OF_ALL) {
    const topic = topicName(prefix, definition);
    const records = await keptRecords(from, definition);
    await producer.sendAll(
      records.map(({ partition, rawKey, value, headers }) => ({ topic, partition, key: rawKey, value, headers })),
    );
  }
  return prefix;
}

const capture = (orderId: string) => aCapture({ orderId, amount: undefined, transactionId: undefined });
const idsOf = (events: readonly CloudEvent<PaymentEvent>[]) => [...new Set(events.map(({ id }) => id))].sort();

it('goes on in a mirrored cluster with other offsets: nothing is executed again, events keep their ids, and sequences go up', async () => {
  await capturedOrder(stack, CAPTURED);
  await authorizedOrder(stack, AUTHORIZED);
  await stack.gateway.stop();
  const before = [...stack.results.events];
  const highest =
    before
      .map(({ sequence = '' }) => sequence)
      .sort()
      .at(-1) ?? '';
  const prefix = await mirror(stack.prefix);

  const moved = await startGatewayStack({
    KAFKA_TOPIC_PREFIX: prefix,
    PAYMENT_URL: stack.simulator.url,
    JOURNAL_EPOCH: '1',
  });
  try {
    await moved.send('payment.capture', capture(CAPTURED));
    const refused = await moved.event(CAPTURED, 'payment.capture.rejected');
    expect(refused.data).toMatchObject({ faults: [{ code: 'already_captured' }] });
    await moved.send('payment.capture', capture(AUTHORIZED));
    const settled = await moved.event(AUTHORIZED, 'payment.capture.succeeded');
    const operationsOf = async (orderId: string) =>
      (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);
    expect(await operationsOf(CAPTURED)).toEqual(['authorization', 'capture']);
    expect(await operationsOf(AUTHORIZED)).toEqual(['authorization', 'capture']);

    const again = moved.results.events.slice(before.length);
    expect(idsOf(again)).toEqual(idsOf([...before, refused, settled]));
    for (const { sequence = '' } of again) expect(sequence > highest).toBe(true);
  } finally {
    await moved.stop();
  }
}, 240_000);
