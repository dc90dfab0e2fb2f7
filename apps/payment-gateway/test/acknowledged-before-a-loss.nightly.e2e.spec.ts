import { orderKey } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';
import { aCapture, aPartnerBAuthorization, startApp, waitFor } from '@tranche/testing';
import { damageJournal, untilIndexed } from './damaged-journal.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { orderIn } from './orders-in-partition.js';
import { journalStatus, PEOPLE, trancheJournal } from './tranche.js';

/** A redirect expires after seven days. */
const EIGHT_DAYS_MS = 8 * 86_400_000;

let stack: GatewayStack;
beforeAll(async () => (stack = await startGatewayStack()));
afterAll(() => stack.stop());

async function redirected(orderId: string): Promise<string> {
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId }));
  const { data } = await stack.event(orderId, 'payment.authorize.redirect_required');
  return data.transactionId!;
}

async function paid(orderId: string): Promise<void> {
  const transactionId = await redirected(orderId);
  const body = new URLSearchParams({ decision: 'validate' });
  await fetch(`${stack.simulator.url}/form/${transactionId}`, { method: 'POST', body, redirect: 'manual' });
  await stack.notify({
    orderId,
    operationType: 'authorization',
    transactionId,
    execCode: '0000',
    extraData: undefined,
  });
  await stack.event(orderId, 'payment.authorize.succeeded');
}

it('a payment whose notification was acknowledged before its journal lost records has succeeded after the resume, also eight days later', async () => {
  const orderId = 'paid-before-the-loss';
  const partition = journalPartition(orderKey('shop-fr', orderId));
  const doubtful = orderIn(partition, 'captured');
  const unpaid = orderIn(partition, 'unpaid');
  await redirected(unpaid);
  // The capture's answer is lost, and its notification is the only report of it.
  await paid(doubtful);
  await stack.fault({
    match: { orderPrefix: doubtful, operation: 'capture', times: 1 },
    fault: { executeThenReset: true, notification: 'none' },
  });
  await stack.send('payment.capture', aCapture({ orderId: doubtful, transactionId: undefined }));
  await stack.event(doubtful, 'payment.capture.in_doubt');
  const capture = (await stack.ledgerOf(doubtful)).operations.find(({ operationType }) => operationType === 'capture')!;
  await stack.notify({
    orderId: doubtful,
    operationType: 'capture',
    transactionId: capture.transactionId,
    execCode: '0000',
    extraData: capture.extraData,
  });
  await stack.event(doubtful, 'payment.capture.doubt_resolved');
  await paid(orderId);
  await untilIndexed(stack.prefix, stack.env.REDIS_URL!);

  await stack.gateway.stop();
  await damageJournal(stack.prefix, (one) => (one === partition ? 'ends before the index' : 'whole'));
  expect(await journalStatus(stack)).toMatchObject({ code: 6, members: [] });
  const resumed = await trancheJournal(stack, 'resume', ...PEOPLE, '--yes');
  expect(resumed).toMatchObject({
    code: 0,
    err: expect.stringContaining('notifications are read again, 3 records') as string,
  });
  expect(await trancheJournal(stack, 'resume', ...PEOPLE, '--yes')).toMatchObject({
    code: 3,
    err: expect.stringContaining('nothing to resume') as string,
  });
  const before = stack.results.events.length;
  stack.gateway = await startApp('payment-gateway', { ...stack.env, CLOCK_OFFSET_MS: String(EIGHT_DAYS_MS) });

  // Its time is over, so the timers of this partition have run.
  await stack.event(unpaid, 'payment.authorize.expired');
  const told = (order: string, type: string) =>
    stack.results.events.slice(before).find((event) => event.data.orderId === order && event.type === type);
  const again = await waitFor(() => told(orderId, 'payment.authorize.succeeded'), { what: 'its success' });
  expect(again.sequence).toMatch(/^001/);
  await waitFor(() => told(doubtful, 'payment.authorize.succeeded'), { what: 'the success of its neighbour' });
  await waitFor(() => told(doubtful, 'payment.capture.doubt_resolved'), { what: 'the capture of its neighbour' });
  const types = new Set([orderId, doubtful].flatMap((order) => stack.typesOf(order)));
  for (const type of ['payment.authorize.expired', 'payment.conflict.detected', 'payment.operation.external'])
    expect([...types]).not.toContain(type);
}, 300_000);
