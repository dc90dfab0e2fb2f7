import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCommand, aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinCliStage, type Item } from './cli-stage.js';

const merchant = 'shop-supersedes';

let stage: Awaited<ReturnType<typeof joinCliStage>>;
beforeAll(async () => (stage = await joinCliStage()));
afterAll(() => stage.stop());

/** No other spec has dead letters of this merchant and reason. */
async function inQueue(code = 'handler_failed'): Promise<boolean> {
  const { out } = await stage.run('alice', 'attention', '--kind', 'dead_letters', '--merchant', merchant, '-o', 'json');
  const { items } = JSON.parse(out) as { items: Item[] };
  return items.some(({ about }) => about.reason === code);
}

it('a dead letter that may be tried is listed, judged, replayed and gone, by `tranche` alone', async () => {
  const orderId = `cli-replayed-${randomUUID().slice(0, 8)}`;
  await stage.sendDeadLetters([aCommand('payment.authorize', aPartnerBAuthorization({ merchant, orderId }))]);
  await waitFor(inQueue, { what: 'the dead letter in the queue' });
  expect((await stage.run('alice', 'dead-letters', '--merchant', merchant, '--order', orderId)).out).toContain(orderId);
  const replay = ['jobs', 'replay', '1', '--reason', 'The fault is mended, ticket 831'];
  expect(await stage.run('alice', ...replay, '--dry-run')).toMatchObject({
    ...{ code: 0, out: expect.stringContaining('attempt') },
  });
  await stage.run('alice', 'dead-letters', '--merchant', merchant, '--order', orderId);
  expect(await stage.run('alice', ...replay, '--yes', '--wait')).toMatchObject({ code: 0 });
  const isKnown = async () => (await stage.run('alice', 'search', `${merchant}/${orderId}`)).code === 0;
  await waitFor(isKnown, { what: 'the order of the replayed command' });
  await waitFor(async () => !(await inQueue()), { what: 'a queue without the dead letter' });
});

it('a mended command takes the place of a dead letter: refused before with each fault, executed once, and gone', async () => {
  const orderId = `cli-mended-${randomUUID().slice(0, 8)}`;
  const command = aCommand('payment.authorize', aPartnerBAuthorization({ merchant, orderId }), {
    ...{ id: randomUUID(), time: new Date().toISOString() },
  });
  const file = join(stage.terminal.home, 'mended.json');
  const written = (data: object) => writeFileSync(file, JSON.stringify({ specversion: '1.0', ...command, data }));
  await stage.sendDeadLetters([{ ...command, data: { ...command.data, amount: '250' as never } }], 'invalid_command');
  await waitFor(() => inQueue('invalid_command'), { what: 'the dead letter in the queue' });
  const list = () => stage.run('alice', 'dead-letters', '--merchant', merchant, '--order', orderId);
  await list();
  const replay = (...more: string[]) =>
    stage.run('alice', 'replay', '1', '--command', file, '--reason', 'The amount was a text, ticket 832', ...more);

  written({ ...command.data, amount: '250', currency: 7 });
  const refused = await replay('--yes');
  expect(refused).toMatchObject({ code: 3, err: expect.stringMatching(/amount.*\n.*currency|currency.*\n.*amount/) });
  written(command.data);
  expect(await replay('--dry-run')).toMatchObject({ code: 0, err: expect.stringContaining('attempt') });
  expect(await replay('--yes')).toMatchObject({ code: 0 });
  const ledger = async () =>
    (await (await fetch(`${stage.simulator.url}/simulator/ledger?orderId=${orderId}`)).json()) as { calls: object[] };
  await waitFor(async () => (await ledger()).calls.length > 0, { what: 'the call of the mended command' });
  const isRepeat = async () => (await replay('--dry-run')).err.includes('repeat');
  await waitFor(isRepeat, { what: 'the result of the mended command' });
  expect(await replay('--yes')).toMatchObject({ code: 0 });
  await waitFor(async () => !(await inQueue('invalid_command')), { what: 'a queue without the dead letter' });
  expect((await ledger()).calls).toHaveLength(1);
});
