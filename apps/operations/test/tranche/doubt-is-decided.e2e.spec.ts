import { aPartnerBAuthorization } from '@tranche/testing';
import { joinCliStage } from './cli-stage.js';

/** Resolutions of this merchant need a second person. */
const merchant = 'shop-approval';
const orderId = 'cli-doubt-1';
const order = `${merchant}/${orderId}`;

let stage: Awaited<ReturnType<typeof joinCliStage>>;
beforeAll(async () => (stage = await joinCliStage()));
afterAll(() => stage.stop());

it('a doubt is made, listed, resolved by two people and gone, by `tranche` alone', async () => {
  const { run } = stage;
  expect(await run('alice', 'sim', 'fault', 'executeThenReset', '--order', orderId, '--times', '1')).toMatchObject({
    code: 0,
  });
  await stage.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  await stage.listed('alice', 'doubt', merchant, orderId);

  const said = ['resolve', order, 'succeeded', '--reason', 'The back office shows it, ticket 814'];
  const preview = await run('alice', ...said, '--dry-run');
  expect(preview).toMatchObject({ code: 0, err: expect.stringContaining('the order would be authorized') });
  expect(preview.err).toContain('another person must agree');
  expect(await run('viewer', ...said, '--yes')).toMatchObject({ code: 4 });
  expect(await run('alice', ...said, '--yes')).toMatchObject({
    code: 7,
    err: expect.stringContaining('tranche approve'),
  });
  await stage.listed('bob', 'proposal', merchant, orderId);
  expect(await run('alice', 'approve', order, '--yes')).toMatchObject({ code: 4 });
  expect(await run('bob', 'approve', order, '--yes')).toMatchObject({
    ...{ code: 0, err: expect.stringContaining('it counted: the operation is succeeded') },
  });
  await stage.gone('alice', 'doubt', merchant, orderId);

  const shown = await run('alice', 'show', order);
  expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/status: +authorized/) });
  expect(await run('alice', 'why', order, 'status')).toMatchObject({ out: expect.stringContaining('EVIDENCE') });
  expect(await run('alice', ...said, '--yes')).toMatchObject({ code: 3 });
});
