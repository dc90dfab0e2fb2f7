import { orderKey, TOPICS } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';
import { aCapture, aPartnerBAuthorization, startApp, waitFor } from '@tranche/testing';
import { capturedOrder } from './captured-order.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { askAboutJournal, neighbourIn, operatorsFile } from './two-operators.js';

const file = operatorsFile();

let stack: GatewayStack;
beforeEach(async () => (stack = await startGatewayStack({ OPERATORS_FILE: file })));
afterEach(() => stack.stop());

const ask = <T = { code: string }>(operator: 'alice' | 'bob', path: string, body?: object) =>
  askAboutJournal<T>(stack.gateway, operator, path, body);
const notReady = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).text();
const restarted = async () => {
  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', stack.env);
};

it('a record that can not be read stops its partition; two operators skip it; the partition goes on, and its order stays frozen', async () => {
  const orderId = 'poisoned';
  const key = orderKey('shop-fr', orderId);
  const partition = journalPartition(key);
  const neighbour = neighbourIn(partition);
  await capturedOrder(stack, orderId);
  expect((await ask('alice', `partitions/${partition}/skip`, { reason: 'nothing is wrong yet' })).status).toBe(409);

  await stack.sendRecord(TOPICS.journal.name, key, Buffer.from('{"record":'));
  await waitFor(async () => (await notReady()).includes(`Journal partition ${partition} is stopped`), {
    what: 'a stopped partition',
  });
  const { body: view } = await ask<{ stoppedAt: { partition: number; maySkip: boolean }[] }>('alice', 'partitions');
  expect(view.stoppedAt).toMatchObject([{ partition, maySkip: true }]);

  const proposed = await ask<{ id: string }>('alice', `partitions/${partition}/skip`, {
    reason: 'Bytes of a failed disk, ticket 77',
  });
  expect(proposed.status).toBe(201);
  const approval = `decisions/${proposed.body.id}/approve`;
  expect(await ask('alice', approval, {})).toMatchObject({ status: 403, body: { code: 'same_operator' } });
  expect(await ask('bob', approval, {})).toMatchObject({
    status: 200,
    body: { proposedBy: 'alice', approvedBy: 'bob' },
  });
  expect(await ask('alice', approval, {})).toMatchObject({ status: 409, body: { code: 'already_decided' } });

  await restarted();
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: neighbour }));
  await stack.event(neighbour, 'payment.authorize.redirect_required');
  await stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
  const { data } = await stack.event(orderId, 'payment.capture.rejected');
  expect(data.faults).toMatchObject([{ code: 'order_frozen' }]);
  expect((await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation)).toEqual(['authorization', 'capture']);

  // A process that starts later reads the decision too.
  await restarted();
  await stack.send('payment.capture', aCapture({ orderId, amount: 100, transactionId: undefined }));
  await stack.event(orderId, 'payment.capture.rejected', 2);
}, 180_000);

it('a record of a newer release is not to be skipped', async () => {
  const orderId = 'newer';
  const key = orderKey('shop-fr', orderId);
  const partition = journalPartition(key);
  await stack.sendRecord(TOPICS.journal.name, key, Buffer.from('{"record":"INTENT","rulesVersion":99}'));
  await waitFor(async () => (await notReady()).includes('rules version 99'), { what: 'a stopped partition' });
  expect(await ask('alice', `partitions/${partition}/skip`, { reason: 'this must be refused' })).toMatchObject({
    status: 409,
    body: { code: 'record_of_newer_release' },
  });
}, 120_000);
