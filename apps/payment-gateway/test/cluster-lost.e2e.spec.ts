import { TOPICS, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
import { BatchingProducer, deleteRecords, ensureTopics, topicOffsets } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aCapture, ownPrefix } from '@tranche/testing';
import { authorizedOrder, capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { kafka, keptRecords } from './kept-records.js';

const MIRRORED = Object.values(TOPICS);
/** By so much all offsets are higher in the mirror. */
const SHIFT = 5;

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()), 60_000);
afterAll(() => stack.stop(), 60_000);

/** Copies the records of all topics to topics of another prefix, where other records had been before. The groups' offsets are lost. */
async function mirror(from: string, to: string): Promise<void> {
  const settings = { replicationFactor: 1, minInSyncReplicas: 1, log: silentLog };
  await ensureTopics(kafka, { prefix: to, definitions: MIRRORED, ...settings });
  const producer = new BatchingProducer({ client: kafka, log: silentLog });
  for (const definition of MIRRORED) {
    const topic = to + definition.name;
    for (const partition of (await topicOffsets(kafka, topic)).keys()) {
      const earlier = Array.from({ length: SHIFT }, () => ({ topic, partition, key: null, value: Buffer.from('-') }));
      await producer.sendAll(earlier);
      await deleteRecords(kafka, topic, partition, BigInt(SHIFT));
    }
    const records = await keptRecords(from, definition);
    await producer.sendAll(
      records.map(({ partition, rawKey, value, headers }) => ({ topic, partition, key: rawKey, value, headers })),
    );
  }
  await producer.close();
}

const capture = (orderId: string) => aCapture({ orderId, amount: undefined, transactionId: undefined });
const idsOf = (events: readonly CloudEvent<PaymentEvent>[]) => [...new Set(events.map(({ id }) => id))].sort();

it('goes on in a mirrored cluster with other offsets: nothing is executed again, events keep their ids, and sequences go up', async () => {
  const [captured, authorized] = ['captured', 'authorized'];
  await capturedOrder(stack, captured);
  await authorizedOrder(stack, authorized);
  await stack.gateway.stop();
  const before = [...stack.results.events];
  const highest =
    before
      .map(({ sequence = '' }) => sequence)
      .sort()
      .at(-1) ?? '';
  const prefix = ownPrefix();
  await mirror(stack.prefix, prefix);

  const moved = await startGatewayStack({
    KAFKA_TOPIC_PREFIX: prefix,
    PAYMENT_URL: stack.simulator.url,
    JOURNAL_EPOCH: '1',
  });
  try {
    await moved.send('payment.capture', capture(captured));
    const refused = await moved.event(captured, 'payment.capture.rejected');
    expect(refused.data).toMatchObject({ faults: [{ code: 'already_captured' }] });
    await moved.send('payment.capture', capture(authorized));
    const settled = await moved.event(authorized, 'payment.capture.succeeded');
    const operationsOf = async (orderId: string) =>
      (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);
    expect(await operationsOf(captured)).toEqual(['authorization', 'capture']);
    expect(await operationsOf(authorized)).toEqual(['authorization', 'capture']);

    const again = moved.results.events.slice(before.length);
    expect(idsOf(again)).toEqual(idsOf([...before, refused, settled]));
    for (const { sequence = '' } of again) expect(sequence > highest).toBe(true);
  } finally {
    await moved.stop();
  }
}, 240_000);
