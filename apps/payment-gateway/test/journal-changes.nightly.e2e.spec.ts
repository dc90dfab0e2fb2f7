import { orderKey, TOPICS, topicName } from '@tranche/contracts';
import { createKafkaClient, ensureTopics, topicOffsets } from '@tranche/kafka';
import { encodeRecord, journalPartition, RULES_VERSION } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import {
  aCapture,
  aPartnerBAuthorization,
  deleteRecords,
  deleteTopic,
  infrastructure,
  waitFor,
} from '@tranche/testing';
import { capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const client = createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'journal-spec' }, silentLog);
let stack: GatewayStack;
beforeEach(async () => (stack = await startGatewayStack()));
afterEach(() => stack.stop());

const topic = () => topicName(stack.prefix, TOPICS.journal);
const end = async (partition: number) => (await topicOffsets(client, topic())).get(partition)!.high;
const notReady = async () => {
  const response = await fetch(`${stack.gateway.managementUrl}/health/ready`);
  return response.ok ? '' : response.text();
};
const saysThat = (text: string) =>
  waitFor(async () => (await notReady()).includes(text), { timeoutMs: 100_000, what: `word that ${text}` }).catch(
    async (cause: unknown) => {
      const lines = stack.gateway.logs.slice(-15).join('\n');
      throw new Error(`${String(cause)}: ready or not: ${await notReady()}\n${lines}`, { cause });
    },
  );
const repeated = (orderId: string, commandId = 'nobody') => {
  const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId, at: new Date().toISOString() };
  return encodeRecord({ record: 'REPEATED', ...inOrder, commandId });
};

/** Checks that a command of another partition, sent after all others, is executed. */
async function othersGoOn(stopped: number): Promise<void> {
  const names = Array.from({ length: 50 }, (_, number) => `other-${number}`);
  const orderId = names.find((name) => journalPartition(orderKey('shop-fr', name)) !== stopped)!;
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  await stack.event(orderId, 'payment.authorize.redirect_required');
}

it('stops the partition, sends nothing and writes no INTENT again and again, when the journal is deleted and made anew between two commands', async () => {
  const orderId = 'replaced';
  const partition = journalPartition(orderKey('shop-fr', orderId));
  await capturedOrder(stack, orderId);
  await deleteTopic(client, topic());
  const definitions = [TOPICS.journal];
  const again = { prefix: stack.prefix, definitions, replicationFactor: 1, minInSyncReplicas: 1, log: silentLog };
  await waitFor(
    () =>
      ensureTopics(client, again).then(
        () => true,
        () => false,
      ),
    { timeoutMs: 30_000, what: 'a new journal' },
  );
  await stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
  await saysThat(`Journal partition ${partition} is stopped`);
  expect(await notReady()).toContain('docs/operate/runbook.md, \\"A journal partition is stopped\\"');
  const written = await end(partition);
  // At most its INTENT and a NOT_EXECUTED.
  expect(written).toBeLessThanOrEqual(2n);
  await othersGoOn(partition);
  expect((await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation)).toEqual(['authorization', 'capture']);
  expect(await end(partition)).toBe(written);
}, 240_000);

it('stops the partition when records are deleted while the gateway stands still, before it has read them', async () => {
  const orderId = 'cut';
  const key = orderKey('shop-fr', orderId);
  const partition = journalPartition(key);
  await capturedOrder(stack, orderId);
  process.kill(stack.gateway.pid, 'SIGSTOP');
  try {
    // Larger than the 4 MiB of one fetch, so the fetch in flight can't return all of it.
    const large = repeated(orderId, 'x'.repeat(900_000));
    for (let sent = 0; sent < 6; sent++) await stack.sendRecord(TOPICS.journal.name, key, large);
    await deleteRecords(client, topic(), partition, await end(partition));
  } finally {
    process.kill(stack.gateway.pid, 'SIGCONT');
  }
  await saysThat(`Journal partition ${partition} is stopped`);
  expect(await notReady()).toContain('were deleted before they were');
  await stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
  await othersGoOn(partition);
  expect((await stack.ledgerOf(orderId)).calls).toHaveLength(2);
}, 240_000);
