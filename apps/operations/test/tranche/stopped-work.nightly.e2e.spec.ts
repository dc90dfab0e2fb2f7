import { orderKey, TOPICS } from '@tranche/contracts';
import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { startCliStage } from './cli-stage.js';

const merchant = 'shop-fr';

let stage: Awaited<ReturnType<typeof startCliStage>>;
beforeAll(async () => (stage = await startCliStage()), 240_000);
afterAll(() => stage.stop(), 60_000);

const known = (orderId: string) =>
  waitFor(async () => (await stage.run('alice', 'search', `${merchant}/${orderId}`)).code === 0, {
    ...{ what: `${orderId} to be known`, timeoutMs: 120_000 },
  });
const pay = (orderId: string) => stage.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));

it('a rail that stopped is in the queue, and is gone once the platform executes again', async () => {
  const url = `${stage.simulator.url}/simulator/faults`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ match: { orderPrefix: 'cli-rail-' }, fault: { execCode: '5003' } });
  const { id } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { id: string };
  const orders = Array.from({ length: 6 }, (_, at) => `cli-rail-${at}`);
  await Promise.all(orders.map(pay));
  expect((await stage.listed('alice', 'rail', merchant)).about).toMatchObject({ rail: 'partner-b', cause: '5003' });
  expect((await stage.run('alice', 'controls')).out).toMatch(/partner-b +stopped/);
  await fetch(`${url}/${id}`, { method: 'DELETE' });
  await stage.gone('alice', 'rail', merchant);
  for (const orderId of orders) await known(orderId);
}, 180_000);

it('a partition that stopped is in the queue until two people skip its record; the order is then in the queue as frozen', async () => {
  const orderId = 'cli-poisoned';
  await pay(orderId);
  await known(orderId);
  await stage.sendRecord(orderKey(merchant, orderId), Buffer.from('{"record":'), TOPICS.journal.name);
  await stage.listed('alice', 'partition', merchant);

  const journal = (...args: string[]) => stage.terminal.run(['journal', ...args], stage.env);
  const { partitions } = JSON.parse((await journal('status', '--json')).out) as {
    partitions: { partition: number; damages: { offset: string; hash: string }[] }[];
  };
  const { partition, damages } = partitions.find((one) => one.damages.length > 0)!;
  await stage.end('gateway');
  const { offset, hash } = damages[0]!;
  const people = ['--requested-by', 'alice', '--approved-by', 'bob', '--reason', 'the disk was lost, ticket 77'];
  const name = ['--partition', String(partition), '--offset', offset, '--hash', hash];
  expect(await journal('skip', ...name, ...people, '--yes')).toMatchObject({ code: 0 });
  await stage.startGateway();
  await stage.gone('alice', 'partition', merchant);
  await stage.listed('alice', 'frozen', merchant, orderId);
  expect((await stage.run('alice', 'show', `${merchant}/${orderId}`)).out).toContain('frozen');
}, 240_000);
