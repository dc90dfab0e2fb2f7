import { randomUUID } from 'node:crypto';
import { aCommand, aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinCliStage, type Item } from './cli-stage.js';

const merchant = 'shop-supersedes';

let stage: Awaited<ReturnType<typeof joinCliStage>>;
beforeAll(async () => (stage = await joinCliStage()));
afterAll(() => stage.stop());

/** No other spec has dead letters of this merchant and reason. */
async function inQueue(): Promise<boolean> {
  const { out } = await stage.run('alice', 'attention', '--kind', 'dead_letters', '--merchant', merchant, '-o', 'json');
  const { items } = JSON.parse(out) as { items: Item[] };
  return items.some(({ about }) => about.reason === 'handler_failed');
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
