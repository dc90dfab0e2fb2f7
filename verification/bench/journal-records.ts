import { createHash, randomUUID } from 'node:crypto';
import { orderKey, TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import {
  encodeRecord,
  journalPartition,
  NEWEST_RULES_VERSION,
  type Intent,
  type JournalRecord,
} from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { MERCHANT } from './commands.js';
import type { Stage } from './stage.js';

const BATCH = 1_000;

/** Writes the records of `count` orders to the journal. Bytes count keys and values before compression. */
export async function writeOrders(
  { client, prefix }: Stage,
  count: number,
  orderOf: (n: number) => JournalRecord[],
): Promise<{ records: number; bytes: number }> {
  const topic = topicName(prefix, TOPICS.journal);
  const producer = new BatchingProducer({ client, log: silentLog });
  const total = { records: 0, bytes: 0 };
  const recordOf = (record: JournalRecord) => {
    const key = orderKey(record.merchant, record.orderId);
    const value = encodeRecord(record);
    total.records++;
    total.bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    return { topic, partition: journalPartition(key), key, value };
  };
  for (let first = 0; first < count; first += BATCH) {
    const orders = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => orderOf(first + index));
    await producer.sendAll(orders.flat().map(recordOf));
  }
  await producer.close();
  return total;
}

export function intent(n: number): Intent {
  const commandId = randomUUID();
  return {
    record: 'INTENT',
    rulesVersion: NEWEST_RULES_VERSION,
    merchant: MERCHANT.merchant,
    orderId: `order-${n}`,
    at: new Date().toISOString(),
    commandId,
    attempt: 1,
    token: randomUUID(),
    operation: 'authorize',
    method: 'A',
    currency: 'EUR',
    amount: 30_000,
    contentHash: createHash('sha256').update(commandId).digest('base64url').slice(0, 27),
    tag: 'tr1.AAAAAAAAAAAA.1',
  };
}

export function outcome({ rulesVersion, merchant, orderId, commandId, attempt, token }: Intent): JournalRecord {
  const message = 'The transaction has been accepted.';
  const answer = { execCode: '0000', message, transactionId: `T-${orderId}`, descriptor: 'BENCH SHOP' };
  const of = { rulesVersion, merchant, orderId, commandId, attempt, token };
  return { record: 'OUTCOME', ...of, at: new Date().toISOString(), result: 'succeeded', answer };
}
