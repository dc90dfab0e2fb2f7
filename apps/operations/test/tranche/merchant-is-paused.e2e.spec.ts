import { randomUUID } from 'node:crypto';
import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinCliStage } from './cli-stage.js';

/** Nobody else pauses this merchant. */
const merchant = 'shop-paused';
const scope = `merchant:${merchant}`;

let stage: Awaited<ReturnType<typeof joinCliStage>>;
beforeAll(async () => (stage = await joinCliStage()));
afterAll(() => stage.stop());

it('a merchant is paused, its command waits, and goes on once it is resumed, by `tranche` alone', async () => {
  const orderId = `cli-paused-${randomUUID().slice(0, 8)}`;
  const { run } = stage;
  const reason = ['--reason', 'the shop sends orders twice', '--yes'];
  expect(await run('viewer', 'pause', scope, ...reason)).toMatchObject({ code: 4 });
  expect(await run('alice', 'pause', scope, '--for', '1h', ...reason)).toMatchObject({
    ...{ code: 0, err: expect.stringMatching(/paused in all \d+ instances/) },
  });
  await stage.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  expect((await run('alice', 'controls')).out).toMatch(/^merchant:shop-paused +paused .* alice: the shop sends/m);
  expect(await run('alice', 'search', `${merchant}/${orderId}`)).toMatchObject({ code: 1 });
  const inQueue = async () => (await run('alice', 'attention', '--kind', 'control', '--merchant', merchant)).out;
  expect(await inQueue()).toMatch(/control .* merchant:shop-paused, the shop sends orders twice +tranche controls/);
  expect(await run('alice', 'resume', scope, ...reason)).toMatchObject({ code: 0 });
  expect(await inQueue()).not.toContain(scope);
  const isKnown = async () => (await run('alice', 'search', `${merchant}/${orderId}`)).code === 0;
  await waitFor(isKnown, { what: 'the order that waited' });
});
