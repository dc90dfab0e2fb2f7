import { join } from 'node:path';
import { orderKey, TOPICS } from '@tranche/contracts';
import { JOURNAL_PARTITIONS, journalPartition, recordHash } from '@tranche/order-journal';
import { aCapture, aPartnerBAuthorization, repositoryRoot, startApp, waitFor } from '@tranche/testing';
import { authorizedOrder, capturedOrder } from './captured-order.js';
import { askOperatorsOf } from './doubtful-orders.js';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { keptRecords } from './kept-records.js';
import { neighbourIn, orderIn } from './orders-in-partition.js';
import { journalStatus, PEOPLE, trancheJournal } from './tranche.js';

let stack: GatewayStack;
beforeEach(async () => {
  stack = await startGatewayStack({ OPERATORS_FILE: join(repositoryRoot(), 'config/operators.demo.json') });
});
afterEach(() => stack.stop());

const notReady = async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).text();
const restarted = async () => {
  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', stack.env);
};

it('a record that can not be read stops its partition; two people skip it while no gateway runs; the partition goes on, and its order stays frozen', async () => {
  const orderId = 'poisoned';
  const key = orderKey('shop-fr', orderId);
  const partition = journalPartition(key);
  const neighbour = neighbourIn(partition);
  await capturedOrder(stack, orderId);

  const poison = Buffer.from('{"record":');
  const hash = recordHash(poison);
  await stack.sendRecord(TOPICS.journal.name, key, poison);
  await waitFor(async () => (await notReady()).includes(`Journal partition ${partition} is stopped`), {
    what: 'a stopped partition',
  });
  const { damages } = (await journalStatus(stack)).partitions[partition]!;
  expect(damages).toMatchObject([{ kind: 'unreadable_record', hash }]);
  const name = ['--partition', String(partition), '--offset', damages[0]!.offset!, '--hash'];
  // The reason of the stopped partition names the command to run.
  expect(await notReady()).toContain(`tranche journal skip ${[...name, hash].join(' ')}`);
  const running = await trancheJournal(stack, 'skip', ...name, hash, ...PEOPLE, '--yes');
  expect(running).toMatchObject({ code: 3, err: expect.stringContaining('stop every gateway first') as string });

  await stack.gateway.stop();
  const other = await trancheJournal(stack, 'skip', ...name, 'another-hash', ...PEOPLE, '--yes');
  expect(other).toMatchObject({ code: 3, err: expect.stringContaining(`has the hash ${hash}`) as string });
  expect(await trancheJournal(stack, 'skip', ...name, hash, ...PEOPLE, '--yes')).toMatchObject({ code: 0 });
  expect((await journalStatus(stack)).code).toBe(0);

  stack.gateway = await startApp('payment-gateway', stack.env);
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: neighbour }));
  await stack.event(neighbour, 'payment.authorize.redirect_required');
  await stack.send('payment.capture', aCapture({ orderId, amount: undefined, transactionId: undefined }));
  const { data } = await stack.event(orderId, 'payment.capture.rejected');
  expect(data.faults).toMatchObject([{ code: 'order_frozen' }]);
  expect((await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation)).toEqual(['authorization', 'capture']);

  const offset = damages[0]!.offset!;
  const frozen = {
    ...{ cause: 'record_skipped', since: expect.any(String) as string },
    skipped: [{ partition, offset, at: expect.any(String) as string, requestedBy: 'alice', approvedBy: 'bob', reason: 'the disk was lost, ticket 77' }],
  }; // prettier-ignore
  const ask = <T>(path: string) => askOperatorsOf<T>(stack.gateway, path);
  expect((await ask(`/v1/orders/shop-fr/${orderId}`)).body).toMatchObject({ isFrozen: true, frozen });
  const { out } = await trancheJournal(stack, 'status');
  expect(out).toMatch(new RegExp(`^partition ${partition}: the record at ${offset} was skipped at .* by alice and bob .*order shop-fr/${orderId} is frozen$`, 'm')); // prettier-ignore
  const list = (query: string) => ask<{ orders: object[]; next?: string }>(`/v1/frozen-orders${query}`);
  expect((await list('')).body.orders).toMatchObject([{ merchant: 'shop-fr', orderId, status: 'captured', ...frozen }]);
  expect((await list('?merchant=shop-es')).body.orders).toEqual([]);

  // A process that starts later reads the decision too.
  await restarted();
  await stack.send('payment.capture', aCapture({ orderId, amount: 100, transactionId: undefined }));
  await stack.event(orderId, 'payment.capture.rejected', 2);
}, 180_000);

it('while a record that can not be read stops its partition, nothing of it is executed, also after a restart, and the others go on; once it is skipped, each command that waited is executed once', async () => {
  const partition = journalPartition(orderKey('shop-fr', 'poisoned'));
  const [paid, waiting] = [orderIn(partition, 'paid'), orderIn(partition, 'waiting')];
  const others = Array.from({ length: JOURNAL_PARTITIONS }, (_, other) => other).filter((other) => other !== partition);
  const othersGoOn = async (name: string) => {
    const orders = others.map((other) => orderIn(other, name));
    await Promise.all(orders.map((orderId) => stack.send('payment.authorize', aPartnerBAuthorization({ orderId }))));
    await Promise.all(orders.map((orderId) => stack.event(orderId, 'payment.authorize.redirect_required')));
  };
  const callsOf = async (orderId: string) => (await stack.ledgerOf(orderId)).calls.map(({ operation }) => operation);
  const isStopped = async () => (await notReady()).includes(`Journal partition ${partition} is stopped`);
  await authorizedOrder(stack, paid);

  const poison = Buffer.from('{"record":');
  await stack.sendRecord(TOPICS.journal.name, orderKey('shop-fr', 'poisoned'), poison);
  await waitFor(isStopped, { what: 'a stopped partition' });
  await stack.send('payment.capture', aCapture({ orderId: paid, transactionId: undefined }));
  await stack.send('payment.authorize', aPartnerBAuthorization({ orderId: waiting }));
  await othersGoOn('meanwhile');
  expect([await callsOf(paid), await callsOf(waiting)]).toEqual([['authorization'], []]);

  // Nothing of the partition is in this one's memory.
  await stack.gateway.stop();
  stack.gateway = await startApp('payment-gateway', stack.env, { readyPath: '/health/live' });
  await waitFor(isStopped, { what: 'a stopped partition after the restart' });
  await othersGoOn('restarted');
  expect([await callsOf(paid), await callsOf(waiting)]).toEqual([['authorization'], []]);

  await stack.gateway.stop();
  const { offset = '' } = (await journalStatus(stack)).partitions[partition]!.damages[0]!;
  const name = ['--partition', String(partition), '--offset', offset, '--hash', recordHash(poison)];
  expect(await trancheJournal(stack, 'skip', ...name, ...PEOPLE, '--yes')).toMatchObject({ code: 0 });
  stack.gateway = await startApp('payment-gateway', stack.env);
  await stack.event(paid, 'payment.capture.succeeded');
  await stack.event(waiting, 'payment.authorize.redirect_required');
  await othersGoOn('after');
  expect([await callsOf(paid), await callsOf(waiting)]).toEqual([['authorization', 'capture'], ['authorization']]);
  expect(await keptRecords(stack.prefix, TOPICS.commandsDeadLetter)).toEqual([]);
}, 180_000);

it('an order whose only record was skipped is shown as frozen', async () => {
  const orderId = 'only-record';
  const partition = journalPartition(orderKey('shop-fr', orderId));
  const poison = Buffer.from('{"record":');
  await stack.sendRecord(TOPICS.journal.name, orderKey('shop-fr', orderId), poison);
  await waitFor(async () => (await notReady()).includes(`Journal partition ${partition} is stopped`), {
    what: 'a stopped partition',
  });
  await stack.gateway.stop();
  const name = ['--partition', String(partition), '--offset', '0', '--hash', recordHash(poison)];
  expect(await trancheJournal(stack, 'skip', ...name, ...PEOPLE, '--yes')).toMatchObject({ code: 0 });
  stack.gateway = await startApp('payment-gateway', stack.env);
  const seen = await waitFor(
    async () => {
      const { status, body } = await askOperatorsOf<object>(stack.gateway, `/v1/orders/shop-fr/${orderId}`);
      return status === 200 && body;
    },
    { what: 'the view of the frozen order' },
  );
  expect(seen).toMatchObject({ status: 'frozen', isFrozen: true, frozen: { skipped: [{ partition, offset: '0' }] } });
  const { body } = await askOperatorsOf<{ orders: object[] }>(stack.gateway, '/v1/frozen-orders');
  expect(body.orders).toMatchObject([{ orderId, status: 'frozen', cause: 'record_skipped' }]);
}, 120_000);

it('a record of a newer release is not to be skipped', async () => {
  const orderId = 'newer';
  const key = orderKey('shop-fr', orderId);
  const partition = journalPartition(key);
  const value = Buffer.from('{"record":"INTENT","rulesVersion":99}');
  await stack.sendRecord(TOPICS.journal.name, key, value);
  await waitFor(async () => (await notReady()).includes('rules version 99'), { what: 'a stopped partition' });
  expect(await notReady()).not.toContain('tranche journal skip');
  await stack.gateway.stop();
  const { code, partitions } = await journalStatus(stack);
  expect([code, partitions[partition]!.damages]).toMatchObject([6, [{ kind: 'record_of_newer_release', offset: '0' }]]);
  const name = ['--partition', String(partition), '--offset', '0', '--hash', recordHash(value)];
  const refused = await trancheJournal(stack, 'skip', ...name, ...PEOPLE, '--yes');
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('start a release that reads it') as string });
}, 120_000);
