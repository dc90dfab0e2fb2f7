import { randomUUID } from 'node:crypto';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  orderKey,
  TOPICS,
  topicName,
  type CommandData,
  type CommandType,
} from '@tranche/contracts';
import { decodeRecord } from '@tranche/order-journal';
import { aCapture, aCommand, aRefund, deleteRecords, startApp, waitFor } from '@tranche/testing';
import { CAPTURED, capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { kafka, keptRecords } from './kept-records.js';
import { deleteIndex } from './lost-index.js';

/** After 60 days the journal gets a snapshot of an order that may be refunded. */
const LATER_MS = 61 * 86_400_000;

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(() => stack.stop());

const startLater = () => startApp('payment-gateway', { ...stack.env, CLOCK_OFFSET_MS: String(LATER_MS) });

/** Sends a command dated on that later day. */
async function sendLater(type: CommandType, data: CommandData): Promise<void> {
  const time = new Date(Date.now() + LATER_MS).toISOString();
  const { headers, value } = encodeCloudEvent(aCommand(type, data, { id: randomUUID(), time }));
  const key = orderKey(data.merchant, data.orderId);
  await stack.sendRecord(COMMAND_TOPICS['partner-b'].name, key, value, headers);
}

it('an order that was carried over is still guarded after its older records were deleted and its index was lost', async () => {
  const orderId = 'carried';
  await capturedOrder(stack, orderId);
  await stack.gateway.stop();
  stack.gateway = await startLater();
  const carried = await waitFor(
    async () => {
      const records = await keptRecords(stack.prefix, TOPICS.journal);
      return records.find(({ value }) => decodeRecord(value).record === 'SNAPSHOT');
    },
    { timeoutMs: 60_000, what: 'a SNAPSHOT record', pollMs: 500 },
  );
  await stack.gateway.stop();
  await deleteRecords(kafka, topicName(stack.prefix, TOPICS.journal), carried.partition, carried.offset);
  expect(await deleteIndex(stack.prefix)).toBeGreaterThan(0);
  const kept = await keptRecords(stack.prefix, TOPICS.journal);
  expect(kept.map(({ value }) => decodeRecord(value).record)).toEqual(['SNAPSHOT']);

  stack.gateway = await startLater();
  await sendLater('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
  const refused = await stack.event(orderId, 'payment.capture.rejected');
  expect(refused.data).toMatchObject({ faults: [{ code: 'already_captured' }] });
  await sendLater('payment.refund', aRefund({ orderId, amount: CAPTURED + 1, transactionId: undefined }));
  const tooMuch = await stack.event(orderId, 'payment.refund.rejected');
  expect(tooMuch.data).toMatchObject({ faults: [{ code: 'refund_exceeds_remaining' }] });
  const calls = async () => (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);
  expect(await calls()).toEqual(['authorization', 'capture']);

  await sendLater('payment.refund', aRefund({ orderId, amount: CAPTURED, transactionId: undefined }));
  await stack.event(orderId, 'payment.refund.succeeded');
  expect(await calls()).toEqual(['authorization', 'capture', 'refund']);
}, 180_000);
